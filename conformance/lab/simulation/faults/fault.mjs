// @ts-check
// A planted fault as data: a text that occurs once in a file, and what takes its place.

/**
 * @typedef {object} Fault
 * @property {string} file
 * @property {string} find occurs exactly once
 * @property {string} replace
 * @property {string} what is wrong then
 * @property {string} [survives] why no seed finds it
 * @property {string} [mix] the programs that are played; by default those that are anyway
 */

/**
 * Faults of one file.
 * @param {string} file
 * @returns {(find: string, replace: string, what: string, survives?: string) => Fault}
 */
export const faultIn = (file) => (find, replace, what, survives) => ({
  file,
  find,
  replace,
  what,
  ...(survives === undefined ? {} : { survives }),
})

/**
 * What a fault is known by.
 * @param {Fault} fault
 */
export const idOf = ({ file, what }) => `${file}: ${what}`
