/**
 * `process/read`: which chunks come back, and what nextSeq means. `process/read` with waitMs: what ends the wait,
 * and what does not. How much output is retained for `process/read` when a process has written more than fits.
 */
import { Check, Child, table, type CaseContext, type JsonObject, type Wire } from "../Vocabulary.ts"
import * as Gate from "./gate.ts"

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

/** A process that prints nothing until it reads a line. */
const silent = (wire: Wire, script = "read x"): Promise<Child.Child> =>
  Child.start(wire, { script, pipeStdin: true })

export const read = table("process/read", {
  "result-has-every-field": {
    spec: [93],
    says: `The result of a read has chunks, nextSeq, exited, exitCode, closed, failure (null) and
      sandboxDenied, also while the process runs.`,
    play: async (wire) => {
      const running = await silent(wire)
      const before = { chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false }
      Check.equal(
        await running.read(),
        { ...before, failure: null, sandboxDenied: false },
        "the result while it runs",
      )
      const child = await Child.start(wire, { script: "echo hi; read _; exit 3", pipeStdin: true })
      await child.says("hi")
      await child.write("\n")
      await child.ended()
      const after = {
        nextSeq: 4,
        exited: true,
        exitCode: 3,
        closed: true,
        failure: null,
        sandboxDenied: false,
      }
      const chunks = [{ seq: 1, stream: "stdout", chunk: "aGkK" }]
      Check.equal(await child.read(), { chunks, ...after }, "the result after closed")
    },
  },
  "unknown-process-refused": {
    spec: [101],
    says: "A read of an unknown process is refused with -32600 and the text unknown process id ID.",
    run: async (t) => {
      await (await t.open()).refused("process/read", { processId: "nope" }, -32600, "unknown process id nope")
    },
  },
  "missing-process-id-is-named": {
    spec: [8],
    says: "A read without processId is refused with -32602 and a message that names it.",
    run: async (t) => {
      const message = await (await t.open()).refused("process/read", {}, -32602)
      Check.contains(message, "processId", "the message")
    },
  },
  "bad-numbers-refused": {
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
    play: async (wire) => {
      const child = await Child.start(wire)
      for (const digits of ["1.0", "1e2", "18446744073709551616"]) {
        const params = `{"processId":"${child.id}","afterSeq":${digits}}`
        const { error } = await wire.exchange(`{"id":1,"method":"process/read","params":${params}}`)
        Check.equal(error?.code, -32602, `the code for afterSeq ${digits}`)
      }
    },
  },
  "null-numbers-are-absent": {
    says: "afterSeq, maxBytes and waitMs may be null.",
    run: async (t) => {
      const child = await Child.run(await t.open())
      Check.equal(
        (await child.read({ afterSeq: null, maxBytes: null, waitMs: null }))["nextSeq"],
        3,
        "nextSeq",
      )
    },
  },
  "largest-numbers-accepted": {
    spec: [103],
    says: "afterSeq, maxBytes and waitMs of 2^64-1 are accepted without overflow.",
    play: async (wire) => {
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
  // guards: one-buffer
  "same-chunks-as-notified": {
    spec: [110],
    says: "The chunks of a read have the seqs, streams and bytes of the notifications.",
    run: async (t) => {
      const child = await Child.start(await t.open(), {
        script: "echo a; sleep 0.05; echo b >&2; sleep 0.05; echo c",
      })
      const end = await child.ended()
      const notified = end.events
        .filter(({ kind }) => kind === "output")
        .sort((a, b) => a.seq - b.seq)
        .map(({ seq, params }) => ({ seq, stream: params["stream"], chunk: params["chunk"] }))
      Check.equal((await child.read())["chunks"], notified, "the chunks")
    },
  },
  "max-bytes-keeps-chunks-whole": {
    spec: [111],
    says: "Of chunks of 4, 6, 2 and 4 bytes maxBytes 0, 1, 9, 10, 12 and 16 return the first 1, 1, 1, 2, 3 and 4.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      for (const [maxBytes, count] of [
        [0, 1],
        [1, 1],
        [9, 1],
        [10, 2],
        [12, 3],
        [16, 4],
      ] as const) {
        Check.equal(seqs(await child.read({ maxBytes })).length, count, `chunks with maxBytes ${maxBytes}`)
      }
    },
  },
  "next-seq": {
    spec: [112],
    says: `nextSeq is the next unused seq; with maxBytes and at least one chunk it is one above the last
      chunk returned.`,
    run: async (t) => {
      const child = await fourChunks(await t.open())
      Check.equal((await child.read({ maxBytes: 10 }))["nextSeq"], 3, "after two chunks")
      Check.equal((await child.read({ maxBytes: 1000 }))["nextSeq"], 5, "after all chunks, with maxBytes")
      Check.equal((await child.read())["nextSeq"], 7, "without maxBytes")
      Check.equal((await child.read({ afterSeq: 4, maxBytes: 10 }))["nextSeq"], 7, "with nothing left")
    },
  },
  "paging-reaches-everything": {
    spec: [112],
    says: "Reading on with afterSeq = nextSeq - 1 and a small maxBytes gives every chunk once.",
    run: async (t) => {
      const child = await fourChunks(await t.open())
      const found: Array<number> = []
      for (let afterSeq = 0; found.length < 10;) {
        const result = await child.read({ afterSeq, maxBytes: 5 })
        if (seqs(result).length === 0) break
        found.push(...seqs(result))
        afterSeq = Check.integer(result["nextSeq"], "nextSeq") - 1
      }
      Check.equal(found, [1, 2, 3, 4], "the chunks of all pages")
    },
  },
  "between-exited-and-closed": {
    spec: [99],
    says: "Between exited and closed a read returns exited true, exitCode 3, closed false and nextSeq 3.",
    run: async (t) => {
      const { child, late } = await Gate.orphaned(await t.open())
      const result = await child.read()
      const { exited = null, exitCode = null, closed = null, nextSeq = null } = result
      Check.equal(
        { exited, exitCode, closed, nextSeq },
        { exited: true, exitCode: 3, closed: false, nextSeq: 3 },
        "the state",
      )
      await late()
    },
  },
})

