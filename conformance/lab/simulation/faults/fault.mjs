// @ts-check
// A planted fault as data: a text that occurs once in a file, and what takes its place.

/**
 * @typedef {object} Fault
 * @property {string} file
 * @property {string} find occurs exactly once
 * @property {string} replace
 * @property {string} what is wrong then
 */

/**
 * Faults of one file.
 * @param {string} file
 * @returns {(find: string, replace: string, what: string) => Fault}
 */
export const faultIn = (file) => (find, replace, what) => ({ file, find, replace, what })
