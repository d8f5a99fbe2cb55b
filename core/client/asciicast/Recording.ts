/**
 * The recording of a process, from its history: each chunk at the time when the server has taken it, with the sizes of
 * its terminal at their places.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { concat } from "../../protocol/Bytes.ts"
import type { HistoryResult } from "../../features/history/wire.ts"
import type { OutputStream } from "../../protocol/Process.ts"
import { type ClientError, clientError } from "../ClientError.ts"
import type { HistoryOptions, RemoteProcess } from "../RemoteProcess.ts"
import { type Header, CastWriter } from "./Cast.ts"

/** Options of a recording. */
export interface RecordingOptions extends Pick<Header, "title" | "command" | "term" | "idleTimeLimit"> {
  /** The version of the format. Default: 2, which most players know. */
  readonly version?: Header["version"]
  /** The exit code of the process, for the last line of version 3. Default: there is none. */
  readonly exitCode?: number | undefined
}

/** Options of a recording that goes on; the exit code is that of the process. */
export interface LiveOptions extends Omit<RecordingOptions, "exitCode"> {
  /** Ends the recording when it completes; it is run several times. Default: the recording ends with the process. */
  readonly until?: Effect.Effect<unknown>
}

/** Bytes that are asked for at once. */
const pageBytes = 1024 * 1024

/** The size of what has no terminal. */
const usual = { rows: 24, columns: 80 }

/**
 * The lines of the recording of everything that the history of a process has now, each with its end. Fails as `history`
 * does.
 */
export const lines = (
  process: Pick<RemoteProcess, "history">,
  { version = 2, exitCode, ...about }: RecordingOptions = {},
): Stream.Stream<string, ClientError> =>
  Stream.suspend(() => {
    const recorder = new Recorder({ version, ...about })
    // A process that prints on has no end of its own.
    const now = process.history({ tail: 0, times: true })
    const piecesTo = (end: number) =>
      paged((byte: number | undefined) =>
        Effect.map(partOf(process, byte, { to: { byte: end } }), (part) => {
          const text = recorder.add(part)
          return part.eof ? last(text + recorder.end(exitCode)) : next(text, part.nextByte)
        }),
      )
    return Stream.unwrap(Effect.map(now, ({ nextByte }) => piecesTo(nextByte)))
  })

/**
 * The same, which goes on with what is printed from now on, until the process has closed or `until` completes. Fails as
 * `history` and `wait` do, and with `EventsLost` where the server keeps no more of the output.
 */
export const live = (
  process: Pick<RemoteProcess, "history" | "wait">,
  { version = 2, until = Effect.never, ...about }: LiveOptions = {},
): Stream.Stream<string, ClientError> =>
  Stream.suspend(() => {
    const recorder = new Recorder({ version, ...about })
    let seq = 0
    const more = Effect.suspend(() =>
      process.wait({ until: [{ bytes: 1 }, { closed: true }], afterSeq: seq, maxBytes: 0 }),
    )
    return paged(({ byte, waits }: { readonly byte?: number; readonly waits?: boolean } = {}) =>
      Effect.gen(function* () {
        const asked =
          waits === true && (yield* Effect.raceFirst(Effect.as(more, false), Effect.as(until, true)))
        const reading = partOf(process, byte)
        // Output from before the request to end belongs to it; a flood does not hold it up.
        const part = yield* asked ? reading : Effect.raceFirst(reading, Effect.as(until, undefined))
        if (part === undefined) return last(recorder.end(undefined, false))
        seq = part.chunks.at(-1)?.seq ?? seq
        const text = recorder.add(part)
        if (asked) return last(text + recorder.end(undefined, part.eof))
        if (!part.eof) return next(text, { byte: part.nextByte })
        if (part.ended !== undefined) return yield* lost(part.ended.message)
        if (!part.closed) return next(text + recorder.flush(), { byte: part.nextByte, waits: true })
        const { exitCode } = yield* process.wait({ until: [{ exit: true }], maxBytes: 0 })
        return last(text + recorder.end(exitCode ?? undefined))
      }),
    )
  })

const partOf = (
  process: Pick<RemoteProcess, "history">,
  byte: number | undefined,
  to: Pick<HistoryOptions, "to"> = {},
) =>
  process.history({
    times: true,
    maxBytes: pageBytes,
    ...(byte === undefined ? {} : { from: { byte } }),
    ...to,
  })

const lost = (why: string) => clientError("EventsLost", `what follows was not kept by the server: ${why}`)

/** A piece of the recording, and where the next one begins. */
type Piece<Place> = readonly [text: string, next: Option.Option<Place>]

const next = <Place>(text: string, place: Place): Piece<Place> => [text, Option.some(place)]
const last = (text: string): Piece<never> => [text, Option.none()]

const paged = <Place>(
  piece: (place: Place | undefined) => Effect.Effect<Piece<Place>, ClientError>,
): Stream.Stream<string, ClientError> =>
  Stream.paginate(undefined as Place | undefined, (place) =>
    Effect.map(piece(place), ([text, next]) => [text === "" ? [] : [text], next] as const),
  )

/** A chunk, of which the last bytes may be missing. */
interface Pending {
  readonly seq: number
  readonly stream: OutputStream
  readonly time: number
  readonly parts: Array<Uint8Array>
}

/** Turns parts of a history into lines. A chunk that two parts share is one event. */
class Recorder {
  private readonly about: Omit<Header, "columns" | "rows" | "timestamp">
  private writer: CastWriter | undefined
  private pending: Pending | undefined
  private begin = 0
  private last = 0
  private size = ""

  constructor(about: Recorder["about"]) {
    this.about = about
  }

  add({ chunks, times = [], sizes = [] }: HistoryResult): string {
    let text = ""
    let next = 0
    for (const [index, { seq, stream, chunk }] of chunks.entries()) {
      if (this.pending?.seq === seq) {
        this.pending.parts.push(chunk)
        continue
      }
      text += this.flush()
      const time = times[index] ?? this.last
      for (let size = sizes[next]; size !== undefined && size.afterSeq < seq; size = sizes[(next += 1)])
        text += this.resized(time, size)
      text += this.open(time, usual)
      this.pending = { seq, stream, time, parts: [chunk] }
    }
    return text
  }

  /** The end; without the last chunk if that may not be `whole`. */
  end(exitCode: number | undefined, whole = true): string {
    const text = (whole ? this.flush() : "") + this.open(0, usual)
    return text + (this.writer?.end(this.last - this.begin, exitCode) ?? "")
  }

  /** The last chunk, which is whole. */
  flush(): string {
    if (this.pending === undefined || this.writer === undefined) return ""
    const { parts, stream, time } = this.pending
    this.pending = undefined
    this.last = time
    return this.writer.output(time - this.begin, concat(parts), stream)
  }

  /** The header, at the first call. */
  private open(time: number, { rows, columns }: typeof usual): string {
    if (this.writer !== undefined) return ""
    const timestamp = time === 0 ? undefined : Math.floor(time / 1000)
    this.begin = time
    this.last = time
    this.size = `${columns}x${rows}`
    this.writer = new CastWriter({ ...this.about, rows, columns, timestamp })
    return this.writer.header
  }

  /** The header for the first size; a line for another one. */
  private resized(time: number, { rows, columns }: typeof usual): string {
    const header = this.open(time, { rows, columns })
    if (this.size === `${columns}x${rows}`) return header
    this.size = `${columns}x${rows}`
    return header + (this.writer?.resize(time - this.begin, { rows, columns }) ?? "")
  }
}
