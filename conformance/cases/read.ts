/**
 * `process/read`: which chunks come back, what nextSeq means, and how long it waits.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

/** A closed process with four chunks of 4, 6, 2 and 4 bytes on stdout: seq 1 to 4, exited and closed 5 and 6. */
const fourChunks = async (wire: Wire): Promise<Child.Child> => {
  const script = "printf aaaa; read x; printf bbbbbb; read x; printf cc; read x; printf dddd; read x"
  const child = await Child.start(wire, { script, pipeStdin: true })
  for (const part of ["aaaa", "bbbbbb", "cc", "dddd"]) {
    await child.says(part)
    await child.write("\n")
  }
  const end = await child.ended()
  Check.equal(end.closedSeq, 6, "the seq of closed after four chunks")
  return child
}

const seqs = (result: JsonObject): ReadonlyArray<number> => Child.chunks(result).map(({ seq }) => seq)

/** A process that stays alive and silent until it is told to go on. */
const silent = (wire: Wire, script = "read x"): Promise<Child.Child> =>
  Child.start(wire, { script, pipeStdin: true })

export const read = table("process/read", {
  "result-has-every-field": {
    level: "must",
    spec: [93],
    says: "The result of a read has chunks, nextSeq, exited, exitCode, closed, failure (null) and sandboxDenied, also while the process runs.",
    run: async (t) => {
      const wire = await t.open()
      const running = await silent(wire)
      const before = { chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false }
      Check.equal(await running.read(), { ...before, failure: null, sandboxDenied: false }, "the result while it runs")
      const child = await Child.start(wire, { script: "echo hi; sleep 0.1; exit 3" })
      await child.ended()
      const after = { nextSeq: 4, exited: true, exitCode: 3, closed: true, failure: null, sandboxDenied: false }
      const chunks = [{ seq: 1, stream: "stdout", chunk: "aGkK" }]
      Check.equal(await child.read(), { chunks, ...after }, "the result after closed")
    },
  },
  "unknown-process-refused": {
    level: "must",
    spec: [101],
    says: "A read of an unknown process is refused with -32600 and unknown process id ID.",
    run: async (t) => {
      await (await t.open()).refused("process/read", { processId: "nope" }, -32600, "unknown process id nope")
    },
  },
  "missing-process-id-is-named": {
    level: "must",
    spec: [8],
    says: "A read without processId is refused with -32602 and a message that names it.",
    run: async (t) => {
      const message = await (await t.open()).refused("process/read", {}, -32602)
      Check.contains(message, "processId", "the message")
    },
  },
  "bad-numbers-refused": {
    level: "must",
    spec: [102],
    says: "afterSeq, maxBytes and waitMs that are negative, fractions or texts are refused with -32602.",
    run: async (t) => {
      const child = await Child.start(await t.open())
      for (const field of ["afterSeq", "maxBytes", "waitMs"]) {
        for (const value of [-1, 1.5, "1", true, []]) {
          await child.wire.refused("process/read", { processId: child.id, [field]: value }, -32602)
        }
      }
    },
  },
  "numbers-written-as-float-refused": {
    level: "should",
    spec: [102],
    says: "afterSeq written as 1.0, 1e2 or 2^64 is refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      const child = await Child.start(wire)
      for (const digits of ["1.0", "1e2", "18446744073709551616"]) {
        const params = `{"processId":"${child.id}","afterSeq":${digits}}`
        const { error } = await wire.exchange(`{"id":1,"method":"process/read","params":${params}}`)
        Check.equal(error?.code ?? null, -32602, `the code for afterSeq ${digits}`)
      }
    },
  },
  "null-numbers-are-absent": {
    level: "must",
    spec: [],
    says: "afterSeq, maxBytes and waitMs may be null.",
    run: async (t) => {
      const child = await Child.start(await t.open())
      await child.ended()
      Check.equal((await child.read({ afterSeq: null, maxBytes: null, waitMs: null }))["nextSeq"], 3, "nextSeq")
    },
  },
  "largest-numbers-accepted": {
    level: "must",
    spec: [103],
    says: "afterSeq, maxBytes and waitMs of 2^64-1 are accepted and overflow nowhere.",
    run: async (t) => {
      const wire = await t.open()
      const child = await fourChunks(wire)
      const all = "18446744073709551615"
      const ask = async (rest: string) => {
        const params = `{"processId":"${child.id}",${rest}}`
        const { result } = await wire.exchange(`{"id":1,"method":"process/read","params":${params}}`)
        return Check.object(result, `the result with ${rest}`)
      }
      Check.equal(seqs(await ask(`"maxBytes":${all}`)), [1, 2, 3, 4], "chunks with the largest maxBytes")
      Check.equal(seqs(await ask(`"waitMs":${all}`)), [1, 2, 3, 4], "chunks with the largest waitMs")
      Check.equal(seqs(await ask(`"afterSeq":${all},"waitMs":${all}`)), [], "chunks after the largest seq")
    },
  },
  "after-seq-skips-older": {
    level: "must",
    spec: [110],
    says: "A read with afterSeq N returns exactly the chunks above N, oldest first; reading consumes nothing.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      for (let afterSeq = 0; afterSeq <= 6; afterSeq++) {
        const wanted = [1, 2, 3, 4].filter((seq) => seq > afterSeq)
        Check.equal(seqs(await child.read({ afterSeq })), wanted, `chunks after ${afterSeq}`)
      }
      const [first, second] = [await child.read(), await child.read()]
      Check.equal(first, second, "the same read, a second time")
      const text = Buffer.concat(Child.chunks(first).map(({ bytes }) => bytes)).toString()
      Check.equal(text, "aaaabbbbbbccdddd", "the bytes read")
    },
  },
  "same-chunks-as-notified": {
    level: "must",
    spec: [110],
    says: "The chunks of a read have the seqs, streams and bytes of the notifications.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "echo a; sleep 0.05; echo b >&2; sleep 0.05; echo c" })
      const end = await child.ended()
      const notified = end.events
        .filter(({ kind }) => kind === "output")
        .sort((a, b) => a.seq - b.seq)
        .map(({ seq, params }) => ({ seq, stream: params["stream"], chunk: params["chunk"] }))
      Check.equal((await child.read())["chunks"], notified, "the chunks")
    },
  },
  "max-bytes-keeps-chunks-whole": {
    level: "must",
    spec: [111],
    says: "Of chunks of 4, 6, 2 and 4 bytes maxBytes 0, 1, 9, 10, 12 and 16 return the first 1, 1, 1, 2, 3 and 4.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      for (const [maxBytes, count] of [[0, 1], [1, 1], [9, 1], [10, 2], [12, 3], [16, 4]] as const) {
        Check.equal(seqs(await child.read({ maxBytes })).length, count, `chunks with maxBytes ${maxBytes}`)
      }
    },
  },
  "next-seq": {
    level: "must",
    spec: [112],
    says: "nextSeq is the next unused seq; with maxBytes and at least one chunk it is one above the last chunk returned.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      Check.equal((await child.read({ maxBytes: 10 }))["nextSeq"], 3, "after two chunks")
      Check.equal((await child.read({ maxBytes: 1000 }))["nextSeq"], 5, "after all chunks, with maxBytes")
      Check.equal((await child.read())["nextSeq"], 7, "without maxBytes")
      Check.equal((await child.read({ afterSeq: 4, maxBytes: 10 }))["nextSeq"], 7, "with nothing left")
    },
  },
  "paging-reaches-everything": {
    level: "must",
    spec: [112],
    says: "Reading on with afterSeq = nextSeq - 1 and a small maxBytes gives every chunk once.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      const found: Array<number> = []
      for (let afterSeq = 0; found.length < 10; ) {
        const result = await child.read({ afterSeq, maxBytes: 5 })
        if (seqs(result).length === 0) break
        found.push(...seqs(result))
        afterSeq = Check.integer(result["nextSeq"], "nextSeq") - 1
      }
      Check.equal(found, [1, 2, 3, 4], "the chunks of all pages")
    },
  },
  "without-wait-returns-at-once": {
    level: "must",
    spec: [104],
    says: "A read without waitMs, or with 0, of a silent process returns at once, empty.",
    run: async (t) => {
      const child = await silent(await t.open())
      for (const waitMs of [0, null]) {
        const result = await child.read({ waitMs })
        Check.equal([...seqs(result), result["nextSeq"] ?? null], [1], "chunks and nextSeq")
      }
    },
  },
  "wait-ends-empty": {
    level: "must",
    spec: [105],
    says: "A read with waitMs 300 of a silent process returns empty, and not before that time.",
    run: async (t) => {
      const child = await silent(await t.open())
      const began = performance.now()
      const result = await child.read({ waitMs: 300 })
      const took = performance.now() - began
      Check.equal(seqs(result), [], "chunks")
      Check.isTrue(took >= 295, `it returned after ${Math.round(took)} ms`)
    },
  },
  "output-wakes": {
    level: "must",
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
    level: "must",
    spec: [107],
    says: "A waiting read returns when the process ends without output.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 0.3; exit 4" })
      const result = await child.read({ waitMs: t.timeoutMs * 2 })
      Check.equal([result["exited"] ?? null, result["exitCode"] ?? null], [true, 4], "exited and exitCode")
    },
  },
  "old-output-does-not-wake": {
    level: "must",
    spec: [108],
    says: "A waiting read with afterSeq 50 is not ended by output with a lower seq, only by closed.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 0.2; echo a; sleep 0.2; echo b; sleep 0.3" })
      const result = await child.read({ afterSeq: 50, waitMs: t.timeoutMs * 2 })
      Check.equal(result["closed"], true, "closed")
      Check.equal(seqs(result), [], "chunks")
    },
  },
  "closed-returns-at-once": {
    level: "must",
    spec: [109],
    says: "A read of a closed process never waits, whatever afterSeq and waitMs are.",
    run: async (t) => {
      const child = await Child.start(await t.open())
      await child.ended()
      const result = await child.read({ afterSeq: 99, waitMs: t.timeoutMs * 2 })
      Check.equal([...seqs(result), result["closed"] ?? null], [true], "chunks and closed")
    },
  },
  "between-exited-and-closed": {
    level: "must",
    spec: [99],
    says: "Between exited and closed a read tells exited true, exitCode 3, closed false and nextSeq 3.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "(sleep 1.2; echo LATE) & echo early; sleep 0.2; exit 3" })
      await child.exited()
      const result = await child.read()
      const { exited = null, exitCode = null, closed = null, nextSeq = null } = result
      Check.equal({ exited, exitCode, closed, nextSeq }, { exited: true, exitCode: 3, closed: false, nextSeq: 3 }, "the state")
    },
  },
  "waits-past-exit": {
    level: "must",
    spec: [100],
    says: "After exited, a waiting read from the last seq on returns with the late output, not at once.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "(sleep 0.9; echo LATE) & echo early; sleep 0.2; exit 3" })
      await child.exited()
      const result = await child.read({ afterSeq: 2, waitMs: t.timeoutMs * 2 })
      Check.equal(seqs(result), [3], "chunks")
    },
  },
  "exit-event-returns-at-once": {
    level: "should",
    spec: [],
    says: "After exited, a waiting read from before the exit event returns at once, even without chunks.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "sleep 5 & echo early; sleep 0.2; exit 3" })
      await child.exited()
      const result = await child.read({ afterSeq: 1, waitMs: t.timeoutMs * 2 })
      Check.equal([...seqs(result), result["closed"] ?? null], [false], "chunks and closed")
    },
  },
})

