// History, Reading and Recovery: what a process prints, in files, from end to end over a disk in memory.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../../testing/Effects.ts"
import { Process } from "../../process/Process.ts"
import { toPool } from "./Batch.ts"
import { Budget } from "./Budget.ts"
import { History, type Services } from "./History.ts"
import * as Lines from "../../pattern/Lines.ts"
import * as MemoryFiles from "./MemoryFiles.ts"
import * as Reading from "./Reading.ts"
import * as Records from "./Records.ts"
import * as Recovery from "./Recovery.ts"
import { held, SegmentReader } from "./Reading.ts"
import { Segments } from "./Segments.ts"
import { leastBytes } from "./wire.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (chunks: ReadonlyArray<{ readonly bytes: Uint8Array }>) =>
  chunks.map(({ bytes }) => new TextDecoder().decode(bytes)).join("")

/** A process with a small ring and a history without other readers. */
const begin = (options: MemoryFiles.Options = {}, maxBytes = leastBytes, limit = Infinity) =>
  Effect.gen(function* () {
    const files = MemoryFiles.make(options)
    const services: Services = {
      files,
      budget: new Budget(limit),
      memory: toPool(),
      clock: yield* Clock.Clock,
    }
    const more = yield* beginIn(services, maxBytes)
    return { files, services, ...more }
  })

const beginIn = (services: Services, maxBytes = leastBytes) =>
  Effect.gen(function* () {
    const stdio = { kind: "pipe", stdin: false } as const
    const process = new Process("p", { stdio }, { bytes: 65_536, chunks: 100 })
    const history = new History(services, maxBytes)
    const session = yield* Scope.make()
    const life = yield* Effect.forkIn(history.life(process, session), session)
    yield* history.isOpen
    process.release()
    const print = (text: string, stream: "stdout" | "stderr" = "stdout") =>
      process.events.output(stream, encode(text))
    const whole = Effect.gen(function* () {
      yield* history.written(process.log.nextSeq() - 1)
      return yield* Reading.read(history, 0, Infinity, Infinity)
    })
    return { process, history, life, print, whole, end: Scope.close(session, Exit.void) }
  })

describe("Lines", () => {
  it("counts the ends of lines at every offset and length", () => {
    const bytes = encode("\n\nab\n\u008a\nxyz\r\n\n\n\n0123456789\n".repeat(200))
    for (let from = 0; from < 9; from++) {
      for (const to of [from, from + 1, from + 5, 300, 1500, bytes.length]) {
        const part = bytes.subarray(from, to)
        expect(Lines.count(part)).toBe(part.filter((byte) => byte === 10).length)
      }
    }
    expect(Lines.count(new Uint8Array(5000).fill(10))).toBe(5000)
  })

  it("finds the place behind an end of a line", () => {
    expect([0, 1, 2, 3].map((n) => Lines.behind(encode("a\n\nb"), n))).toEqual([0, 2, 3, undefined])
  })
})

describe("Records", () => {
  const record = {
    seq: 2 ** 40,
    byte: 2 ** 52,
    line: 7,
    time: 1.5e12,
    length: 65_536,
    stream: "pty",
  } as const

  it("reads what was written, and nothing that is torn", () => {
    const bytes = new Uint8Array(Records.recordBytes)
    expect(Records.read(bytes, 0)).toBeUndefined()
    Records.write(bytes, 0, record)
    expect(Records.read(bytes, 0)).toEqual(record)
    expect(Records.read(bytes.subarray(0, 39), 0)).toBeUndefined()
    for (let at = 0; at < bytes.length; at++) {
      const torn = bytes.slice()
      torn[at] = (torn[at] ?? 0) ^ 4
      expect(Records.read(torn, 0)).toBeUndefined()
    }
  })
})

