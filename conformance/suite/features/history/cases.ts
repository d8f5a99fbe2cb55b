/**
 * An extension that a server may announce as `outputHistory` in `environmentInfo.capabilities`: `history` of
 * `process/start` keeps what a process prints, `process/history` gives any part of it, and `process/grep` lines of it.
 */
import { Check, Child, table, type Json, type JsonObject } from "../../Vocabulary.ts"

const kept = { requires: ["output-history"] } as const

const mebibyte = 1024 * 1024

const begin = (
  wire: Child.Child["wire"],
  script: string,
  history: JsonObject = { maxBytes: 64 * mebibyte },
): Promise<Child.Child> => Child.start(wire, { script, params: { history } })

const history = (child: Child.Child, params: JsonObject = {}): Promise<JsonObject> =>
  child.wire.ok("process/history", { processId: child.id, ...params })

const grep = (child: Child.Child, pattern: string, params: JsonObject = {}): Promise<JsonObject> =>
  child.wire.ok("process/grep", { processId: child.id, pattern, ...params })

const textOf = (answer: JsonObject): string =>
  Child.chunks(answer)
    .map(({ bytes }) => bytes.toString())
    .join("")

/** Everything from `from` on, page by page. */
const whole = async (child: Child.Child, from = 0): Promise<string> => {
  let text = ""
  for (let byte = from; ;) {
    const page = await history(child, { from: { byte }, maxBytes: 4 * mebibyte })
    text += textOf(page)
    byte = Check.integer(page["nextByte"], "nextByte")
    if (page["eof"] === true) return text
  }
}

const matches = (answer: JsonObject): ReadonlyArray<JsonObject> =>
  Check.list(answer["matches"], "matches").map((match) => Check.object(match, "a match"))

/** Three megabytes of numbered lines, more than a server keeps by itself. */
const numbers = "seq 100001 500000"
const lineOf = (n: number): string => `${100_000 + n}\n`
const lines = 400_000

