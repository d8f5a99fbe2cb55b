// @ts-check
// Servers that are wrong in credit.
import { all, bytesOf, fault, less, params } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Connection, Fault, Message } from "../../../lab/faults/wire/relay.mjs" */

/** The rest of the credit of processes, by their ids. @param {Connection} c @returns {Map<string, number>} */
const leftOf = ({ server: { notes } }) => (notes.left ??= new Map())

/** Takes down what is left. @type {Fault} */
const counting = (c) => ({
  asked: ({ method, params }) =>
    void (method === "process/start" && params.credit && leftOf(c).set(params.processId, params.credit)),
  told: ({ method, params: { processId, chunk } }) => {
    const left = method === "process/output" ? leftOf(c).get(processId) : undefined
    if (left !== undefined) leftOf(c).set(processId, left - Math.max(64, bytesOf(chunk).length))
    return undefined
  },
})

const most = 65_536

/** @type {readonly WireFault[]} */
export const broken = [
  fault`credit-ignored: Output leaves whatever the credit is.
    process/credit/nothing-beyond-it process/credit/grants-go-on-where-it-stopped
    process/credit/first-grant-begins-it process/credit/anew-with-a-resume
    process/credit/small-chunks-count-as-64`.by((c) => ({
    asked: (m) => {
      if (m.method === "process/credit") return c.reply(m, {})
      return ["process/start", "initialize"].includes(m.method)
        ? { ...m, params: less(m.params, "credit") }
        : undefined
    },
  })),
  fault`credit-by-bytes: A small chunk counts as its bytes and no more.
    process/credit/small-chunks-count-as-64`.by((c) => {
    const credited = new Set()
    return {
      asked: ({ method, params }) =>
        void (method === "process/start" && params.credit !== undefined && credited.add(params.processId)),
      told: ({ method, params: { processId, chunk } }) => {
        const left = method === "process/output" && credited.has(processId) ? 64 - bytesOf(chunk).length : 0
        return void (left > 0 && c.ask("process/credit", { processId, bytes: left }))
      },
    }
  }),
  fault`credit-replaced: A grant replaces what was left.
    process/credit/grants-go-on-where-it-stopped`.by(
    all(counting, (c) =>
      params("process/credit", (asked) => {
        const left = leftOf(c).get(asked.processId) ?? 0
        leftOf(c).set(asked.processId, Math.max(left, asked.bytes))
        return { ...asked, bytes: Math.max(0, asked.bytes - left) }
      }),
    ),
  ),
  fault`credit-of-everybody: What waits for credit of its process holds up every other process.
    process/credit/others-go-on`.by(
    all(counting, (c) => {
      /** @type {Message[]} */
      const held = []
      return {
        asked: ({ method, params }) => {
          if (method === "process/credit" && leftOf(c).delete(params.processId))
            held.splice(0).forEach(c.tell)
          return undefined
        },
        told: (m) => {
          const waits = [...leftOf(c)].some(([id, left]) => id !== m.params.processId && left < most)
          return waits ? (held.push(m), []) : undefined
        },
      }
    }),
  ),
  fault`credit-spares-the-end: Exited and closed do not wait for output that waits for credit.
    process/credit/end-waits-too`.by((c) => ({
    answered: ({ result }, { method, params: { processId, credit } = {} }, known) => {
      if (method !== "process/start" || !result || !credit) return undefined
      const closed = c.ask("process/wait", { processId, until: [{ closed: true }], maxBytes: 0 })
      return void closed.then(({ result: { exitCode, nextSeq } }) => {
        known.ended = true
        c.tell({ method: "process/exited", params: { processId, seq: nextSeq - 2, exitCode } })
        c.tell({ method: "process/closed", params: { processId, seq: nextSeq - 1 } })
      })
    },
    told: ({ method }, known) => (known.ended && method !== "process/output" ? [] : undefined),
  })),
]
