// @ts-check
// Makes sequences: the same for the same seed, index and length. Each request can be understood alone; processes are
// awaited, so that what is compared does not depend on time.
import * as Random from "../../proof/lib/random.mjs"
import * as Forms from "./forms.mjs"
import * as Programs from "./programs.mjs"
import { makers } from "./requests.mjs"
import { base64, textOf } from "./values.mjs"

/**
 * @import { Sequence, Step } from "./player.mjs"
 *
 * @typedef {object} Choice what sequences are made of
 * @property {number} seed
 * @property {number} length requests in a sequence, on average
 * @property {readonly string[]} methods that both servers know
 * @property {boolean} reconnects true if a session can be resumed
 *
 * @typedef {{ id: string, kind: "ended" | "cat" | "terminal" | "trap" | "sleep", wrote: number, repeats?: boolean }} Child
 */

const processMethods = [
  "process/start", "process/read", "process/write", "process/signal", "process/terminate", "process/resize",
  "process/closeStdin",
] // prettier-ignore

/** Every method that a sequence may have. */
export const known = ["initialize", ...processMethods, ...Object.keys(makers)]

/** What else it may have: messages that are no valid request, notifications, and the end of a connection. */
export const besides = ["envelope", "notification", "reconnect"]

/** How often a method occurs, where that is not 4. @type {Record<string, number>} */
const weights = {
  initialize: 0, envelope: 1, notification: 0.4, reconnect: 0.5, "environment/info": 1, "environment/status": 1, "process/start": 9, "process/read": 6, "process/write": 5,
  "process/signal": 3, "process/terminate": 2, "fs/writeFile": 6, "fs/getMetadata": 6, "fs/walk": 6, "fs/canonicalize": 5,
  "fs/close": 2, "fs/watchMissing": 3, "http/request": 4, "fs/open": 6, "fs/readBlock": 6, "fs/writeBlock": 6,
} // prettier-ignore

