// @ts-check
// Plays sequences on pairs of servers, and sorts what differs into classes with their shortest repetition.
import * as Compare from "./compare.mjs"
import { unexplained } from "./allow.mjs"
import { shrink } from "./shrink.mjs"

/**
 * @import { Sequence } from "./player.mjs"
 * @import { Pair } from "./pair.mjs"
 * @import { Allowed } from "./allow.mjs"
 * @import { Difference } from "./compare.mjs"
 *
 * @typedef {object} Class
 * @property {string} name
 * @property {number} count sequences that have it first
 * @property {Sequence} shortest
 * @property {Difference} difference of the shortest
 * @property {string} replay the name of the sequence that had it first
 *
 * @typedef {object} Tally
 * @property {number} played
 * @property {number} differed
 * @property {Map<string, Class>} classes
 * @property {{ replay: string, name: string }[]} unsteady differences that did not come again
 *
 * @typedef {object} Work
 * @property {(index: number) => Sequence} sequenceOf
 * @property {number} sequences
 * @property {Allowed} allowed
 * @property {() => boolean} over true if no more sequences should be played
 * @property {(tally: Tally) => void} progress
 * @property {boolean} shrinks
 */

/** @returns {Tally} */
const empty = () => ({ played: 0, differed: 0, classes: new Map(), unsteady: [] })

/** The unexplained differences. If there are any, the folder is looked at after each step. @param {Pair} pair @param {Sequence} sequence @param {Allowed} allowed */
const unexplainedOf = async (pair, sequence, allowed) => {
  const seen = async (/** @type {boolean} */ trees) => {
    const [reference, candidate] = await pair.play(sequence, { trees })
    return unexplained(Compare.differences(sequence, reference, candidate), allowed)
  }
  const quick = await seen(false)
  return quick.length === 0 ? quick : seen(true)
}

/** @param {Pair} pair @param {Sequence} sequence @param {Difference} difference @param {Work} work */
const shortestOf = async (pair, sequence, difference, { allowed, shrinks }) => {
  const wanted = Compare.classOf(difference)
  let last = difference
  if (!shrinks) return { shortest: sequence, difference }
  const shortest = await shrink(sequence, difference.index, async (shorter) => {
    const found = (await unexplainedOf(pair, shorter, allowed)).find((one) => Compare.classOf(one) === wanted)
    if (found === undefined) return false
    last = found
    return true
  })
  return { shortest, difference: last }
}

/** @param {Pair} pair @param {Sequence} sequence @param {Work} work @param {Tally} tally */
const one = async (pair, sequence, work, tally) => {
  const seen = (await unexplainedOf(pair, sequence, work.allowed)).map(Compare.classOf)
  tally.played += 1
  const [foremost] = seen
  if (foremost === undefined) return
  const known = tally.classes.get(foremost)
  if (known) {
    tally.differed += 1
    known.count += 1
    return
  }
  await pair.stop()
  // Of a server with one fault, steps may differ in turns, because output is cut into other chunks each time.
  const again = (await unexplainedOf(pair, sequence, work.allowed)).find((one) =>
    seen.includes(Compare.classOf(one)),
  )
  if (again === undefined) {
    tally.unsteady.push({ replay: sequence.name, name: foremost })
    return
  }
  const name = Compare.classOf(again)
  tally.differed += 1
  const fresh = { name, count: 1, shortest: sequence, difference: again, replay: sequence.name }
  const other = tally.classes.get(name)
  if (other) other.count += 1
  else {
    tally.classes.set(name, fresh)
    Object.assign(fresh, await shortestOf(pair, sequence, again, work))
  }
}

/**
 * Plays the sequences, each pair taking the next one.
 * @param {readonly Pair[]} pairs
 * @param {Work} work
 */
export const run = async (pairs, work) => {
  const tally = empty()
  let next = 0
  const lane = async (/** @type {Pair} */ pair) => {
    while (next < work.sequences && !work.over()) {
      const index = next
      next += 1
      await one(pair, work.sequenceOf(index), work, tally)
      work.progress(tally)
    }
  }
  await Promise.all(pairs.map(lane))
  return tally
}