describe("History", () => {
  it(
    "has everything that was printed, with the seqs of the log, when the log has it no longer",
    effect(function* () {
      const { process, print, whole, history } = yield* begin()
      let all = ""
      for (let n = 1; n <= 3000; n++) {
        const text = `line ${n} ${"x".repeat(n % 50)}\n`
        print(text, n % 3 === 0 ? "stderr" : "stdout")
        all += text
        if (n % 100 === 0) yield* settle
      }
      const { chunks, byte, line, nextByte } = yield* whole
      expect(decode(chunks)).toBe(all)
      expect(chunks.map(({ seq }) => seq)).toEqual(Array.from({ length: 3000 }, (_, n) => n + 1))
      expect(chunks.map(({ stream }) => stream).slice(0, 3)).toEqual(["stdout", "stdout", "stderr"])
      expect([byte, line, nextByte]).toEqual([0, 1, all.length])
      expect(history.end).toEqual({ byte: all.length, line: 3000 })
      expect(process.log.after(0)?.seq).toBeGreaterThan(1)
    }),
  )

  it(
    "finds a seq, a byte, a line and a time, also where a segment ends",
    effect(function* () {
      const { print, whole, history } = yield* begin()
      const lines = Array.from({ length: 5000 }, (_, n) => `${n + 1}\n${n % 7 === 0 ? "no end " : ""}`)
      for (const [n, text] of lines.entries()) {
        print(text)
        if (n % 500 === 0) yield* history.written(n + 1)
      }
      yield* whole
      expect(history.kept.length).toBeGreaterThan(1)
      const all = lines.join("")
      const ends = [...all.matchAll(/\n/g)].map(({ index }) => index + 1)
      const edges = history.kept.flatMap(({ first }) => [first.seq - 1, first.seq, first.seq + 1])
      for (const n of [1, 2, 8, 4999, 5000, ...edges.filter((n) => n > 0 && n <= 5000)]) {
        const byte = lines.slice(0, n - 1).join("").length
        expect(yield* Reading.placeOf(history, { kind: "seq", at: n })).toBe(byte)
        expect(yield* Reading.placeOf(history, { kind: "byte", at: byte + 1 })).toBe(byte + 1)
        const start = n === 1 ? 0 : ends[n - 2]
        expect(yield* Reading.placeOf(history, { kind: "line", at: n })).toBe(start)
        const part = yield* Reading.read(history, byte, byte + 9, 9)
        expect([decode(part.chunks), part.byte]).toEqual([all.slice(byte, byte + 9), byte])
        expect(part.line).toBe(ends.filter((end) => end <= byte).length + 1)
      }
      expect(yield* Reading.placeOf(history, { kind: "line", at: 6000 })).toBe(all.length)
      expect(yield* Reading.placeOf(history, { kind: "seq", at: 5001 })).toBe(all.length)
      expect(yield* Reading.placeOf(history, { kind: "time", at: 0 })).toBe(0)
      expect(yield* Reading.placeOf(history, { kind: "time", at: 1 })).toBe(all.length)
    }),
  )

  it(
    "stays within its bytes: the oldest segment goes first, and reads begin at what is kept",
    effect(function* () {
      const { print, whole, history, files } = yield* begin()
      const text = `${"y".repeat(999)}\n`
      for (let n = 0; n < 4000; n++) {
        print(text)
        if (n % 60 === 0) yield* settle
        expect(files.size()).toBeLessThanOrEqual(leastBytes)
      }
      const { chunks, byte, line, nextByte } = yield* whole
      expect(nextByte).toBe(4_000_000)
      expect(byte).toBe(history.kept[0]?.first.byte)
      expect(nextByte - byte).toBeGreaterThan(leastBytes / 2)
      expect(line).toBe(byte / 1000 + 1)
      expect(decode(chunks)).toBe(text.repeat((nextByte - byte) / 1000))
      expect(yield* Reading.placeOf(history, { kind: "line", at: 3 })).toBe(byte)
    }),
  )

  it(
    "is written over its oldest segment, but not while somebody reads that",
    effect(function* () {
      const { print, history, files } = yield* begin()
      const text = (n: number) => `${String(n).padStart(9, "0")}\n`.repeat(3000)
      const printing = function* (from: number, to: number) {
        for (let n = from; n < to; n++) {
          print(text(n))
          yield* settle
          expect(files.size()).toBeLessThanOrEqual(leastBytes)
        }
        yield* history.written(to)
      }
      const [created, renamed] = [new Set<string>(), new Set<string>()]
      const { folder } = history
      const spied = folder as {
        -readonly [Name in keyof NonNullable<typeof folder>]: NonNullable<typeof folder>[Name]
      }
      const { create, reuse } = spied
      spied.create = (name) =>
        Effect.andThen(
          Effect.sync(() => created.add(name)),
          create(name),
        )
      spied.reuse = (name, as) =>
        Effect.andThen(
          Effect.sync(() => renamed.add(as)),
          reuse(name, as),
        )
      yield* printing(0, 60)
      expect([...renamed].every((name) => name.endsWith(".out") && !created.has(name))).toBe(true)
      expect(renamed.size).toBeGreaterThan(3)
      const [before, [taken]] = [renamed.size, history.kept]
      yield* Effect.scoped(
        Effect.gen(function* () {
          const [oldest] = history.kept
          if (folder === undefined || oldest === undefined) throw new Error("nothing is kept")
          const reader = yield* SegmentReader.open(folder, oldest)
          const begin = oldest.first.byte
          yield* printing(60, 120)
          expect(history.kept[0]?.first.byte).toBeGreaterThan(begin + oldest.bytes)
          const bytes = yield* reader.bytes(begin, reader.endByte)
          expect(new TextDecoder().decode(bytes).startsWith(text(begin / 30_000))).toBe(true)
          expect(renamed.size).toBeGreaterThan(before)
        }),
      )
      const [next] = history.kept
      yield* printing(120, 130)
      if (taken === undefined || next === undefined) throw new Error("nothing is kept")
      const found = yield* Effect.all([taken, next].map((one) => Effect.exit(Effect.scoped(held(one)))))
      // Segments without a reader are written over; what was removed is still as it was to those who have it open.
      expect(found.map(Exit.isSuccess)).toEqual([true, false])
    }),
  )

  it(
    "stays within the bytes of all histories: the oldest segment of all goes",
    effect(function* () {
      const { files, services, ...first } = yield* begin({}, 100 * leastBytes, 2 * leastBytes)
      const second = yield* beginIn(services, 100 * leastBytes)
      const text = "z".repeat(60_000)
      for (const each of [first, second]) {
        for (let n = 0; n < 30; n++) {
          each.print(text)
          yield* settle
        }
        yield* each.whole
      }
      expect(services.budget.total).toBeLessThanOrEqual(2 * leastBytes)
      expect(files.size()).toBe(services.budget.total)
      expect(first.history.kept.length).toBeLessThan(second.history.kept.length)
      const { byte, nextByte } = yield* second.whole
      expect([byte, nextByte]).toEqual([0, 30 * 60_000])
    }),
  )

  it(
    "takes a batch ahead of a slow disk, and leaves the rest in the log",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { print, process, whole } = yield* begin({ beforeWrite: Deferred.await(gate) }, 64 * leastBytes)
      for (let n = 0; n < 40; n++) {
        print("s".repeat(65_536))
        yield* settle
      }
      // Three quarters of a batch are being written, and a batch of 1 MiB is filled.
      expect(process.log.unread()).toBe((40 - 12 - 16) * 65_536)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* whole).nextByte).toBe(40 * 65_536)
      expect(process.log.unread()).toBe(0)
    }),
  )

  it(
    "keeps the newest on a full disk, whole, and tells what that has taken",
    effect(function* () {
      const { print, whole, history, files } = yield* begin({ capacity: () => 1_000_000 }, 64 * leastBytes)
      for (let n = 1; n <= 102; n++) {
        print(`${String(n).padStart(49_999, "f")}\n`)
        yield* settle
        if (n % 3 > 0) continue
        const { byte, line, nextByte, chunks } = yield* whole
        expect([nextByte, chunks.at(-1)?.seq, line]).toEqual([n * 50_000, n, byte / 50_000 + 1])
        expect(history.lost?.bytes ?? 0).toBe(byte)
        if (n > 20) expect(nextByte - byte).toBeGreaterThan(600_000)
        expect(files.size()).toBeLessThanOrEqual(1_000_000)
      }
      expect([history.ended, history.lost?.message]).toEqual([undefined, "no space left on device"])
      const recovered = yield* Recovery.recover(files.left(history.folder?.name ?? ""))
      expect([recovered.cutBytes, recovered.end.byte]).toEqual([0, 5_100_000])
    }),
  )

  it(
    "loses what finds no room at all, and goes on where there is some again",
    effect(function* () {
      let room = 0
      const { print, whole, history, process } = yield* begin({ capacity: () => room })
      for (let n = 0; n < 20; n++) {
        print(`${String(n).padStart(49_999, "f")}\n`)
        yield* settle
      }
      expect(yield* whole).toMatchObject({ byte: 1_000_000, nextByte: 1_000_000, chunks: [], line: 21 })
      expect(history.lost?.bytes).toBe(1_000_000)
      room = Infinity
      print("there is room\n")
      const { byte, line, chunks } = yield* whole
      expect([byte, line, decode(chunks)]).toEqual([1_000_000, 21, "there is room\n"])
      expect(process.log.unread()).toBe(0)
    }),
  )

  it(
    "takes the room of the oldest output of all on a full disk",
    effect(function* () {
      const { services, files, ...first } = yield* begin({ capacity: () => 3_000_000 }, 64 * leastBytes)
      const second = yield* beginIn(services, 64 * leastBytes)
      for (let n = 0; n < 48; n++) {
        first.print("1".repeat(60_000))
        yield* first.whole
      }
      for (let n = 0; n < 30; n++) {
        second.print("2".repeat(60_000))
        yield* second.whole
      }
      expect(files.size()).toBeLessThanOrEqual(3_000_000)
      const { byte, nextByte } = yield* second.whole
      expect([byte, nextByte, second.history.lost]).toEqual([0, 1_800_000, undefined])
      expect(first.history.lost?.bytes).toBe((yield* first.whole).byte)
    }),
  )

  it(
    "says why nothing is kept where there can be no folder",
    effect(function* () {
      const { none } = yield* Effect.promise(() => import("./HistoryFiles.ts"))
      const services: Services = {
        files: none,
        budget: new Budget(Infinity),
        memory: toPool(),
        clock: yield* Clock.Clock,
      }
      const { print, whole, history } = yield* beginIn(services)
      print("text")
      expect(yield* whole).toEqual({ chunks: [], times: [], byte: 0, line: 1, nextByte: 0 })
      expect(history.ended?.reason).toBe("Failed")
    }),
  )

  it(
    "is removed when the process is forgotten, and with its session",
    effect(function* () {
      const one = yield* begin()
      one.print("text\n")
      yield* one.whole
      expect(one.files.folders.size).toBe(1)
      one.history.leave()
      yield* Fiber.join(one.life)
      expect([one.files.folders.size, one.services.budget.total]).toEqual([0, 0])
      expect((yield* one.whole).chunks).toEqual([])
      expect([one.process.subscribers, one.process.log.unread()]).toEqual([0, 0])

      const other = yield* begin()
      other.print("text\n")
      yield* other.end
      expect([other.files.folders.size, other.services.budget.total]).toEqual([0, 0])
    }),
  )

  it(
    "reads on while segments are dropped under it",
    effect(function* () {
      const { print, whole, history } = yield* begin()
      for (let n = 0; n < 20; n++) {
        print("w".repeat(60_000))
        yield* settle
      }
      yield* whole
      const reading = yield* Effect.forkChild(Reading.read(history, 0, Infinity, Infinity))
      for (let n = 0; n < 40; n++) {
        print("w".repeat(60_000))
        yield* settle
      }
      const { byte, nextByte } = yield* Fiber.join(reading)
      expect(nextByte).toBeGreaterThan(byte)
    }),
  )

  it.each(["seq", "time"] as const)(
    "has a place by %s that is not there yet at its end when it was asked for, whatever is written meanwhile",
    async (kind) => {
      await effect(function* () {
        const { history, print, process } = yield* begin()
        print("one\n")
        yield* history.written(1)
        const at = kind === "seq" ? process.log.nextSeq() : Number.MAX_SAFE_INTEGER
        const printing = Effect.suspend(() => {
          print("two\n")
          return history.written(process.log.nextSeq() - 1)
        })
        const { folder } = history
        const busy = folder && {
          ...folder,
          open: (file: string) => Effect.tap(folder.open(file), printing),
        }
        const source: Reading.Source = {
          folder: busy,
          get kept() {
            return history.kept
          },
          get end() {
            return history.end
          },
        }
        expect(yield* Reading.placeOf(source, { kind, at })).toBe(4)
        expect(history.end.byte).toBeGreaterThan(4)
      })()
    },
  )
})