/** @param {Random.Random} random @param {Choice} choice */
const maker = (random, { methods, reconnects }) => {
  /** @type {Step[]} */
  const steps = []
  /** @type {Child[]} */
  const children = []
  let nextId = 10
  const bag = methods.flatMap((method) => Array.from({ length: 10 * (weights[method] ?? 4) }, () => method))
  const can = (/** @type {string} */ method) => methods.includes(method)

  /** @param {string} method @param {unknown} params @param {boolean} [plain] without other forms of the decoder */
  const call = (method, params, plain = false) => {
    const changed = !plain && Forms.hasMembers(params) && random.chance(0.08)
    const paramsText =
      params === undefined ? undefined : changed ? Forms.params(random, method, params) : textOf(params)
    const text = plain
      ? `{"id":${nextId},"method":${JSON.stringify(method)},"params":${paramsText}}`
      : Forms.request(random, nextId, method, paramsText)
    nextId += 1
    steps.push({ kind: "call", method, text })
    return changed
  }
  /** @param {Child} child */
  const ended = (child) => {
    child.kind = "ended"
    steps.push({ kind: "closed", method: "closed", on: child.id })
  }

  const startLasting = (/** @type {string} */ id) => {
    const kind = random.pick(/** @type {const} */ (["cat", "cat", "terminal", "trap", "sleep"]))
    const argv = { cat: ["cat"], terminal: ["cat"], trap: Programs.trapping, sleep: ["sleep", "600"] }[kind]
    call("process/start", Programs.lasting(id, argv, kind === "terminal"), true)
    children.push({ id, kind, wrote: kind === "trap" ? 5 : 0 })
    if (kind === "trap") steps.push({ kind: "output", method: "output", on: id, bytes: 5 })
  }
  const startLarge = () => {
    const on = `large-${nextId}`
    call("process/start", { ...Programs.lasting(on, random.pick(Programs.large), random.chance(0.3)) }, true)
    steps.push({ kind: "closed", method: "closed", on })
  }
  const start = () => {
    const known = children.length > 0 && random.chance(0.05) ? random.pick(children).id : undefined
    const id = known ?? (random.chance(0.97) ? `p${children.length}` : random.pick(["", "é\n", "x".repeat(5000)]))
    if (known === undefined && random.chance(0.3)) return startLasting(id)
    if (random.chance(0.03)) return startLarge()
    call("process/start", Programs.start(random, id))
    if (known !== undefined || children.some((one) => one.id === id)) return
    children.push({ id, kind: "ended", wrote: 0 })
    steps.push({ kind: "closed", method: "closed", on: id })
  }

  /** @param {Child} child */
  const writeTo = (child) => {
    const text = random.pick(["hi\n", "a line\n", "ü\n", "x\n"])
    const size = Buffer.byteLength(text)
    const last = random.chance(0.1)
    const again = random.chance(0.35)
    const writeId = again ? `w${child.id}` : `w${nextId}`
    if (child.kind === "terminal" && last) {
      call("process/write", { processId: child.id, chunk: base64(random.pick(["\u0004", "\u0003"])), writeId }, true)
      return ended(child)
    }
    if (again && child.repeats) {
      call("process/write", { processId: child.id, chunk: base64("again\n"), writeId }, true)
      return
    }
    call("process/write", { processId: child.id, chunk: base64(text), writeId }, true)
    if (again && random.chance(0.5))
      call("process/write", { processId: child.id, chunk: base64("again\n"), writeId }, true)
    child.repeats ||= again
    child.wrote += child.kind === "terminal" ? 2 * size + 2 : size
    steps.push({ kind: "output", method: "output", on: child.id, bytes: child.wrote })
  }
  const anyId = () => (children.length > 0 && random.chance(0.85) ? random.pick(children).id : random.pick(["none", "", "p9"]))
  /** @param {string} id */
  const childOf = (id) => children.find((one) => one.id === id && one.kind !== "ended")

  /** @type {Record<string, () => void>} */
  const process = {
    "process/start": start,
    "process/read": () => {
      const number = () => random.pick([0, 1, 2, 3, 99, null, 18446744073709552000, -1, 1.5, "1"])
      const exact = random.chance(0.3)
      call("process/read", {
        processId: anyId(),
        ...(exact && { afterSeq: number() }),
        ...(random.chance(0.15) && { maxBytes: number() }),
        ...(random.chance(0.2) && { waitMs: random.pick([0, 1, 10, null]) }),
      })
    },
    "process/write": () => {
      const child = childOf(anyId())
      if (child?.kind === "cat" || child?.kind === "terminal") return writeTo(child)
      const idle = child?.kind === "trap" ? "none" : (child?.id ?? anyId())
      const open = childOf(idle)
      const processId = open === undefined || open.kind === "sleep" ? idle : "none"
      const chunk = random.pick([base64("x"), "", "!!", "YQ", "Y", "_-==", "YQ==\n", "YR==", "ü", null, 5])
      call("process/write", { processId, chunk, writeId: random.pick(["w0", `w${nextId}`, "", null, 5, "é"]) })
    },
    "process/signal": () => {
      const processId = anyId()
      const child = childOf(processId)
      const plain = child !== undefined && random.chance(0.7)
      if (child === undefined || plain) call("process/signal", { processId, signal: "interrupt" }, plain)
      else {
        const signal = random.pick(["kill", "Interrupt", "", null, 2, { interrupt: null }, { interrupt: {} }, ["interrupt"]])
        call("process/signal", { processId, signal })
        if (JSON.stringify(signal) === '{"interrupt":null}') ended(child)
      }
      if (plain && child) ended(child)
    },
    "process/terminate": () => {
      const processId = anyId()
      const child = childOf(processId)
      call("process/terminate", { processId }, child !== undefined)
      if (child) ended(child)
    },
    "process/resize": () => call("process/resize", { processId: anyId(), rows: random.pick([24, 1, 0, 65_536, null]), columns: 80 }),
    "process/closeStdin": () => {
      const child = childOf(anyId())
      call("process/closeStdin", { processId: child?.id ?? "none" }, child !== undefined)
      if (child?.kind === "cat") ended(child)
    },
  }

  const watch = () => {
    const watchId = 10 + steps.length
    const file = `{U}/appears-${watchId}`
    call("fs/watchMissing", { watchId, missing: random.pick([[file], ["{U}/watched-1", file], [`${file}/below`]]) }, true)
    if (can("fs/createDirectory")) call("fs/createDirectory", { path: file }, true)
    steps.push({ kind: "watch", method: "fs/missingChanged", on: String(watchId) })
  }
  /** @param {string} method */
  const other = (method) => {
    const params = makers[method]?.(random)
    if (params?.["requestId"] !== undefined && random.chance(0.8)) params["requestId"] = `r-${nextId}`
    call(method, params)
    const on = String(params?.["requestId"])
    if (params?.["streamResponse"] === true) steps.push({ kind: "stream", method: "http/request/bodyDelta", on })
  }
  const handshake = () => {
    for (let left = 1 + random.below(4); left > 0; left -= 1) {
      const share = random.next()
      if (share < 0.45) steps.push({ kind: "call", method: "initialize", text: Forms.request(random, nextId++, "initialize", Forms.hello(random)) })
      else if (share < 0.6) steps.push({ kind: "silent", method: "initialized", text: '{"method":"initialized"}' })
      else one(random.pick(bag))
    }
  }
  /** @param {string} method */
  const one = (method) => {
    if (method === "envelope") steps.push({ kind: "call", method, text: Forms.envelope(random) })
    else if (method === "notification") steps.push({ kind: "silent", method, text: Forms.unanswered(random) })
    else if (method === "reconnect") {
      if (!reconnects) return
      for (const child of children) child.kind = "ended"
      steps.push({ kind: "reconnect", method })
    } else if (method === "fs/watchMissing" && random.chance(0.3)) watch()
    else (process[method] ?? (() => other(method)))()
  }
  return { steps, one, handshake, bag }
}

/**
 * The sequence of an index.
 * @param {Choice} choice
 * @param {number} index
 * @returns {Sequence}
 */
export const make = (choice, index) => {
  const random = Random.make(Math.imul(choice.seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const { steps, one, handshake, bag } = maker(random, choice)
  const usual = !(choice.methods.includes("initialize") && random.chance(choice.methods.length < 8 ? 0.6 : 0.04))
  if (!usual) handshake()
  const wanted = 1 + Math.floor(choice.length * (0.5 + random.next()))
  while (bag.length > 0 && steps.length < wanted) one(random.pick(bag))
  return { name: `${choice.seed}/${index}`, handshake: usual, steps }
}
