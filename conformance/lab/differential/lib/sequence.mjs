// @ts-check
// Makes sequences: the same for the same seed, index and length. Each request can be understood alone; processes are
// awaited, so that what is compared does not depend on time.
import { randomOf } from "../../stress/lib/command.mjs"
import * as Draft from "./draft.mjs"
import * as Forms from "./forms.mjs"
import * as Processes from "./processes.mjs"
import { makers } from "./requests.mjs"

/**
 * @import { Sequence } from "./player.mjs"
 *
 * @typedef {object} Choice what sequences are made of
 * @property {number} seed
 * @property {number} length requests in a sequence, on average
 * @property {readonly string[]} methods that both servers know, and what else a sequence may have
 */

/** Every method that a sequence may have. */
export const known = ["initialize", ...Object.keys(Processes.steps), ...Object.keys(makers)]

/** What else it may have: messages that are no valid request, notifications, and the end of a connection. */
export const besides = ["envelope", "notification", "reconnect"]

/** How often a method occurs, where that is not 4. @type {Record<string, number>} */
const weights = {
  initialize: 0, envelope: 1, notification: 0.4, reconnect: 0.5, "environment/info": 1, "environment/status": 1,
  "process/start": 9, "process/read": 6, "process/write": 5,
  "process/signal": 3, "process/terminate": 2, "fs/writeFile": 6, "fs/getMetadata": 6, "fs/walk": 6,
  "fs/canonicalize": 5,
  "fs/close": 2, "fs/watchMissing": 3, "http/request": 4, "fs/open": 6, "fs/readBlock": 6, "fs/writeBlock": 6,
} // prettier-ignore

/** @param {Draft.Draft} draft @param {boolean} creates true if a folder can be made that the watch is for */
const watch = ({ random, steps, next, call }, creates) => {
  const watchId = next()
  const file = `{U}/appears-${watchId}`
  const missing = random.pick([[file], ["{U}/watched-1", file], [`${file}/below`]])
  call("fs/watchMissing", { watchId, missing }, true)
  if (!creates) return
  call("fs/createDirectory", { path: file }, true)
  steps.push({ kind: "watch", method: "fs/missingChanged", on: String(watchId) })
}

/** @param {Draft.Draft} draft @param {string} method */
const other = ({ random, steps, next, call }, method) => {
  const params = makers[method]?.(random)
  if (params?.["requestId"] !== undefined && random.chance(0.8)) params["requestId"] = `r-${next()}`
  call(method, params)
  const on = String(params?.["requestId"])
  if (params?.["streamResponse"] === true)
    steps.push({ kind: "stream", method: "http/request/bodyDelta", on })
}

/** One request, with what has to be awaited. @param {Draft.Draft} draft @param {string} method @param {Choice} choice */
const add = (draft, method, { methods }) => {
  const { random, steps, children } = draft
  if (method === "envelope") steps.push({ kind: "call", method, text: Forms.envelope(random) })
  else if (method === "notification") steps.push({ kind: "silent", method, text: Forms.unanswered(random) })
  else if (method === "reconnect") {
    for (const child of children) child.kind = "ended"
    steps.push({ kind: "reconnect", method })
  } else if (method === "fs/watchMissing" && random.chance(0.3))
    watch(draft, methods.includes("fs/createDirectory"))
  else (Processes.steps[method] ?? ((one) => other(one, method)))(draft)
}

/** A handshake in disorder. @param {Draft.Draft} draft @param {() => void} one adds any request */
const disorder = ({ random, steps, next }, one) => {
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const share = random.next()
    if (share < 0.45) {
      const text = Forms.request(random, next() + left, "initialize", Forms.hello(random))
      steps.push({ kind: "call", method: "initialize", text })
    } else if (share < 0.6)
      steps.push({ kind: "silent", method: "initialized", text: '{"method":"initialized"}' })
    else one()
  }
}

/** How many sequences begin without the usual handshake: more if there are few methods. @param {Choice} choice */
const disorderly = ({ methods }) => (methods.length < 8 ? 0.6 : 0.04)

/**
 * The sequence of an index.
 * @param {Choice} choice
 * @param {number} index
 * @returns {Sequence}
 */
export const make = (choice, index) => {
  const random = randomOf(Math.imul(choice.seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const draft = Draft.make(random)
  const bag = choice.methods.flatMap((method) =>
    Array.from({ length: 10 * (weights[method] ?? 4) }, () => method),
  )
  const one = () => {
    if (bag.length > 0) add(draft, random.pick(bag), choice)
  }
  const handshake = !(choice.methods.includes("initialize") && random.chance(disorderly(choice)))
  if (!handshake) disorder(draft, one)
  const wanted = 1 + Math.floor(choice.length * (0.5 + random.next()))
  while (bag.length > 0 && draft.steps.length < wanted) one()
  return { name: `${choice.seed}/${index}`, handshake, steps: draft.steps }
}
