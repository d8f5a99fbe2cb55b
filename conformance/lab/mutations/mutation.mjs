// @ts-check
// A mutation: one line of a source, made wrong in a way that somebody could get wrong.

/**
 * @typedef {object} Mutation
 * @property {string} file
 * @property {string} find a text that occurs exactly once in the file
 * @property {string} replace
 * @property {string} says what is wrong then
 * @property {readonly string[]} cases ids or globs of the wire suite that are played before the whole suite is
 * @property {readonly string[]} [tests] files or folders of tests, instead of those near the file
 */

/**
 * @param {string} file
 * @param {string} find
 * @param {string} replace
 * @param {string} says
 * @param {readonly string[]} cases
 * @returns {Mutation}
 */
export const one = (file, find, replace, says, ...cases) => ({ file, find, replace, says, cases })

/**
 * Mutations of one file.
 * @param {string} file
 * @returns {(find: string, replace: string, says: string, ...cases: string[]) => Mutation}
 */
export const inFile =
  (file) =>
  (...rest) =>
    one(file, ...rest)

/**
 * A mutation that other tests notice than those near the file.
 * @param {Mutation} mutation
 * @param {readonly string[]} tests
 * @returns {Mutation}
 */
export const elsewhere = (mutation, ...tests) => ({ ...mutation, tests })
