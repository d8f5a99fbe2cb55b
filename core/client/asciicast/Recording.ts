/**
 * The recording of a process, from its history: each chunk at the time when the server has taken it, with the sizes of
 * its terminal at their places.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { HistoryResult } from "../../protocol/History.ts"
import type { OutputStream } from "../../protocol/Process.ts"
import type { ClientError } from "../ClientError.ts"
import type { RemoteProcess } from "../RemoteProcess.ts"
import type { Header } from "./Cast.ts"
import { CastWriter } from "./CastWriter.ts"

/** What a recording is made with. */
export interface RecordingOptions extends Pick<Header, "title" | "command" | "term" | "idleTimeLimit"> {
  /** The version of the format. Default: 2, which most players know. */
  readonly version?: Header["version"]
  /** The exit code of the process, for the last line of version 3. Default: there is none. */
  readonly exitCode?: number | undefined
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
    const page = (byte: number | undefined) =>
      Effect.map(
        process.history({
          times: true,
          maxBytes: pageBytes,
          ...(byte === undefined ? {} : { from: { byte } }),
        }),
        (part) => {
          const text = recorder.add(part)
          return part.eof
            ? ([text + recorder.end(exitCode), Option.none()] as const)
            : ([text, Option.some(part.nextByte)] as const)
        },
      )
    return Stream.filter(Stream.paginateEffect(undefined as number | undefined, page), (text) => text !== "")
  })

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

  end(exitCode: number | undefined): string {
    const text = this.flush() + this.open(0, usual)
    return text + (this.writer?.end(this.last - this.begin, exitCode) ?? "")
  }

  private flush(): string {
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

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
