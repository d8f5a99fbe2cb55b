/** What a persistent shell and its controller report, as it comes from their FIFO. */
import * as Effect from "effect/Effect"
import { utf8Decoder } from "../../protocol/Bytes.ts"
import type { Observer } from "../Session.ts"

/** What the shell has said at the end of a text. */
export interface Report {
  /** The exit code of the text. */
  readonly code: number
  /** Its options, as `$-` has them. */
  readonly flags: string
  /** Whether it is in posix mode. */
  readonly posix: boolean
  /** Its other options, as `$BASHOPTS` has them. */
  readonly options: string
  /** The quoted texts of its traps on DEBUG and EXIT. */
  readonly debug: string | undefined
  readonly exit: string | undefined
}

/** The name of the variable that the last line of a report exports: `export -p` sorts by name. */
export const variable = "zz_procwire"

export class ShellReports implements Observer {
  /** Each opens when that has come. */
  readonly begun = Effect.unsafeMakeLatch(false)
  readonly reported = Effect.unsafeMakeLatch(false)
  isReported = false
  readonly stuck = Effect.unsafeMakeLatch(false)
  isStuck = false
  readonly synced = Effect.unsafeMakeLatch(false)
  /** Where reports are written to, and the folder with the FIFO of the shell. */
  paths = { reports: "", folder: "" }
  /** The process of the shell, and the path of its terminal. */
  shell = { pid: "", terminal: "" }
  report: Report | undefined
  /** Code that sets the exported variables of the last report. */
  exports: string | undefined
  /** What has come and is no report: why nothing could be started. */
  rest = ""
  private readonly decoder = utf8Decoder()
  private readonly entry: RegExp

  constructor(nonce: string) {
    this.entry = new RegExp(
      `^(?:${nonce} (\\w+) ?(\\S*) ?(.*)|export ${variable}="${nonce} (exit|\\d+) ?(\\S*) ?(p?) ?(\\S*)")\\n`,
      "m",
    )
  }

  /** A text begins. */
  expect(): void {
    this.isReported = false
    this.isStuck = false
    this.reported.unsafeClose()
    this.stuck.unsafeClose()
  }

  output(bytes: Uint8Array): void {
    this.rest += this.decoder.decode(bytes, { stream: true })
    for (let found = this.entry.exec(this.rest); found !== null; found = this.entry.exec(this.rest)) {
      const before = this.rest.slice(0, found.index)
      this.rest = this.rest.slice(found.index + found[0].length)
      const [, word, first = "", second = "", code, flags = "", posix, options = ""] = found
      if (word === "paths") {
        this.paths = { reports: first, folder: second }
        this.begun.unsafeOpen()
      }
      if (word === "shell") this.shell = { pid: first, terminal: second }
      if (word === "stuck") {
        this.isStuck = true
        this.stuck.unsafeOpen()
      }
      if (word === "synced") this.synced.unsafeOpen()
      if (code !== undefined) {
        const { exports, ...traps } = parts(before)
        this.exports = exports
        if (code === "exit") continue
        this.report = { code: Number(code), flags, posix: posix === "p", options, ...traps }
        this.isReported = true
        this.reported.unsafeOpen()
      }
    }
  }

  ended(): void {}
}

/** In posix mode `-` says that there is none. */
const trap = /^trap -- (?:('(?:[^']|'\\'')*')|-) (DEBUG|EXIT)\n/

/** A report is the traps, and then the exports. */
const parts = (text: string) => {
  const traps: { DEBUG?: string; EXIT?: string } = {}
  let rest = text
  for (let found = trap.exec(rest); found !== null; found = trap.exec(rest)) {
    if (found[1] !== undefined) traps[found[2] as "DEBUG" | "EXIT"] = found[1]
    rest = rest.slice(found[0].length)
  }
  return { debug: traps.DEBUG, exit: traps.EXIT, exports: rest.replace(/^export POSIXLY_CORRECT=.*\n/m, "") }
}
