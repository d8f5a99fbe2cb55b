// @ts-check
// Whether the memory of a process grows with the messages that it gets.
import { mebibytes } from "./command.mjs"

/** @typedef {{ at: number, pid: number | undefined, bytes: number }} Sample `at`: the share of the run that is over */

/** @param {readonly number[]} list */
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0

/** Garbage and fragmentation come and go; a leak of 100 bytes a message exceeds this. @param {number} warm */
const allowed = (warm) => warm * 1.2 + 16 * 2 ** 20

/**
 * Compares the last process after its warm-up with itself at the end.
 * @param {readonly Sample[]} samples
 * @returns {{ says: string, grown: boolean }}
 */
export const growth = (samples) => {
  const last = samples.at(-1)
  /** @param {number} from @param {number} to */
  const between = (from, to) =>
    median(
      samples.filter(({ pid, at }) => pid === last?.pid && at >= from && at <= to).map(({ bytes }) => bytes),
    )
  const [warm, end] = [between(0.3, 0.5), between(0.85, 1)]
  return {
    says: `${mebibytes(warm)} after the warm-up, ${mebibytes(end)} at the end`,
    grown: end > allowed(warm),
  }
}
