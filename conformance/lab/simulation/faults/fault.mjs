// @ts-check
// A planted fault as data: a text that occurs once in a file, and what takes its place.

/**
 * @typedef {object} Fault
 * @property {string} file
 * @property {string} find occurs exactly once
 * @property {string} replace
 * @property {string} what is wrong then
 * @property {string} [survives] why no seed finds it
 * @property {string} [mix] the programs that are played, if not the usual ones
 */

/** For what needs that rare things meet. */
export const drills = { mix: "drills" }

/** For what only waits and deadlines come by. */
export const waits = { mix: "waits" }

/** For what only histories, marks and lists come by. */
export const records = { mix: "records" }

/** For what only those who look on come by. */
export const viewers = { mix: "sessions,viewers" }

/** For what only those who write in the place of others come by. */
export const writers = { mix: "sessions,writers" }

/** For what only fleets come by. */
export const fleet = { mix: "fleet" }

/** @typedef {Partial<Pick<Fault, "survives" | "mix">>} About */

/**
 * Faults of one file.
 * @param {string} file
 * @param {About} [common] what is so of all of them
 * @returns {(find: string, replace: string, what: string, about?: About) => Fault}
 */
export const faultIn =
  (file, common = {}) =>
  (find, replace, what, about = {}) => ({
    file,
    find,
    replace,
    what,
    ...common,
    ...about,
  })

/**
 * What a fault is known by.
 * @param {Fault} fault
 */
export const idOf = ({ file, what }) => `${file}: ${what}`
