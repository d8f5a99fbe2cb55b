// @ts-check
// Faults in reports of processes: output, its order and exits.
import { at, bytesOf, fault, later, less, params, result } from "./changes.mjs"

/** @import { WireFault } from "./changes.mjs" */
/** @import { Fault } from "./relay.mjs" */

/** Events with other seqs. @param {(seq: number) => number} change @returns {Fault} */
const numbered = (change) => ({
  told: (m) =>
    m.params?.seq === undefined ? undefined : { ...m, params: { ...m.params, seq: change(m.params.seq) } },
})

/** A page of a read: as `cut` takes it from everything. @param {(chunks: any[], most: number) => any[]} cut */
const page = (cut) => ({
  ...params("process/read", (asked) => less(asked, "maxBytes")),
  ...result("process/read", (read, { maxBytes }) =>
    maxBytes == null ? read : { ...read, chunks: cut(read.chunks, maxBytes) },
  ),
})

/** `exited` behind the last output. @type {Fault} */
export const exitedLast = {
  told: (m, known) => {
    if (m.method === "process/exited") known.exited = m
    if (m.method === "process/exited") return []
    if (known.exited === undefined) return undefined
    const before = { ...m, params: { ...m.params, seq: m.params.seq - 1 } }
    return m.method === "process/closed" ? [at(known.exited, before), m] : before
  },
}

/** @type {readonly WireFault[]} */
export const output = [
  fault`base64-for-urls: Chunks are in the base64 alphabet for URLs, with padding.
    process/output/bytes-are-exact`.chunks((chunk) => chunk.replaceAll("+", "-").replaceAll("/", "_")),
  fault`utf8-replaced: Output is taken for UTF-8 text before it is encoded.
    process/output/bytes-are-exact`.chunks((chunk) =>
    Buffer.from(bytesOf(chunk).toString("utf8")).toString("base64"),
  ),
  fault`chunk-dropped: The third notification of output of a process never leaves, nor one of several lines.
    process/output/seq-contiguous process/read/max-bytes-keeps-chunks-whole`.untold(
    ({ method, params: { seq, chunk } }) =>
      method === "process/output" && (seq === 3 || bytesOf(chunk).toString().split("\n").length > 2),
  ),
  fault`streams-merged: All output is told as stdout.
    process/output/streams-and-exit-code`.event("process/output", (told) => ({ ...told, stream: "stdout" })),
  fault`seq-as-string: The seq of exited is a text.
    process/output/seq-contiguous process/exit-code/the-largest process/output/streams-and-exit-code
    process/read/max-bytes-keeps-chunks-whole`.event("process/exited", (told) => ({
    ...told,
    seq: String(told.seq),
  })),
  fault`seq-skipped: No event has the seq 2.
    process/output/seq-contiguous process/exit-code/the-largest process/output/streams-and-exit-code
    process/read/max-bytes-keeps-chunks-whole`.by(numbered((seq) => (seq > 1 ? seq + 1 : seq))),
  fault`closed-before-exited: Closed has the seq of exited, exited that of closed, and they leave in that order.
    process/output/order/closed-has-the-highest-seq process/read/max-bytes-keeps-chunks-whole`.by({
    told: (m, known) => {
      if (m.method === "process/closed") return [at(m, known.exited), at(known.exited, m)]
      if (m.method !== "process/exited") return undefined
      known.exited = m
      return []
    },
  }),
  fault`exited-with-the-last-byte: Exited waits until every descendant has let go of the output.
    process/output/exited-is-not-delayed process/output/late-output`.by(exitedLast),
  fault`late-output-dropped: Output that comes after exited is not told.
    process/output/late-output`.untold(({ method }, known) => {
    known.exited ||= method === "process/exited"
    return method === "process/output" && known.exited
  }),
  fault`start-answered-late: The answer to a start leaves after the first notifications of its process.
    process/output/order/start-answered-first`.by({
    answered: (m, r) => (r.method === "process/start" ? later(100, m) : undefined),
  }),
  fault`signal-code-plain: A process that dies of a signal has the number of the signal as its exit code.
    process/exit-code/of-sigterm process/exit-code/of-sigsegv`.event("process/exited", (told) => ({
    ...told,
    exitCode: told.exitCode > 128 && told.exitCode < 193 ? told.exitCode - 128 : told.exitCode,
  })),
  fault`after-seq-included: A read returns the chunk with its afterSeq, too.
    process/read/after-seq-skips-older process/read/next-seq`.params("process/read", (asked) => ({
    ...asked,
    afterSeq: Math.max(0, (asked.afterSeq ?? 0) - 1),
  })),
  fault`max-bytes-cuts-chunks: A read with maxBytes returns exactly so many bytes, the last chunk cut.
    process/read/max-bytes-keeps-chunks-whole`.by(
    page((all, most) => {
      let room = most
      return all.flatMap((one) => {
        const bytes = bytesOf(one.chunk).subarray(0, room)
        room -= bytes.length
        return bytes.length === 0 ? [] : [{ ...one, chunk: bytes.toString("base64") }]
      })
    }),
  ),
  fault`max-bytes-starves: A read whose maxBytes is less than the first chunk returns nothing.
    process/read/max-bytes-keeps-chunks-whole`.by(
    page((all, most) => {
      let room = most
      return all.filter(({ chunk }) => (room -= bytesOf(chunk).length) >= 0)
    }),
  ),
  fault`wait-ended-by-anything: A read that waits is ended by any output, also by what it did not ask for.
    process/read/old-output-does-not-wake`.by({
    ...params("process/read", (asked, known) => (known.printed ? less(asked, "waitMs") : asked)),
    told: ({ method }, known) => void (known.printed ||= method === "process/output"),
  }),
  fault`wait-misses-the-exit: A read that waits is woken by output, not by exited and closed.
    process/read/exit-wakes process/read/closed-returns-at-once`.by({
    answered: (m, { method, params }) =>
      method === "process/read" && params.waitMs > 0 && m.result?.chunks.length === 0
        ? later(params.waitMs, m)
        : undefined,
  }),
]