export const outputHistory = table("process/history", kept, {
  "keeps-everything": {
    says: `With history of process/start everything that was printed can be had again, page by page, and
      process/read has it from the first seq on.`,
    play: async (wire) => {
      const child = await begin(wire, numbers)
      await child.exited()
      await child.ended()
      const wanted = Array.from({ length: lines }, (_, n) => lineOf(n + 1)).join("")
      Check.isTrue((await whole(child)) === wanted, "the pages are what was printed")
      const { chunks } = await child.read({ afterSeq: 0, maxBytes: 1000 })
      Check.equal(Child.chunks({ chunks: chunks ?? null })[0]?.seq, 1, "the first seq of process/read")
    },
  },
  "has-the-seqs-of-the-output": {
    says: "Chunks of process/history have the seq, the stream and the bytes of the notifications, in their order.",
    play: async (wire) => {
      const child = await begin(wire, "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done")
      const { events } = await child.ended()
      const wanted = events
        .filter(({ kind }) => kind === "output")
        .sort((a, b) => a.seq - b.seq)
        .map(({ seq, params }) => ({ seq, stream: params["stream"] ?? null, chunk: params["chunk"] ?? null }))
      Check.equal((await history(child))["chunks"] ?? null, wanted, "the chunks")
      const { seq } = wanted[1] ?? { seq: 0 }
      const answer = await history(child, { from: { seq }, to: { seq: seq + 1 } })
      Check.equal(answer["chunks"] ?? null, wanted.slice(1, 2), "the chunk of one seq")
    },
  },
  "has-times-and-sizes": {
    says: `With times: true each chunk has its time in milliseconds since 1970, none before that of the one
      before; without it there are none. Chunks of pipes have no sizes.`,
    play: async (wire) => {
      const child = await Child.start(wire, {
        script: "echo one; read line; echo two",
        pipeStdin: true,
        params: { history: { maxBytes: mebibyte } },
      })
      await child.says("one")
      const before = Number(Check.list((await history(child, { times: true }))["times"] ?? null, "times")[0])
      await child.write("\n")
      await child.ended()
      const { chunks, times, ...rest } = await history(child, { times: true })
      const all = Check.list(times ?? null, "times").map((time) => Check.integer(time, "a time"))
      Check.equal(all.length, Check.list(chunks, "chunks").length, "the number of times")
      Check.equal(all[0] ?? null, before, "the time of the first chunk")
      Check.isTrue(
        all.every((time, index) => time >= (all[index - 1] ?? 1_600_000_000_000)),
        "times are milliseconds since 1970, in order",
      )
      Check.equal(rest["sizes"] ?? null, null, "sizes")
      Check.equal((await history(child))["times"] ?? null, null, "times that were not asked for")
    },
  },
  "has-the-sizes-of-a-terminal": {
    requires: ["output-history", "process-resize", "pty"],
    says: "With times: true chunks of a PTY have sizes: that of the first chunk, and each later one after its seq.",
    play: async (wire) => {
      const child = await Child.start(wire, {
        script: "stty -echo; printf 1@; read line; printf 2@; sleep 600",
        tty: true,
        params: { history: { maxBytes: mebibyte } },
      })
      await child.says("1@")
      const before = child.events().length
      await wire.ok("process/resize", { processId: child.id, rows: 5, columns: 20 })
      await child.write("\n")
      await child.says("2@")
      const { sizes } = await history(child, { times: true })
      const [first, second, ...others] = Check.list(sizes ?? null, "sizes")
      Check.equal(first, { afterSeq: 0, rows: 24, columns: 80 }, "the first size")
      Check.equal(second, { afterSeq: before, rows: 5, columns: 20 }, "the second size")
      Check.equal(others.length, 0, "further sizes")
      const later = await history(child, { times: true, from: { seq: before + 1 } })
      Check.equal(later["sizes"], [second ?? null], "the sizes of what follows")
    },
  },
  "begins-and-ends-anywhere": {
    says: `from and to are a byte (from 0), a line (from 1) or a time; the part begins exactly there and
      ends in front of to or after maxBytes. byte and line tell where it begins, nextByte where to go on,
      eof whether something follows.`,
    play: async (wire) => {
      const child = await begin(wire, numbers)
      await child.ended()
      const part = await history(child, { from: { line: 250_000 }, to: { line: 250_002 } })
      Check.equal(textOf(part), lineOf(250_000) + lineOf(250_001), "two lines")
      const { byte, line, nextByte, eof, closed } = part
      Check.equal(
        [byte ?? null, line ?? null, nextByte ?? null, eof ?? null, closed ?? null],
        [7 * 249_999, 250_000, 7 * 250_001, true, true],
        "where they are",
      )
      const cut = await history(child, { from: { byte: 7 * 1000 + 3 }, maxBytes: 5 })
      Check.equal([textOf(cut), cut["line"] ?? null], ["001\n1", 1001], "five bytes")
      Check.has(cut, { nextByte: 7008, eof: false }, "where to go on")
      Check.equal(textOf(await history(child, { from: { time: 0 }, maxBytes: 7 })), lineOf(1), "since 1970")
      const later = await history(child, { from: { time: 9_000_000_000_000 } })
      Check.equal([textOf(later), later["eof"] ?? null], ["", true], "a time to come")
    },
  },
  "gives-the-last-lines": {
    says: "tail gives the last lines, so many; what is behind the last end of a line is one.",
    play: async (wire) => {
      const child = await begin(wire, "printf 'one\\ntwo\\nthree\\nfour'; sleep 600")
      await child.says("four")
      Check.equal(textOf(await history(child, { tail: 2 })), "three\nfour", "of an open line")
      const closed = await begin(wire, "printf 'one\\ntwo\\nthree\\n'")
      await closed.ended()
      Check.equal(textOf(await history(closed, { tail: 2 })), "two\nthree\n", "of ended lines")
      Check.equal(textOf(await history(closed, { tail: 9 })), "one\ntwo\nthree\n", "of more than there are")
    },
  },
  "stays-within-its-bytes": {
    says: `A history keeps at most maxBytes: the oldest output goes first, the rest stays as it was, and a
      part whose begin is gone begins at the oldest that is kept.`,
    play: async (wire) => {
      const child = await begin(wire, numbers, { maxBytes: mebibyte })
      await child.ended()
      const first = await history(child, { maxBytes: 1 })
      const byte = Check.integer(first["byte"], "byte")
      const size = 7 * lines - byte
      Check.isTrue(size <= mebibyte, `at most a mebibyte is kept: ${size} bytes are`)
      Check.isTrue(size >= mebibyte / 2, `most of a mebibyte is kept: ${size} bytes are`)
      Check.equal(first["line"] ?? null, Math.floor(byte / 7) + 1, "the line of the oldest byte")
      const wanted = Array.from({ length: lines }, (_, n) => lineOf(n + 1)).join("")
      Check.isTrue((await whole(child)) === wanted.slice(byte), "what is kept is as it was printed")
    },
  },
  "refuses-what-it-cannot-mean": {
    says: `Points with none or several members, line 0, tail beside from, a history of less than a mebibyte:
      -32602. A process without a history, or none of that id: -32600.`,
    play: async (wire) => {
      const child = await begin(wire, "echo")
      const processId = child.id
      for (const wrong of [
        { from: {} },
        { from: { byte: 1, line: 1 } },
        { to: { line: 0 } },
        { tail: 1, from: { byte: 0 } },
        { from: { byte: -1 } },
      ] as ReadonlyArray<JsonObject>) {
        await wire.refused("process/history", { processId, ...wrong }, -32602)
      }
      const start = Child.params(wire, { script: ":", params: { history: { maxBytes: mebibyte - 1 } } })
      await wire.refused("process/start", start, -32602)
      await wire.refused("process/history", { processId: "nobody" }, -32600)
      await wire.refused("process/grep", { processId: "nobody", pattern: "x" }, -32600)
      const plain = await Child.start(wire, { script: "sleep 600" })
      await wire.refused("process/history", { processId: plain.id }, -32600)
      await wire.refused("process/grep", { processId: plain.id, pattern: "x" }, -32600)
    },
  },
})

