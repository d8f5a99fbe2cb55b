/**
 * The output of a process, from its history, and from then on as it comes. Output that is lost on the way, since a
 * viewer stalls no process, is read from the history, so that nothing is missing. Of a process without a history
 * it is what the server still has.
 */
import * as Effect from "effect/Effect"
import { ClientError } from "../../../../core/client/ClientError.ts"
import { toError } from "../../../../core/client/EventFeed.ts"
import type { HistoryOptions, OutputPoint, RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import * as LineStamps from "../../../../core/client/LineStamps.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as ErrorCode from "../../../../core/protocol/ErrorCode.ts"
import * as LocalTerminal from "../LocalTerminal.ts"
import type * as LostOutput from "../server/LostOutput.ts"
import * as Message from "../words/Message.ts"
import type { ReadResult } from "../../../../core/protocol/Process.ts"
import process from "node:process"

export interface ShowOptions {
  /** The process, as it was before it was attached to: later output is followed. */
  readonly row: ListedProcess
  readonly follow: boolean
  /** Milliseconds since 1970; undefined is the begin. */
  readonly since: number | undefined
  /** Milliseconds since 1970; undefined is the end. Neither with `follow` nor with `lines`. */
  readonly until?: number | undefined
  /** The last lines; undefined is all. */
  readonly lines: number | undefined
  readonly timestamps: boolean
  /** By default stdout and stderr. */
  readonly print?: LocalTerminal.Print
}

/** Shows the output of before `row` was listed, then later output. */
export const show = (child: Child, asked: ShowOptions) =>
  Effect.gen(function* () {
    const { follow, lines, row, since, until } = asked
    const write = writer(asked)
    const end = row.nextSeq
    const isTimed = since !== undefined || until !== undefined || asked.timestamps
    const pages: typeof fromWhatIsKept = isTimed ? fromHistory : fromWhatIsKept
    const to = until === undefined ? { seq: end } : { time: until }
    const begun = since === undefined ? { to } : { to, from: { time: since } }
    // Output since then is the end of all, as the last lines are: the shorter one is wanted.
    const late: Write = (stream, bytes, millis) =>
      since === undefined || (millis ?? Infinity) >= since ? write(stream, bytes, millis) : Effect.void
    const [part, show] = lines === undefined ? [begun, write] : [{ tail: lines }, late]
    if (lines !== 0) yield* pages(child, show, part, 0, follow ? end : Infinity, end)
    // A process that has closed by then has no event behind this output.
    if (follow && row.state !== "closed") yield* following(child, write, end - 1)
  })

/** Shows the output that is left of a process that prints nothing more. */
export const showPage = (child: LostOutput.Readable, asked: Omit<ShowOptions, "row" | "follow">) => {
  const from = asked.since === undefined ? {} : { from: { time: asked.since } }
  const part = asked.lines === undefined ? from : { tail: asked.lines }
  return fromHistory(child, writer(asked), part, 0, Infinity)
}

type Child = Pick<RemoteProcess, "history" | "read" | "subscribe">

type Write = (
  stream: string,
  bytes: Uint8Array,
  millis?: number,
) => Effect.Effect<void, LocalTerminal.OutputFailed>

const writer = ({
  print = LocalTerminal.write,
  timestamps,
}: Pick<ShowOptions, "print" | "timestamps">): Write => {
  const stamps = timestamps ? LineStamps.make() : undefined
  return (stream, bytes, millis) =>
    print(
      stream === "stderr" ? "stderr" : "stdout",
      stamps === undefined ? bytes : stamps.add(stream, bytes, millis ?? Date.now()),
    )
}

/** A process with a history, on a server or left by one. */
interface Source<E> {
  readonly history: (
    options: HistoryOptions,
  ) => Effect.Effect<Effect.Success<ReturnType<RemoteProcess["history"]>>, E>
}

interface Part {
  readonly from?: OutputPoint
  readonly to?: OutputPoint
  readonly tail?: number
}

/**
 * Everything of a part, behind the seq `last` and in front of the seq `end`: whatever the server returns, so that
 * nothing is shown twice.
 */
const fromHistory = <E>(child: Source<E>, write: Write, part: Part, last: number, end: number) =>
  Effect.gen(function* () {
    let next: Part = part
    let isSaid = false
    // Of the last lines no more are shown, however fast the process prints on; but where that is followed, all.
    let left = end === Infinity ? (part.tail ?? Infinity) : Infinity
    for (;;) {
      const page = yield* child.history({ ...next, maxBytes: pageBytes, times: true })
      if (page.lost !== undefined && !isSaid) process.stderr.write(incomplete(page.lost))
      isSaid ||= page.lost !== undefined
      for (const [index, { seq, stream, chunk }] of page.chunks.entries()) {
        const shown = firstLines(chunk, left)
        if (seq > last && seq < end) yield* write(stream, shown.bytes, page.times?.[index])
        left = shown.left
        if (left === 0) return
      }
      if (page.ended !== undefined && page.eof)
        Message.say(`what follows was not kept: ${page.ended.message}`)
      if (page.eof || (page.chunks.at(-1)?.seq ?? 0) >= end) return
      next = { from: { byte: page.nextByte }, ...(part.to === undefined ? {} : { to: part.to }) }
    }
  })

const incomplete = ({ bytes }: { readonly bytes: number }): string =>
  Message.line(`history is incomplete: disk full, ${bytes} bytes were lost`)

/** The first lines of a chunk, at most so many, and how many are left then. */
const firstLines = (bytes: Uint8Array, lines: number) => {
  if (lines === Infinity) return { bytes, left: lines }
  let left = lines
  let end = 0
  while (left > 0) {
    const found = bytes.indexOf(newline, end)
    if (found < 0) return { bytes, left }
    left -= 1
    end = found + 1
  }
  return { bytes: bytes.subarray(0, end), left }
}

/**
 * Shows what the server still has where there is no history. Nothing is written before that is known. The process was
 * at the seq `listed` when it was asked for its last lines.
 */
const fromWhatIsKept = (child: Child, write: Write, part: Part, last: number, end: number, listed = end) =>
  Effect.catchIf(fromHistory(child, write, part, last, end), isWithoutHistory, () =>
    eachRetained(child, { last, end, listed, lines: part.tail }, ({ stream, chunk }) => write(stream, chunk)),
  )

const isWithoutHistory = (error: unknown): error is ClientError =>
  error instanceof ClientError && error.reason === "Server" && error.code === ErrorCode.invalidRequest

/** Every event behind the seq `last`, until the process has closed; missing output comes from the history. */
const following = (child: Child, write: Write, last: number) =>
  Effect.gen(function* () {
    let shown = last
    const { next } = yield* Effect.acquireRelease(child.subscribe, ({ close }) => Effect.sync(close))
    for (;;) {
      const batch = yield* next
      if (batch === undefined) return
      for (const event of batch) {
        if (event.kind === "failed") return yield* toError(event)
        if (event.seq <= shown) continue
        const missing = { from: { seq: shown + 1 }, to: { seq: event.seq + 1 } }
        if (event.kind === "gap") yield* fromWhatIsKept(child, write, missing, shown, event.seq + 1)
        if (event.kind === "output") yield* write(event.stream, event.bytes)
        shown = event.seq
      }
    }
  })

type Chunk = ReadResult["chunks"][number]

/** The most bytes of one answer: 1 MiB. */
const pageBytes = 1024 * 1024

interface WantedPart {
  /** The chunks behind this seq. */
  readonly last: number
  /** Those in front of this one. */
  readonly end: number
  /** The seq of the process at first: it may print faster than it is read, so its end is not waited for. */
  readonly listed: number
  /** The last lines only; undefined is all. */
  readonly lines: number | undefined
}

/** Calls `use` with each chunk that is wanted. Those that are gone are a line on stderr. */
const eachRetained = <E>(
  child: Pick<RemoteProcess, "read">,
  { last, end, listed, lines }: WantedPart,
  use: (chunk: Chunk) => Effect.Effect<void, E>,
) =>
  Effect.gen(function* () {
    const kept: Array<Chunk> = []
    for (let after = last; after < listed - 1;) {
      const { chunks } = yield* child.read({ afterSeq: after, maxBytes: pageBytes })
      const [first] = chunks
      if (first === undefined) break
      if (after === last && first.seq > last + 1 && lines === undefined)
        Message.say("what was printed before is no longer kept, for want of a history")
      const wanted = chunks.filter(({ seq }) => seq < end)
      if (lines === undefined) yield* Effect.forEach(wanted, use, { discard: true })
      else kept.push(...wanted)
      after = chunks.at(-1)?.seq ?? end
    }
    if (lines !== undefined) yield* Effect.forEach(lastLines(kept, lines), use, { discard: true })
  })

/** The end of a line, as a byte. */
const newline = 10

/** The end of the chunks, from the begin of the last line but `lines` on. */
const lastLines = (chunks: ReadonlyArray<Chunk>, lines: number): ReadonlyArray<Chunk> => {
  let left = lines
  for (let index = chunks.length - 1; index >= 0; index -= 1) {
    const one = chunks[index]
    if (one === undefined) continue
    // The newline at the very end begins no line.
    let at = index === chunks.length - 1 ? one.chunk.length - 1 : one.chunk.length
    while ((at = one.chunk.subarray(0, at).lastIndexOf(newline)) >= 0) {
      left -= 1
      if (left === 0) return [{ ...one, chunk: one.chunk.subarray(at + 1) }, ...chunks.slice(index + 1)]
    }
  }
  return chunks
}

export interface SearchOptions {
  readonly pattern: string
  readonly ignoresCase: boolean
  readonly follow: boolean
  /** Milliseconds since 1970; undefined is the begin. */
  readonly since: number | undefined
  /** Milliseconds since 1970; undefined is the end. Not with `follow`. */
  readonly until?: number | undefined
  /** By default stdout. */
  readonly print?: LocalTerminal.Print
}

const encoder = new TextEncoder()

/** Shows them; with `follow` until the process has closed. */
export const search = (child: RemoteProcess, asked: SearchOptions) =>
  Effect.gen(function* () {
    const { follow, ignoresCase, pattern, since, until, print = LocalTerminal.write } = asked
    const flags = ignoresCase ? { flags: "i" } : {}
    let isSaid = false
    let from = since === undefined ? {} : { from: { time: since } }
    const to = follow ? {} : until === undefined ? yield* untilNow(child) : { to: { time: until } }
    for (;;) {
      // Output behind this seq is waited for, and the search finds output before it.
      const seen = follow ? yield* lastSeq(child) : 0
      const page = yield* child.grep({ pattern, ...flags, ...from, ...to, maxMatches: 1000 })
      if (page.lost !== undefined && !isSaid) process.stderr.write(incomplete(page.lost))
      isSaid ||= page.lost !== undefined
      for (const { text } of page.matches)
        yield* print("stdout", encoder.encode(`${text.replace(/\r$/, "")}\n`))
      if (page.complete && (!follow || page.closed)) return
      if (page.complete) yield* more(child, seen)
      from = { from: { byte: page.nextByte } } as never
    }
  })

/** Up to what a process that prints on has printed by now. The last line of one that has closed may have no end. */
const untilNow = (child: RemoteProcess) =>
  Effect.map(child.history({ tail: 0 }), ({ nextByte, closed }) => (closed ? {} : { to: { byte: nextByte } }))

const lastSeq = (child: RemoteProcess) =>
  Effect.map(child.wait({ until: [{ idleMs: 0 }], maxBytes: 0 }), ({ nextSeq }) => nextSeq - 1)

/** Completes when something was printed behind that seq, or the process has closed. */
const more = (child: RemoteProcess, afterSeq: number) =>
  child.wait({ until: [{ bytes: 1 }, { closed: true }], afterSeq, maxBytes: 0 })
