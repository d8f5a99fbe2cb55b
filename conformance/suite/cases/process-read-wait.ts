/**
 * `process/read` with waitMs: what ends the wait, and what does not.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"
import * as Gate from "./gate.ts"

const seqs = (result: JsonObject): ReadonlyArray<number> => Child.chunks(result).map(({ seq }) => seq)

/** A process that prints nothing until it reads a line. */
const silent = (wire: Wire, script = "read x"): Promise<Child.Child> =>
  Child.start(wire, { script, pipeStdin: true })

export const readWait = table("process/read", {
  "without-wait-returns-at-once": {
    spec: [104],
    says: "A read without waitMs, or with 0, of a silent process returns at once without chunks.",
    run: async (t) => {
      const child = await silent(await t.open())
      for (const waitMs of [0, null]) {
        const result = await child.read({ waitMs })
        Check.equal([...seqs(result), result["nextSeq"] ?? null], [1], "chunks and nextSeq")
      }
    },
  },
  "wait-ends-empty": {
    spec: [105],
    says: "A read with waitMs 300 of a silent process returns no chunks, and not before 300 ms.",
    run: async (t) => {
      const child = await silent(await t.open())
      const began = performance.now()
      const result = await child.read({ waitMs: 300 })
      const took = performance.now() - began
      Check.equal(seqs(result), [], "chunks")
      Check.isTrue(took >= 295, `it returned after ${Math.round(took)} ms`)
    },
  },
  // guards: long-poll
  "output-wakes": {
    spec: [106],
    says: "A waiting read returns when output comes, long before its waitMs.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 0.3; echo woke; sleep 60" })
      const result = await child.read({ waitMs: t.timeoutMs * 2 })
      Check.equal(seqs(result), [1], "chunks")
      Check.equal(result["exited"], false, "exited")
    },
  },
  "exit-wakes": {
    spec: [107],
    says: "A waiting read returns when the process exits without output.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 0.3; exit 4" })
      const result = await child.read({ waitMs: t.timeoutMs * 2 })
      Check.equal([result["exited"] ?? null, result["exitCode"] ?? null], [true, 4], "exited and exitCode")
    },
  },
  "old-output-does-not-wake": {
    spec: [108],
    says: "Output with a lower seq does not end a waiting read with afterSeq 50; closed does.",
    run: async (t) => {
      const [wire, other] = [await t.open(), await t.open()]
      const sh = Gate.shell(other)
      const [writes, ends] = [await Gate.make(sh), await Gate.make(sh)]
      const child = await Child.start(wire, { script: `echo a; ${writes.wait}; echo b; ${ends.wait}` })
      await child.says("a\n")
      const reading = child.read({ afterSeq: 50, waitMs: t.timeoutMs * 2 })
      await sh(writes.open)
      await child.says("b\n")
      await sh(ends.open)
      const result = await reading
      Check.equal(result["closed"], true, "closed")
      Check.equal(seqs(result), [], "chunks")
    },
  },
  "closed-returns-at-once": {
    spec: [109],
    says: "A read of a closed process returns at once, whatever afterSeq and waitMs are.",
    run: async (t) => {
      const child = await Child.run(await t.open())
      const result = await child.read({ afterSeq: 99, waitMs: t.timeoutMs * 2 })
      Check.equal([...seqs(result), result["closed"] ?? null], [true], "chunks and closed")
    },
  },
  "waits-past-exit": {
    spec: [100],
    says: "After exited, a waiting read from the last seq on returns only when late output comes.",
    run: async (t) => {
      const { child, late } = await Gate.orphaned(await t.open())
      const reading = child.read({ afterSeq: 2, waitMs: t.timeoutMs * 2 })
      await late(await t.open())
      Check.equal(seqs(await reading), [3], "chunks")
    },
  },
  "exit-event-returns-at-once": {
    level: "should",
    says: "After exited, a waiting read from before the exit event returns at once, even without chunks.",
    run: async (t) => {
      const { child, late } = await Gate.orphaned(await t.open())
      const result = await child.read({ afterSeq: 1, waitMs: t.timeoutMs * 2 })
      Check.equal([...seqs(result), result["closed"] ?? null], [false], "chunks and closed")
      await late()
    },
  },
})
