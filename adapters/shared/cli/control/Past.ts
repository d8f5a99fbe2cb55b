/**
 * What a process has printed, from its history, and what it prints from then on. What is lost on the way, since nobody
 * stalls a process by looking on, is read from the history, so that nothing is missing.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import { ClientError } from "../../../../core/client/ClientError.ts"
import type { OutputPoint } from "../../../../core/client/HistoryCalls.ts"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { RemoteProcess } from "../../../../core/client/RemoteProcess.ts"
import * as LocalTerminal from "../LocalTerminal.ts"
import { Unable } from "../server/Unable.ts"
import * as Stamps from "../show/Stamps.ts"

/** What is wanted. */
export interface Asked {
  /** The process, as it was before it was attached to: what comes later is followed. */
  readonly row: ListedProcess
  readonly follow: boolean
  /** Milliseconds since 1970; undefined is the begin. */
  readonly since: number | undefined
  /** The last lines; undefined is all. */
  readonly lines: number | undefined
  readonly timestamps: boolean
  /** Where it goes; by default to stdout and stderr as they were. */
  readonly print?: LocalTerminal.Print
}

/** The most bytes of one answer. */
const pageBytes = 1024 * 1024

/** Shows what was printed before `row` was listed, then what came behind it. */
export const show = (child: Pick<RemoteProcess, "history" | "subscribe">, asked: Asked) =>
  Effect.gen(function* () {
    const { follow, lines, row, since } = asked
    const write = writer(asked)
    const end = row.nextSeq
    const before = { to: { seq: end } }
    if (lines === undefined)
      yield* pages(child, write, since === undefined ? before : { ...before, from: { time: since } }, 0, end)
    else if (lines > 0) {
      // What was printed since then is the end of all, as the last lines are: the shorter one is wanted.
      const isWanted = (millis: number) => since === undefined || millis >= since
      const late: Write = (stream, bytes, millis = Infinity) =>
        isWanted(millis) ? write(stream, bytes, millis) : Effect.void
      yield* pages(child, late, { tail: lines }, 0, follow ? end : Infinity)
    }
    if (follow) yield* following(child, write, end - 1)
  })

type Write = (
  stream: string,
  bytes: Uint8Array,
  millis?: number,
) => Effect.Effect<void, LocalTerminal.OutputFailed>

const writer = ({ print = LocalTerminal.write, timestamps }: Asked): Write => {
  const stamps = timestamps ? Stamps.make() : undefined
  return (stream, bytes, millis) =>
    print(
      stream === "stderr" ? "stderr" : "stdout",
      stamps === undefined ? bytes : stamps.add(stream, bytes, millis ?? Date.now()),
    )
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
const pages = (child: Pick<RemoteProcess, "history">, write: Write, part: Part, last: number, end: number) =>
  Effect.gen(function* () {
    let next: Part = part
    for (;;) {
      const page = yield* Effect.mapError(
        child.history({ ...next, maxBytes: pageBytes, times: true }),
        explain,
      )
      for (const [index, { seq, stream, chunk }] of page.chunks.entries())
        if (seq > last && seq < end) yield* write(stream, chunk, page.times?.[index])
      if (page.ended !== undefined && page.eof)
        process.stderr.write(`procwire: what follows was not kept: ${page.ended.message}\n`)
      if (page.eof || (page.chunks.at(-1)?.seq ?? 0) >= end) return
      next = { from: { byte: page.nextByte }, ...(part.to === undefined ? {} : { to: part.to }) }
    }
  })

/** What a user reads who asks for a history where there is none. */
export const explain = (error: ClientError) =>
  error.reason === "Server"
    ? new Unable({
        message: `${error.message}; the server keeps output with --history-bytes, as that of procwire up does`,
      })
    : error

/** Every event behind the seq `last`, until the process has closed; what is missing comes from the history. */
const following = (child: Pick<RemoteProcess, "history" | "subscribe">, write: Write, last: number) =>
  Effect.gen(function* () {
    let shown = last
    const { next } = yield* Effect.acquireRelease(child.subscribe, ({ close }) => Effect.sync(close))
    for (;;) {
      const batch = yield* next
      if (batch === undefined) return
      for (const event of batch) {
        if (event.kind === "failed") return yield* new ClientError(event)
        if (event.seq <= shown) continue
        const missing = { from: { seq: shown + 1 }, to: { seq: event.seq + 1 } }
        if (event.kind === "gap") yield* pages(child, write, missing, shown, event.seq + 1)
        if (event.kind === "output") yield* write(event.stream, event.bytes)
        shown = event.seq
      }
    }
  })
