// @ts-check
// Servers that are wrong in marks.
import { at, bytesOf, fault, result } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Message } from "../../../lab/faults/wire/relay.mjs" */

/** @type {readonly WireFault[]} */
export const broken = [
  fault`mark-behind-its-chunk: A chunk is not cut at its marks, which are told behind it.
    process/marks/between-the-output`.by({
    told: (m, known) => {
      const { mark } = known
      known.mark = m.method === "process/mark" ? m : undefined
      if (known.mark !== undefined) return mark ?? []
      return mark && (m.method === "process/output" ? [at(m, mark), at(mark, m)] : [mark, m])
    },
  }),
  fault`mark-lost-in-histories: Only the last marks are kept, whatever a history has.
    process/marks/kept-with-a-history`.by({
    told: ({ method, params: { seq } }, known) =>
      void (method === "process/mark" && (known.kept = [...(known.kept ?? []), seq].slice(-3))),
    ...result("process/read", ({ marks, ...read }, _, { kept = [] }) => ({
      ...read,
      ...(marks && { marks: marks.filter((/** @type {Message} */ { seq }) => kept.includes(seq)) }),
    })),
  }),
  fault`mark-lost-in-reads: A read does not tell the marks.
    process/marks/in-reads`.result("process/read", (read) => ({ ...read, ...(read.marks && { marks: [] }) })),
  fault`mark-lost-over-chunks: A mark whose bytes come in two chunks is not told.
    process/marks/over-chunks`.by({
    told: ({ method, params: { seq, ...rest } }, known) => {
      if (method === "process/output") known.last = bytesOf(rest.chunk).toString("latin1")
      const whole = method !== "process/mark" || /\][16]33;/.test(known.last)
      known.lost = (known.lost ?? 0) + (whole ? 0 : 1)
      return whole ? { method, params: { ...rest, seq: seq - known.lost } } : []
    },
  }),
  fault`mark-unasked: Marks are told also of a process whose start has not asked for them.
    process/marks/only-when-asked`.params("process/start", (asked) => ({ ...asked, marks: true })),
]
