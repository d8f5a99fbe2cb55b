/**
 * How much output is retained for `process/read` when a process has written more than fits.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

export const readRetained = table("process/read/retained", {
  // guards: ring
  "a-mebibyte-of-the-newest": {
    level: "should",
    spec: [138],
    says:
      "Of 3 MiB of output the newest whole chunks are retained, as many as fit in 1,048,576 bytes, or one more, " +
      "without which there would be less.",
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
    run: async (t) => {
      const child = await Child.run(await t.open(), { script: "head -c 3145728 /dev/zero; printf END" })
      const bytes = Buffer.concat(Child.chunks(await child.read()).map((chunk) => chunk.bytes))
      Check.isTrue(bytes.length >= 1_000_000, `only ${bytes.length} bytes are retained`)
      Check.equal(bytes.subarray(-3).toString(), "END", "the last bytes")
    },
  },
  "at-least-the-tail": {
    spec: [138],
    says: "Of 3 MiB of output at least the last 512 KiB can be read afterwards.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { script: "head -c 3145728 /dev/zero; printf END" })
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
