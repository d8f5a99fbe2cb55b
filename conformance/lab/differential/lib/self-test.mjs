// @ts-check
// Plants faults into a server, one at a time, and looks whether sequences show them in spite of the allowed
// differences.
import { unexplained } from "./allow.mjs"
import * as Compare from "./compare.mjs"
import { planted } from "./faults.mjs"
import * as Sequence from "./sequence.mjs"

/**
 * @import { Transcript } from "./player.mjs"
 * @import { Pair } from "./pair.mjs"
 * @import { Allowed } from "./allow.mjs"
 * @import { Fault } from "./faults.mjs"
 *
 * @typedef {{ id: string, caught?: Compare.Difference, sequences: number }} Outcome
 * @typedef {{ reference: Transcript, equal: boolean }} Control what a server without a fault did, twice
 */

/** How long a faulty server may take for an answer, in milliseconds. */
const patience = 1500

/**
 * Plays until each fault is seen, or until its sequences are used up.
 * @param {readonly Pair[]} pairs of the same server on both sides
 * @param {readonly Fault[]} faults
 * @param {{ choice: Sequence.Choice, sequences: number, allowed: Allowed, told: (outcome: Outcome) => void }} work
 * @returns {Promise<Outcome[]>}
 */
export const run = async (pairs, faults, { choice, sequences, allowed, told }) => {
  /** @type {Map<string, Promise<Control>>} */
  const controls = new Map()
  /** @param {Pair} pair @param {string} plays @param {number} index */
  const sequenceOf = (pair, plays, index) => {
    const sequence = Sequence.make({ ...choice, methods: plays.split(",") }, index)
    const key = `${plays} ${index}`
    const play = async () => {
      const [reference, candidate] = await pair.play(sequence)
      return {
        reference,
        equal: unexplained(Compare.differences(sequence, reference, candidate), allowed).length === 0,
      }
    }
    const control = controls.get(key) ?? play()
    controls.set(key, control)
    return { sequence, control }
  }

  /** @param {Pair} pair @param {Fault} fault @returns {Promise<Outcome>} */
  const look = async (pair, fault) => {
    const wrap = planted(fault)
    for (let index = 0; index < sequences; index += 1) {
      const { sequence, control } = sequenceOf(pair, fault.plays, index)
      const { reference, equal } = await control
      if (!equal) continue
      const candidate = await pair.playOn("candidate", sequence, { wrap, patience })
      const [caught] = unexplained(Compare.differences(sequence, reference, candidate), allowed)
      if (caught) return { id: fault.id, caught, sequences: index + 1 }
    }
    return { id: fault.id, sequences }
  }

  const left = [...faults]
  /** @type {Outcome[]} */
  const outcomes = []
  const lane = async (/** @type {Pair} */ pair) => {
    for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
      const outcome = await look(pair, fault)
      outcomes.push(outcome)
      told(outcome)
    }
  }
  await Promise.all(pairs.map(lane))
  return outcomes
}
