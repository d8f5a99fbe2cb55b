// @ts-check
// Whether a row of the guard has become slower than its committed figure.

/**
 * @typedef {Readonly<Record<string, number>>} Figures ratios to the control server, by row
 *
 * @typedef {object} Measured
 * @property {string} name
 * @property {number} ratio to the control
 *
 * @typedef {object} Outcome
 * @property {string} name
 * @property {number} ratio
 * @property {number | undefined} figure the committed one
 * @property {string} change
 * @property {boolean} slower by more than the tolerance
 */

/** How much a row may cost more than its figure says. */
export const tolerance = 0.25

/** @param {readonly Measured[]} measured @param {Figures} figures @returns {Outcome[]} */
export const verdict = (measured, figures) =>
  measured.map(({ name, ratio }) => {
    const figure = figures[name]
    const more = figure === undefined ? 0 : ratio / figure - 1
    const change = `${more < 0 ? "−" : "+"}${Math.abs(more * 100).toFixed(0)} %`
    return { name, ratio, figure, change, slower: !(more <= tolerance) }
  })