describe("Recovery", () => {
  const crashed = Effect.gen(function* () {
    const { print, whole, files } = yield* begin()
    let all = ""
    for (let n = 0; n < 300; n++) {
      const text = `${n} ${"c".repeat(997)}\n`
      print(text)
      all += text
      if (n % 20 === 0) yield* settle
    }
    yield* whole
    const [[name, folder] = ["", new Map<string, Uint8Array>()]] = [...files.folders]
    return { folder, all, recover: Recovery.recover(files.left(name)) }
  })
  const last = (folder: Map<string, Uint8Array>, ending: string) =>
    [...folder.keys()]
      .filter((name) => name.endsWith(ending))
      .sort()
      .at(-1) ?? ""

  it(
    "finds a history that is whole as it was",
    effect(function* () {
      const { recover, all } = yield* crashed
      const recovered = yield* recover
      expect([recovered.cutBytes, recovered.end]).toEqual([0, { byte: all.length, line: 300 }])
      expect(decode((yield* Reading.read(recovered, 0, Infinity, Infinity)).chunks)).toBe(all)
    }),
  )

  it.each([
    ["a torn record", ".idx", (bytes: Uint8Array) => bytes.slice(0, -7)],
    ["a record of zeros", ".idx", (bytes: Uint8Array) => bytes.slice().fill(0, -40)],
    ["output that is not all there", ".out", (bytes: Uint8Array) => bytes.slice(0, -3)],
    [
      "a record that is not as it was written",
      ".idx",
      (bytes: Uint8Array) => bytes.slice().fill(9, -20, -19),
    ],
  ])("cuts off the last chunk behind %s", (_, ending, tear) =>
    effect(function* () {
      const { folder, recover, all } = yield* crashed
      const name = last(folder, ending)
      folder.set(name, tear(folder.get(name) ?? new Uint8Array(0)))
      const recovered = yield* recover
      const { chunks } = yield* Reading.read(recovered, 0, Infinity, Infinity)
      const left = decode(chunks)
      expect(left).toBe(all.slice(0, left.length))
      expect(chunks.length).toBe(299)
      expect(recovered.cutBytes).toBeGreaterThan(0)
      expect((yield* recover).cutBytes).toBe(0)
    })(),
  )

  it(
    "counts in the budget of the server that goes on with it, from the begin",
    effect(function* () {
      const { folder, recover } = yield* crashed
      const recovered = yield* recover
      const budget = new Budget(Infinity)
      const segments = new Segments(recovered.folder ?? expect.fail("no folder"), leastBytes, budget)
      yield* segments.resume(recovered.kept)
      const sizes = [...folder.values()].map(({ length }) => length)
      expect(budget.total).toBe(sizes.reduce((sum, size) => sum + size, 0))
    }),
  )

  it(
    "cuts off what the last segment was written over",
    effect(function* () {
      const { print, whole, files } = yield* begin()
      const line = (n: number) => `${n} ${"c".repeat(997)}\n`
      for (let n = 0; n < 3000; n++) {
        print(line(n))
        if (n % 20 === 0) yield* settle
      }
      const { chunks } = yield* whole
      const [name = ""] = files.folders.keys()
      const recover = Recovery.recover(files.left(name))
      const recovered = yield* recover
      expect(recovered.cutBytes).toBeGreaterThan(0)
      expect((yield* Reading.read(recovered, 0, Infinity, Infinity)).chunks).toEqual(chunks)
      expect((yield* recover).cutBytes).toBe(0)
    }),
  )

  it(
    "cuts off output that no record names, and a segment without any",
    effect(function* () {
      const { folder, recover, all } = yield* crashed
      const name = last(folder, ".out")
      folder.set(name, encode(`${new TextDecoder().decode(folder.get(name))}torn`))
      folder.set("000900.idx", new Uint8Array(0))
      folder.set("000900.out", encode("torn"))
      const recovered = yield* recover
      expect([recovered.cutBytes, recovered.end.byte]).toEqual([8, all.length])
      expect(decode((yield* Reading.read(recovered, 0, Infinity, Infinity)).chunks)).toBe(all)
    }),
  )
})
