/** Texts for times, sizes, commands and ends. All are plain, and the same in every language. */
import * as CommandLine from "../../../../core/protocol/CommandLine.ts"
import * as Signals from "../../../../core/protocol/Signals.ts"

/** A time in two units at most: `450 ms`, `3.2 s`, `1 m 05 s`, `2 h 03 m`, `3 d 04 h`. Less than nothing is nothing. */
export const duration = (ms: number): string => {
  const time = Math.max(0, ms)
  if (time < 1000) return `${Math.round(time)} ms`
  if (time < 59_950) return `${(time / 1000).toFixed(1)} s`
  const seconds = Math.round(time / 1000)
  const [unit, large, part, small] = units.find(([size]) => seconds >= size) ?? minute
  const rest = Math.floor((seconds % unit) / part)
  return `${Math.floor(seconds / unit)} ${large} ${String(rest).padStart(2, "0")} ${small}`
}

const minute = [60, "m", 1, "s"] as const
const units = [[86_400, "d", 3600, "h"], [3600, "h", 60, "m"], minute] as const

/** The same in whole seconds below a minute, for a running clock. */
export const running = (ms: number): string =>
  ms < 59_500 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms)

/** A number of bytes, in units of 1000: `512 B`, `1.2 kB`, `34 MB`. */
export const bytes = (count: number): string => {
  if (count < 1000) return `${count} B`
  const power = Math.min(4, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** power
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${["B", "kB", "MB", "GB", "TB"][power]}`
}

/** A command as one could type it. Control characters are shown as symbols: anybody may have sent them. */
export const command = (argv: ReadonlyArray<string>): string => {
  const line = shellLine(argv)
  return line === undefined ? CommandLine.of(argv.map(visible)) : visible(line)
}

/** The line in `sh -c LINE`: that is what people have typed. */
const shellLine = (argv: ReadonlyArray<string>): string | undefined => {
  const [shell = "", flags = "", line] = argv
  return argv.length === 3 && /(^|\/)(ba|da|z|k)?sh$/.test(shell) && /^-l?c$/.test(flags) ? line : undefined
}

const controls = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The text with a symbol for each character without a glyph, or that turns the direction of writing. */
export const visible = (text: string): string =>
  text.replace(controls, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd"
  })

export type Tone = "good" | "bad" | "calm"

export interface End {
  /** 128 + n for death by signal n; null where it is not known. */
  readonly exitCode: number | null
  /** The signal, by its number. */
  readonly signal?: number | undefined
  /** The cause of the end. */
  readonly endedBy?: string | undefined
  /** The bound of resources that has ended it. */
  readonly limit?: string | undefined
  /** True if memory ran out. */
  readonly oomKilled?: boolean | undefined
}

/** An end in a few words: `exited with 0`, `killed by SIGSEGV`, `killed by SIGTERM at its deadline`. */
export const ending = (end: End): string => {
  const { exitCode, signal } = end
  const how =
    signal !== undefined
      ? `killed by ${Signals.toPosix(signal, "linux")}`
      : exitCode === null
        ? "ended"
        : `exited with ${exitCode}${byShell(exitCode)}`
  const why = whyOf(end)
  return why === undefined ? how : `${how} ${why}`
}

/** A code that may stand for a signal: lists do not tell them apart. */
const byShell = (code: number): string => {
  const name = code > 128 && code < 160 ? Signals.toPosix(code - 128, "linux") : ""
  return name === "" ? "" : ` (128 + ${name})`
}

const whyOf = ({ endedBy, limit, oomKilled }: End): string | undefined => {
  if (oomKilled === true) return "because memory ran out"
  if (endedBy === "limit") return `at its bound of ${limits[limit ?? ""] ?? "resources"}`
  return whys[endedBy ?? ""]
}

const limits: Readonly<Record<string, string>> = { mem: "memory", pids: "processes", time: "processor time" }

const whys: Readonly<Record<string, string>> = {
  terminate: "on request",
  timeout: "at its deadline",
  idleTimeout: "after a silence",
  sessionEnd: "with its session",
  serverEnd: "with the server",
}

/** The tone of an end. One on request is neither good nor bad. */
export const toneOf = (end: End): Tone => {
  if (end.endedBy === "terminate") return "calm"
  if (end.exitCode === null) return "calm"
  return end.exitCode === 0 && end.signal === undefined ? "good" : "bad"
}

/** `1 process`, `2 processes`. */
export const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`

export const known = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<string> =>
  texts.filter((text): text is string => text !== undefined && text !== "")