/** A process that prints nothing until it reads a line. */
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
      Check.has(result, { exited: true, exitCode: 4 }, "exited and exitCode")
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

/** Of 3 MiB and three bytes of output, the last of at least so many bytes. */
const retains = async (t: CaseContext, least: number): Promise<void> => {
  const child = await Child.run(await t.open(), { script: "head -c 3145728 /dev/zero; printf END" })
  const bytes = Buffer.concat(Child.chunks(await child.read()).map((chunk) => chunk.bytes))
  Check.isTrue(bytes.length >= least, `only ${bytes.length} bytes are retained`)
  Check.equal(bytes.subarray(-3).toString(), "END", "the last bytes")
}

export const readRetained = table("process/read/retained", {
  // guards: ring
  "a-mebibyte-of-the-newest": {
    level: "should",
    spec: [138],
    says: `Of 3 MiB of output the newest whole chunks are retained, as many as fit in 1,048,576 bytes, or
      one more, without which there would be less.`,
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "head -c 3145728 /dev/zero" })
      const { events } = await child.ended()
      const outputs = events.filter(({ kind }) => kind === "output").sort((a, b) => a.seq - b.seq)
      const chunks = Child.chunks(await child.read())
      const total = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const last = outputs.slice(-chunks.length).map(({ seq }) => seq)
      Check.equal(
        chunks.map(({ seq }) => seq),
        last,
        "the seqs retained",
      )
      const evicted = outputs.at(-chunks.length - 1)
      const next = Buffer.from(Check.text(evicted?.params["chunk"], "the chunk before"), "base64").length
      const oldest = chunks[0]?.bytes.length ?? 0
      Check.isTrue(
        total - oldest < 1_048_576 && total + next > 1_048_576,
        `${total} bytes are retained, the oldest chunk has ${oldest}, the one before has ${next}`,
      )
    },
  },
  "a-million-bytes": {
    level: "should",
    spec: [138],
    says: "Of 3 MiB of output and 3 bytes at least the last 1,000,000 can be read afterwards.",
    run: (t) => retains(t, 1_000_000),
  },
  "at-least-the-tail": {
    spec: [138],
    says: "Of 3 MiB of output at least the last 512 KiB can be read afterwards.",
    run: (t) => retains(t, 524_288),
  },
  "chunks-of-8-kib": {
    level: "peer",
    spec: [138],
    says: "No chunk is larger than 8192 bytes.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { script: "head -c 3145728 /dev/zero" })
      const sizes = Child.chunks(await child.read()).map(({ bytes }) => bytes.length)
      Check.equal(Math.max(...sizes), 8192, "the size of the largest chunk")
    },
  },
  "at-most-50000-chunks": {
    level: "should",
    spec: [139],
    slow: true,
    transports: "stdio",
    says: "Of 50,100 chunks of one byte, each notified on its own, the newest 50,000 are retained.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
      for (let index = 0; index < 50_100; index++) {
        const wanted = wire.inbox.messages.length + 2
        void wire.begin("process/write", { processId: child.id, chunk: "eA==", writeId: `w${index}` })
        await wire.inbox.wait("the answer and the echo of a byte", t.timeoutMs, ({ messages }) =>
          messages.length >= wanted ? true : undefined,
        )
      }
      const chunks = Child.chunks(await child.read())
      Check.equal(
        [chunks[0]?.seq ?? 0, chunks.length],
        [101, 50_000],
        "the first seq and the number of chunks",
      )
    },
  },
})