export const outputGrep = table("process/grep", kept, {
  "finds-lines": {
    says: `process/grep gives each line with a match: its number from 1, the byte where it begins, the seq
      of that byte and its text; complete is true when everything was looked at.`,
    play: async (wire) => {
      const child = await begin(wire, `${numbers}; echo done`)
      await child.ended()
      const answer = await grep(child, "^[12]00007$")
      const found = matches(answer)
      Check.equal(
        found.map(({ line, byte, text }) => [line ?? null, byte ?? null, text ?? null]),
        [
          [7, 42, "100007"],
          [100_007, 700_042, "200007"],
        ],
        "the matches",
      )
      for (const { seq, byte } of found) {
        const [chunk] = Child.chunks(await history(child, { from: { byte: byte ?? null }, maxBytes: 1 }))
        Check.equal(seq ?? null, chunk?.seq ?? null, "the seq of a match")
      }
      Check.equal(answer["complete"], true, "complete")
      Check.equal(matches(await grep(child, "DONE", { flags: "i" })).length, 1, "with the flag i")
      Check.equal(matches(await grep(child, "[0-9]", { flags: "l" })).length, 0, "with the flag l")
    },
  },
  "gives-pages": {
    says: "An answer has at most maxMatches; from {byte: nextByte} gives the next ones, until complete is true.",
    play: async (wire) => {
      const child = await begin(wire, numbers)
      await child.ended()
      const found: Array<Json> = []
      let byte = 0
      for (;;) {
        const page = await grep(child, "0000$", { from: { byte }, maxMatches: 7 })
        found.push(...matches(page).map(({ text }) => text ?? null))
        byte = Check.integer(page["nextByte"], "nextByte")
        if (page["complete"] === true) break
        Check.equal(matches(page).length, 7, "matches of a page")
      }
      const wanted = Array.from({ length: 40 }, (_, n) => String(110_000 + n * 10_000))
      Check.equal(found, wanted, "all matches")
    },
  },
  "gives-the-lines-around": {
    says: "before and after give so many lines before and behind each match, as far as there are any.",
    play: async (wire) => {
      const child = await begin(wire, "printf 'a\\nb\\nhit 1\\nc\\nhit 2\\n'")
      await child.ended()
      const found = matches(await grep(child, "hit", { before: 1, after: 2 }))
      Check.equal(
        found.map(({ before, after }) => [before ?? null, after ?? null]),
        [
          [["b"], ["c", "hit 2"]],
          [["c"], []],
        ],
        "the lines around",
      )
    },
  },
  "matches-within-a-line": {
    says: "No match reaches over the end of a line, and ^ and $ are the edges of lines.",
    play: async (wire) => {
      const child = await begin(wire, "printf 'one two\\nthree\\n\\n'")
      await child.ended()
      for (const [pattern, wanted] of [
        ["^three$", [2]],
        ["two\\s+three", []],
        ["^$", [3]],
        ["o$", [1]],
      ] as const) {
        const found = matches(await grep(child, pattern)).map(({ line }) => line ?? null)
        Check.equal(found, wanted, `the lines of ${pattern}`)
      }
    },
  },
})
