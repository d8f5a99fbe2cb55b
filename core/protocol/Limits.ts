/**
 * Every bound that an operator can set, as data: THE table from which the flags of `procwire serve`, their help, the
 * documentation and the error texts derive.
 *
 * Code that enforces a bound takes a plain number and checks it before any work. Its error text comes from this table
 * and names the flag and the value.
 */
import * as Data from "effect/Data"

/** A row of the table. */
export interface Limit {
  /** The flag of `procwire serve`, without dashes. */
  readonly flag: string
  /** The unit of the value. */
  readonly unit: "count" | "bytes"
  /** The value where nothing is set. */
  readonly default: number
  /** The smallest value with which a server is still usable. */
  readonly least: number
  /** The largest value that a server can enforce. */
  readonly most: number
  /** One line for `--help`. */
  readonly help: string
  /** The text of the refusal. Absent where nothing is refused: the excess waits or is evicted. */
  readonly refused?: (value: number, flag: string) => string
}

const mebibyte = 1024 * 1024

const tooMany = (what: string) => (value: number, flag: string) => `${what}: limit is ${value} (--${flag})`

const tooMuch = (what: string) => (value: number, flag: string) =>
  `${what}: limit is ${value} bytes (--${flag})`

const count = { unit: "count", least: 1, most: Number.MAX_SAFE_INTEGER } as const
const bytes = { unit: "bytes", least: 1, most: Number.MAX_SAFE_INTEGER } as const

/** The bound of the peer implementation, whose error text names no number. */
const peerDepth = 127

/** The bounds. */
export const table = {
  connections: {
    ...count,
    flag: "max-connections",
    default: 4096,
    help: "most connections at once; one more is told so and ended",
    refused: tooMany("too many connections"),
  },
  sessions: {
    ...count,
    flag: "max-sessions",
    default: 16_384,
    help: "most sessions, attached or waiting to be resumed",
    refused: tooMany("too many sessions"),
  },
  sessionProcesses: {
    ...count,
    flag: "max-session-processes",
    default: 1024,
    help: "most processes of a session that are not closed yet",
    refused: tooMany("too many processes in this session"),
  },
  processes: {
    ...count,
    flag: "max-processes",
    default: 8192,
    help: "most processes of all sessions that are not closed yet",
    refused: tooMany("too many processes"),
  },
  keptProcesses: {
    ...count,
    flag: "max-kept-processes",
    default: 1024,
    help: "most processes of all sessions that are kept until they are removed",
    refused: tooMany("too many processes are kept"),
  },
  startsPerSecond: {
    ...count,
    flag: "max-starts-per-second",
    default: 2000,
    help: "most starts per second, in the long run",
    refused: tooMany("too many starts per second"),
  },
  startBurst: {
    ...count,
    flag: "max-start-burst",
    default: 4000,
    help: "starts that may come at once, after a rest",
  },
  concurrentRequests: {
    ...count,
    flag: "concurrent-requests",
    default: 1024,
    help: "most requests of a connection that run at once; more wait (a waiting read delays no other below that bound)",
  },
  messageBytes: {
    ...bytes,
    flag: "max-message-bytes",
    // Below the longest string of every JavaScript engine.
    least: 1024,
    most: 256 * mebibyte,
    default: 64 * mebibyte,
    help: "longest message; a longer one ends its connection",
    refused: (value, flag) => `message is too long: limit is ${value} bytes (--${flag})`,
  },
  jsonDepth: {
    ...count,
    flag: "max-json-depth",
    least: 8,
    most: 1000,
    default: peerDepth,
    help: "deepest nesting of arrays and objects in a message",
    refused: (value, flag) =>
      value === peerDepth
        ? "recursion limit exceeded"
        : `recursion limit exceeded: limit is ${value} (--${flag})`,
  },
  jsonValues: {
    ...count,
    flag: "max-json-values",
    least: 64,
    default: 262_144,
    help: "JSON values of a message, which has to have fewer",
    refused: (value) => `JSON-RPC message exceeds the limit of ${value} JSON values`,
  },
  stdinBytes: {
    ...bytes,
    flag: "max-stdin-bytes",
    default: 64 * mebibyte,
    help: "most bytes that wait for a process to read its stdin; one write alone may be longer",
    refused: (value, flag) => `too much waits for stdin: limit is ${value} bytes (--${flag})`,
  },
  httpBodyBytes: {
    ...bytes,
    flag: "max-http-body-bytes",
    // Base64 makes it a third longer, which is the longest message that clients take.
    default: 48 * mebibyte,
    most: 256 * mebibyte,
    help: "longest body that http/request returns whole; a longer one can be streamed",
    refused: tooMuch("the response body is too long"),
  },
  httpStreams: {
    ...count,
    flag: "max-http-streams",
    default: 1024,
    help: "most streamed bodies of a connection that have not ended",
    refused: tooMany("too many streamed responses"),
  },
  retainedBytes: {
    ...bytes,
    flag: "retained-bytes",
    default: mebibyte,
    help: "output kept for each process",
  },
  retainedChunks: {
    ...count,
    flag: "retained-chunks",
    default: 50_000,
    help: "chunks of output kept for each process",
  },
  retainedTotal: {
    ...bytes,
    flag: "max-retained-bytes",
    default: 256 * mebibyte,
    help: "memory for the output of all processes; beyond it the output of closed ones goes first, then the oldest",
  },
  historyBytes: {
    ...bytes,
    flag: "history-bytes",
    least: 0,
    default: 0,
    help: "files for the output of each process whose start does not say how much; from 1 MiB, and 0 is none",
  },
  historyTotal: {
    ...bytes,
    flag: "max-history-bytes",
    least: mebibyte,
    default: 16 * 1024 * mebibyte,
    help: "files for the output of all processes; beyond it the oldest output of all goes first",
  },
} as const satisfies { readonly [name: string]: Limit }

/** Times for which a server keeps what has ended, in milliseconds; the defaults. */
export const keptMillis = {
  /** A closed process stays readable, and its id taken. */
  closedProcess: 30_000,
  /** A session without a connection can be resumed. */
  detachedSession: 80_000,
} as const

/** The name of a bound. */
export type Name = keyof typeof table

/** A value for each bound. */
export type Limits = { readonly [N in Name]: number }

/** The names of all bounds. */
export const names = Object.keys(table) as ReadonlyArray<Name>

/** The defaults of all bounds. */
export const defaults: Limits = Object.fromEntries(
  names.map((name) => [name, table[name].default]),
) as unknown as Limits

/** The text of the refusal by a bound of that value. */
export const textOf = (name: Name, value: number): string => {
  const limit: Limit = table[name]
  return limit.refused?.(value, limit.flag) ?? `limit is ${value} (--${limit.flag})`
}

/** A bound refused something before any work on it. */
export class LimitError extends Data.TaggedError("LimitError")<{
  /** The limit that was exceeded. */
  readonly limit: Name
  /** Its value, in the unit of the limit. */
  readonly value: number
}> {
  /** The text of the refusal, as the client sees it. */
  override get message(): string {
    return textOf(this.limit, this.value)
  }
}
