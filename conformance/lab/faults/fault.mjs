// @ts-check
// A planted fault as data, and what a list of them is written with.

/**
 * One planted fault.
 * @typedef {object} Fault
 * @property {string} name unique, kebab-case ("the-first-seq-is-2")
 * @property {string} says one sentence: what is wrong then
 * @property {string} file source path from the root
 * @property {string} find a pattern of the syntax: see syntax.mjs
 * @property {string} put what stands in its place
 * @property {readonly string[]} [tests] vitest paths that must notice (default: the tests beside the file)
 * @property {readonly string[]} [cases] ids of the wire suite that must notice
 * @property {string} [mix] the simulation must notice: the programs that are played ("default", "drills", ...)
 * @property {number} [seed] a seed that is known to notice, played first
 * @property {string} [survives] why nothing notices it
 *
 * @typedef {Partial<Pick<Fault, "tests" | "cases" | "mix" | "seed" | "survives">>} Who who must notice
 *
 * @typedef {(typeof ways)[number]} Way
 */

export const ways = /** @type {const} */ (["tests", "cases", "seeds"])

/** @param {string[]} tests files or folders @returns {Who} */
export const byTests = (...tests) => ({ tests })

/** @param {string[]} cases ids or globs @returns {Who} */
export const byCases = (...cases) => ({ cases })

/** @param {number} seed @param {string} [mix] @returns {Who} */
export const bySeed = (seed, mix = "default") => ({ mix, seed })

/**
 * Faults of one file, which are named by what they say. Without a word of who notices, the tests beside the file must.
 * @param {string} file
 * @returns {(says: string, find: string, put: string, who?: Who) => Fault}
 */
export const inFile =
  (file) =>
  (says, find, put, who = {}) => ({
    name: says
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, ""),
    says,
    file,
    find,
    put,
    ...who,
  })

/**
 * Who must notice a fault.
 * @param {Fault} fault
 * @returns {Way}
 */
export const wayOf = ({ cases, mix }) =>
  mix !== undefined ? "seeds" : cases !== undefined ? "cases" : "tests"
