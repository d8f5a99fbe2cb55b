// @ts-check
// Makes a sequence shorter while it still has a difference of the same class.

/** @import { Sequence, Step } from "./player.mjs" */

/**
 * The shortest sequence that was found. First everything behind the difference goes, then halves, then single steps.
 * @param {Sequence} sequence
 * @param {number} last the step of the difference
 * @param {(sequence: Sequence) => Promise<boolean>} still true if the difference is still there
 * @param {number} [tries] how many sequences may be played
 */
export const shrink = async (sequence, last, still, tries = 80) => {
  let left = tries
  /** @param {readonly Step[]} steps */
  const holds = async (steps) => {
    if (left <= 0) return false
    left -= 1
    return still({ ...sequence, steps })
  }
  let steps = sequence.steps
  const head = steps.slice(0, last + 1)
  if (head.length < steps.length && (await holds(head))) steps = head
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = Math.max(0, steps.length - size); from >= 0; from -= size) {
      const rest = [...steps.slice(0, from), ...steps.slice(from + size)]
      if (rest.length < steps.length && rest.length > 0 && (await holds(rest))) steps = rest
      if (from > 0 && from < size) from = size
    }
  }
  return { ...sequence, steps }
}