export const ring = table("process/read/retained", {
  "a-mebibyte-of-the-newest": {
    level: "should",
    spec: [138],
    says: "Of 3 MiB the newest whole chunks are retained, as many as fit in 1,048,576 bytes.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "head -c 3145728 /dev/zero" })
      const { events } = await child.ended()
      const outputs = events.filter(({ kind }) => kind === "output").sort((a, b) => a.seq - b.seq)
      const chunks = Child.chunks(await child.read())
      const total = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const last = outputs.slice(-chunks.length).map(({ seq }) => seq)
      Check.equal(chunks.map(({ seq }) => seq), last, "the seqs retained")
      const evicted = outputs.at(-chunks.length - 1)
      const next = Buffer.from(Check.text(evicted?.params["chunk"], "the chunk before"), "base64").length
      Check.isTrue(total <= 1_048_576 && total + next > 1_048_576, `${total} bytes are retained, the chunk before has ${next}`)
    },
  },
  "at-least-the-tail": {
    level: "must",
    spec: [138],
    says: "Of 3 MiB at least the last 512 KiB can be read afterwards.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "head -c 3145728 /dev/zero; printf END" })
      await child.ended()
      const bytes = Buffer.concat(Child.chunks(await child.read()).map((chunk) => chunk.bytes))
      Check.isTrue(bytes.length >= 524_288, `only ${bytes.length} bytes are retained`)
      Check.equal(bytes.subarray(-3).toString(), "END", "the last bytes")
    },
  },
  "chunks-of-8-kib": {
    level: "peer",
    spec: [138],
    says: "No chunk is larger than 8192 bytes.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "head -c 3145728 /dev/zero" })
      await child.ended()
      const sizes = Child.chunks(await child.read()).map(({ bytes }) => bytes.length)
      Check.equal(Math.max(...sizes), 8192, "the size of the largest chunk")
    },
  },
})
