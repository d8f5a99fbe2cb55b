// @ts-check
// A sequence that is being made: its steps, and what its processes are doing, so that each can be awaited.
import * as Forms from "./forms.mjs"
import { textOf } from "./values.mjs"

/**
 * @import { Random } from "../../stress/lib/command.mjs"
 * @import { Step } from "./player.mjs"
 *
 * @typedef {object} Child
 * @property {string} id
 * @property {"ended" | "cat" | "terminal" | "trap" | "sleep"} kind
 * @property {number} wrote bytes
 * @property {boolean} [repeats] true if its write id for repetitions was used
 *
 * @typedef {ReturnType<typeof make>} Draft
 */

/** How often params come in another form. */
const otherForms = 0.08

/** @param {Random} random */
export const make = (random) => {
  /** @type {Step[]} */
  const steps = []
  /** @type {Child[]} */
  const children = []
  let nextId = 10
  /** The id of the next request. */
  const next = () => nextId

  /** Adds a request. @param {string} method @param {unknown} params @param {boolean} [plain] without other forms */
  const call = (method, params, plain = false) => {
    const changed = !plain && Forms.hasMembers(params) && random.chance(otherForms)
    const ordinary = params === undefined ? undefined : textOf(params)
    const text = plain
      ? `{"id":${nextId},"method":${JSON.stringify(method)},"params":${ordinary}}`
      : Forms.request(random, nextId, method, changed ? Forms.params(random, method, params) : ordinary)
    nextId += 1
    steps.push({ kind: "call", method, text })
  }
  /** Waits for the end of a process. @param {Child} child */
  const ended = (child) => {
    child.kind = "ended"
    steps.push({ kind: "closed", method: "closed", on: child.id })
  }
  /** A process of the sequence, or none. */
  const anyId = () =>
    children.length > 0 && random.chance(0.85) ? random.pick(children).id : random.pick(["none", "", "p9"])
  /** The process of an id, if it runs. @param {string} id */
  const childOf = (id) => children.find((one) => one.id === id && one.kind !== "ended")
  return { random, steps, children, next, call, ended, anyId, childOf }
}
