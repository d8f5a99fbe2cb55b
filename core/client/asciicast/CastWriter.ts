/**
 * Writes a recording, line by line, from chunks of output with their times.
 *
 * Each chunk is one event at its time, in whole milliseconds, so that nothing adds up. The format is text: a character
 * that two chunks share goes to the second, and bytes that are no UTF-8 become U+FFFD. A recording is what a terminal
 * gets, so the lines of a pipe end with a carriage return, too.
 */
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { OutputStream, TerminalSize } from "../../protocol/Process.ts"
import type { Header } from "./Cast.ts"

interface Stream {
  readonly decoder: ReturnType<typeof utf8Decoder>
  /** True behind a carriage return. */
  isReturned: boolean
}

/** Writes one recording. Times are in milliseconds since its begin; an earlier one than before counts as the same. */
export class CastWriter {
  /** The first line. */
  readonly header: string
  private readonly version: Header["version"]
  private readonly streams = new Map<OutputStream, Stream>()
  private last = 0

  constructor(header: Header) {
    this.version = header.version
    this.header = `${JSON.stringify(header.version === 2 ? toV2(header) : toV3(header))}\n`
  }

  /** A line for a chunk; none if it has no whole character. */
  output(at: number, bytes: Uint8Array, stream: OutputStream = "pty"): string {
    const known = this.streams.get(stream) ?? { decoder: utf8Decoder(), isReturned: false }
    this.streams.set(stream, known)
    return this.text(at, known.decoder.decode(bytes, { stream: true }), stream, known)
  }

  /** A line for a new size. */
  resize(at: number, { columns, rows }: TerminalSize): string {
    return this.event(at, "r", `${columns}x${rows}`)
  }

  /** A line for a marker, to which players can jump. */
  marker(at: number, label: string): string {
    return this.event(at, "m", label)
  }

  /** The last lines: halves of characters, and an exit code, which version 2 does not have. */
  end(at: number, exitCode?: number): string {
    const halves = [...this.streams].map(([stream, known]) =>
      this.text(at, known.decoder.decode(), stream, known),
    )
    const exit = this.version === 2 || exitCode === undefined ? "" : this.event(at, "x", `${exitCode}`)
    return halves.join("") + exit
  }

  private text(at: number, text: string, stream: OutputStream, known: Stream): string {
    if (text === "") return ""
    const shown = stream === "pty" ? text : returned(text, known.isReturned)
    known.isReturned = text.endsWith("\r")
    return this.event(at, "o", shown)
  }

  private event(at: number, code: string, data: string): string {
    const now = Math.max(this.last, Math.round(at))
    const time = this.version === 2 ? now : now - this.last
    this.last = now
    return `[${time / 1000}, "${code}", ${JSON.stringify(data)}]\n`
  }
}

/** With a carriage return before each end of a line. */
const returned = (text: string, isReturned: boolean): string =>
  text.replaceAll(/\r?\n/g, (end, index: number) =>
    end === "\n" && index === 0 && isReturned ? "\n" : "\r\n",
  )

const toV2 = ({ version, columns, rows, timestamp, idleTimeLimit, command, title, term }: Header) => ({
  version,
  width: columns,
  height: rows,
  timestamp,
  idle_time_limit: idleTimeLimit,
  command,
  title,
  env: term === undefined ? undefined : { TERM: term },
})

const toV3 = ({ version, columns, rows, timestamp, idleTimeLimit, command, title, term }: Header) => ({
  version,
  term: { cols: columns, rows, type: term },
  timestamp,
  idle_time_limit: idleTimeLimit,
  command,
  title,
})
