/**
 * The signals of the wire: words, POSIX names and numbers.
 *
 * A number means what the host of the server means by it. A name is spelled as POSIX has it, with or without `SIG`.
 */
import type { Json } from "./Json.ts"

/** SIGINT, and with the capability `processSignals` SIGTERM, SIGHUP and SIGQUIT. */
export const signalNames = ["interrupt", "terminate", "hangup", "quit"] as const
/** A word for a signal. */
export type SignalName = (typeof signalNames)[number]

/** A POSIX name, such as `SIGUSR1` or `SIGRTMIN+3`. */
export type PosixSignal = `SIG${string}`

/** A signal as on the wire. All but the words need the capability `processDeadlines`. */
export type Signal = SignalName | PosixSignal | number

/** The largest number of a signal on any host. */
export const largest = 64

const words: { readonly [word in SignalName]: PosixSignal } = {
  interrupt: "SIGINT",
  terminate: "SIGTERM",
  hangup: "SIGHUP",
  quit: "SIGQUIT",
}

/** The names of the signals from 1 on; those of macOS differ from 7 on. */
const numbered = {
  linux:
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG " +
    "XCPU XFSZ VTALRM PROF WINCH IO PWR SYS",
  macos:
    "HUP INT QUIT ILL TRAP ABRT EMT FPE KILL BUS SEGV SYS PIPE ALRM TERM URG STOP TSTP CONT CHLD TTIN TTOU IO XCPU " +
    "XFSZ VTALRM PROF WINCH INFO USR1 USR2",
} as const

const tables: { readonly [platform: string]: ReadonlyArray<string> } = {
  linux: numbered.linux.split(" "),
  macos: numbered.macos.split(" "),
}

/** The names of the signals of a platform (`linux`, `macos`) from 1 on, without `SIG` and real-time ones. */
export const namesOn = (platform: string): ReadonlyArray<string> => tables[platform] ?? []

const names: ReadonlySet<string> = new Set(Object.values(tables).flat())

/** The first real-time signal of Linux, as its C libraries count: two are their own. */
const firstRealTime = 34

/** Real-time signals by their distance from the first or the last one. */
const realTime = /^RT(?:MIN(?:\+([1-9]|[12]\d|30))?|MAX(?:-([1-9]|[12]\d|30))?)$/

/** The signal that a name or a number means; undefined for one that no host has. Words are not read here. */
export const read = (json: Json): PosixSignal | number | undefined => {
  if (typeof json === "number") {
    return Number.isInteger(json) && json >= 1 && json <= largest ? json : undefined
  }
  if (typeof json !== "string") return undefined
  const name = json.startsWith("SIG") ? json.slice(3) : json
  return names.has(name) || realTime.test(name) ? `SIG${name}` : undefined
}

/** The POSIX name of a signal on a platform (`linux`, `macos`). A number without a name is `SIG` and the number. */
export const toPosix = (signal: Signal, platform: string): PosixSignal => {
  if (typeof signal === "string") return isWord(signal) ? words[signal] : signal
  const name = tables[platform]?.[signal - 1]
  if (name !== undefined) return `SIG${name}`
  if (platform !== "linux" || signal < firstRealTime) return `SIG${signal}`
  return signal === firstRealTime ? "SIGRTMIN" : `SIGRTMIN+${signal - firstRealTime}`
}

/** The number in a name that has one, as `toPosix` makes them: of a real-time signal, or of one without a name. */
export const numberIn = (name: string): number | undefined => {
  const plain = /^SIG(\d+)$/.exec(name)
  if (plain !== null) return Number(plain[1])
  const found = realTime.exec(name.slice(3))
  if (found === null) return undefined
  return name.startsWith("SIGRTMAX") ? largest - Number(found[2] ?? 0) : firstRealTime + Number(found[1] ?? 0)
}

const isWord = (text: string): text is SignalName => Object.hasOwn(words, text)
