// @ts-check
// Steps about processes: starts, input, output, signals, ends.
import * as Programs from "./programs.mjs"
import { base64 } from "./values.mjs"

/** @import { Child, Draft } from "./draft.mjs" */

/** A process that goes on until it is told to end. @param {Draft} draft @param {string} id */
const startLasting = ({ random, steps, children, call }, id) => {
  const kind = random.pick(/** @type {const} */ (["cat", "cat", "terminal", "trap", "sleep"]))
  const argv = { cat: ["cat"], terminal: ["cat"], trap: Programs.trapping, sleep: ["sleep", "600"] }[kind]
  call("process/start", Programs.lasting(id, argv, kind === "terminal"), true)
  children.push({ id, kind, wrote: kind === "trap" ? 5 : 0 })
  if (kind === "trap") steps.push({ kind: "output", method: "output", on: id, bytes: 5 })
}

/** @param {Draft} draft */
const startLarge = ({ random, steps, next, call }) => {
  const on = `large-${next()}`
  call("process/start", { ...Programs.lasting(on, random.pick(Programs.large), random.chance(0.3)) }, true)
  steps.push({ kind: "closed", method: "closed", on })
}

/** @param {Draft} draft */
const start = (draft) => {
  const { random, steps, children, call } = draft
  const known = children.length > 0 && random.chance(0.05) ? random.pick(children).id : undefined
  const id =
    known ?? (random.chance(0.97) ? `p${children.length}` : random.pick(["", "é\n", "x".repeat(5000)]))
  if (known === undefined && random.chance(0.3)) return startLasting(draft, id)
  if (random.chance(0.03)) return startLarge(draft)
  call("process/start", Programs.start(random, id))
  const child = children.find((one) => one.id === id)
  // What runs under the id goes on; what was refused under it before may be there now.
  if (child !== undefined && child.kind !== "ended") return
  if (child === undefined) children.push({ id, kind: "ended", wrote: 0 })
  steps.push({ kind: "closed", method: "closed", on: id })
}

/** Input, until the process has answered it. @param {Draft} draft @param {Child} child */
const writeTo = ({ random, steps, next, call, ended }, child) => {
  const text = random.pick(["hi\n", "a line\n", "ü\n", "x\n"])
  const again = random.chance(0.35)
  const writeId = again ? `w${child.id}` : `w${next()}`
  const write = (/** @type {string} */ content) =>
    call("process/write", { processId: child.id, chunk: base64(content), writeId }, true)
  if (child.kind === "terminal" && random.chance(0.1)) {
    write(random.pick(["\u0004", "\u0003"]))
    return ended(child)
  }
  if (again && child.repeats) return write("again\n")
  write(text)
  if (again && random.chance(0.5)) write("again\n")
  child.repeats ||= again
  const size = Buffer.byteLength(text)
  child.wrote += child.kind === "terminal" ? 2 * size + 2 : size
  steps.push({ kind: "output", method: "output", on: child.id, bytes: child.wrote })
}

const chunks = [base64("x"), "", "!!", "YQ", "Y", "_-==", "YQ==\n", "YR==", "ü", null, 5]
// No numbers: a server that takes them ends the process, and one that does not goes on with it.
const signals = ["kill", "Interrupt", "", null, true, { interrupt: null }, { interrupt: {} }, ["interrupt"]]
const numbers = [0, 1, 2, 3, 99, null, 18_446_744_073_709_552_000, -1, 1.5, "1"]

/** @type {Record<string, (draft: Draft) => void>} */
export const steps = {
  "process/start": start,
  "process/read": ({ random, call, anyId, childOf }) => {
    const processId = anyId()
    const params = {
      processId,
      ...(random.chance(0.3) && { afterSeq: random.pick(numbers) }),
      ...(random.chance(0.15) && { maxBytes: random.pick(numbers) }),
      ...(random.chance(0.2) && { waitMs: random.pick([0, 1, 10, null]) }),
    }
    // Another form could wait for a process that says nothing.
    call("process/read", params, childOf(processId) !== undefined)
  },
  "process/write": (draft) => {
    const { random, next, call, anyId, childOf } = draft
    const id = anyId()
    const child = childOf(id)
    if (child?.kind === "cat" || child?.kind === "terminal") return writeTo(draft, child)
    const processId = child?.kind === "trap" ? "none" : id
    call("process/write", {
      processId,
      chunk: random.pick(chunks),
      writeId: random.pick(["w0", `w${next()}`, "", null, 5, "é"]),
    })
  },
  "process/signal": ({ random, call, anyId, childOf, ended }) => {
    const processId = anyId()
    const child = childOf(processId)
    const signal = child && random.chance(0.3) ? random.pick(signals) : "interrupt"
    call("process/signal", { processId, signal }, child !== undefined)
    if (child && (signal === "interrupt" || JSON.stringify(signal) === '{"interrupt":null}')) ended(child)
  },
  "process/terminate": ({ call, anyId, childOf, ended }) => {
    const processId = anyId()
    const child = childOf(processId)
    call("process/terminate", { processId }, child !== undefined)
    if (child) ended(child)
  },
  "process/resize": ({ random, call, anyId }) =>
    call("process/resize", { processId: anyId(), rows: random.pick([24, 1, 0, 65_536, null]), columns: 80 }),
  "process/closeStdin": ({ call, anyId, childOf, ended }) => {
    const child = childOf(anyId())
    call("process/closeStdin", { processId: child?.id ?? "none" }, child !== undefined)
    if (child?.kind === "cat") ended(child)
  },
}
