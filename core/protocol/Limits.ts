/**
 * Every bound that an operator can set, as data: THE table from which the flags of `procwire serve`, their
 * help, the README and the errors are made.
 *
 * Whoever enforces a bound takes a plain number, checks it before any work, and says what it refuses in
 * the words of this table, which name the bound and its value.
 */
import * as Data from "effect/Data"

export interface Limit {
  readonly flag: string
  readonly unit: "count" | "bytes"
  readonly default: number
  /** Smallest value that leaves a server of any use, and largest that it can hold to. */
  readonly least: number
  readonly most: number
  readonly help: string
  /** What is refused beyond the bound; undefined where nothing is: more waits its turn, or is evicted. */
  readonly refused?: (value: number, flag: string) => string
}

const mebibyte = 1024 * 1024

const tooMany = (what: string) => (value: number, flag: string) => `${what}: limit is ${value} (--${flag})`

const tooMuch = (what: string) => (value: number, flag: string) =>
  `${what}: limit is ${value} bytes (--${flag})`

const count = { unit: "count", least: 1, most: Number.MAX_SAFE_INTEGER } as const
const bytes = { unit: "bytes", least: 1, most: Number.MAX_SAFE_INTEGER } as const

/** The peer implementation's words name no number where the bound is its own. */
export const peerDepth = 127

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
    // Below the longest string of every engine.
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
    // In base64 the largest message that clients take is a third longer.
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
} as const satisfies { readonly [name: string]: Limit }

export type Name = keyof typeof table

/** A value for each bound. */
export type Limits = { readonly [N in Name]: number }

export const names = Object.keys(table) as ReadonlyArray<Name>

export const defaults: Limits = Object.fromEntries(
  names.map((name) => [name, table[name].default]),
) as unknown as Limits

/** What is said to whoever went beyond a bound of that value. */
export const textOf = (name: Name, value: number): string => {
  const limit: Limit = table[name]
  return limit.refused?.(value, limit.flag) ?? `limit is ${value} (--${limit.flag})`
}

/** Something was refused because of a bound, before any work on it. */
export class LimitError extends Data.TaggedError("LimitError")<{
  readonly limit: Name
  readonly value: number
}> {
  override get message(): string {
    return textOf(this.limit, this.value)
  }
}
