/** `process/wait`: what a client waits for, and what it is told. Needs the capability `processWait`. */
import * as Schema from "effect/Schema"
import { Base64 } from "../../protocol/Base64.ts"
import { beyond, nullable } from "../../protocol/Fields.ts"
import { I32, NonZero, U16, U53, U64, Usize } from "../../protocol/Integers.ts"
import { struct } from "../../protocol/Lazy.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

const OutputStream = Schema.Literal("stdout", "stderr", "pty")

/** The most conditions of one wait. */
export const mostConditions = 64

/** The most bytes of output that an answer has by default. */
export const defaultMaxBytes = 65_536

/**
 * One condition: exactly one of `exit`, `closed`, `input` (each true), `pattern`, `idleMs`, `bytes` and `port`.
 *
 * - `exit`: the process has exited. `closed`: no output follows either.
 * - `pattern`: the output behind `afterSeq` has a match, of one stream, also across chunks. `stream` names the stream;
 *   absent is any. `flags` are letters: `i` (either case), `m` (`^` and `$` at every line), `s` (`.` also at the
 *   end of a line), `l` (the pattern is plain text).
 * - `idleMs`: for so long nothing was printed, counted from the begin of the wait.
 * - `bytes`: so many bytes were printed behind `afterSeq`.
 * - `port`: the process or a descendant listens on this TCP port, reached as `host`: an IP address or `localhost`;
 *   absent is any address. With the capability `processWaitPort`.
 * - `input`: the process or a descendant waits for input, and nothing is left to be read. With the capability
 *   `processWaitInput`.
 */
export const Condition = struct("WaitCondition", () => ({
  /** True: the process has exited. */
  exit: beyond(Schema.Boolean),
  /** True: no output follows either. */
  closed: beyond(Schema.Boolean),
  pattern: beyond(Schema.String),
  /** The stream of the pattern; absent is any. */
  stream: beyond(OutputStream),
  flags: beyond(Schema.String),
  /** For so long nothing was printed, counted from the begin of the wait. */
  idleMs: beyond(U53),
  /** So many bytes were printed after `afterSeq`. */
  bytes: beyond(NonZero),
  port: beyond(U16),
  host: beyond(Schema.String),
  /** True: the process waits for input, and nothing is left to be read. */
  input: beyond(Schema.Boolean),
}))
/** One condition of a wait, decoded. */
export type Condition = typeof Condition.Type

/**
 * Waits until one condition of `until` holds, at most `timeoutMs` (absent: no bound), or until the process is closed.
 * Of several that hold, the first of the list counts. The answer has at most `maxBytes` of the output after `afterSeq`
 * (default 65,536).
 */
export const WaitParams = struct("WaitParams", () => ({
  processId: Schema.String,
  afterSeq: nullable(U64),
  /** The conditions; of several that hold the first counts. */
  until: Schema.Array(Condition),
  timeoutMs: nullable(U64),
  maxBytes: nullable(Usize),
}))
/** Decoded params of `process/wait`. */
export type WaitParams = typeof WaitParams.Type

/** A place between two bytes: in front of the byte of that index in the chunk of that seq. */
const Place = struct("OutputPlace", () => ({ seq: U64, offset: U64 }))

/** The match that ends first; of those that end there, the longest. `text` has its first 4,096 bytes. */
export const Match = struct("WaitMatch", () => ({
  stream: OutputStream,
  from: Place,
  to: Place,
  text: Schema.String,
}))

/** Who listens, and on which address. */
export const Listener = struct("WaitListener", () => ({ port: U16, host: Schema.String, pid: U53 }))

/**
 * Who waits for input, and where: at its terminal, or at the pipe that `process/write` writes to. Of a terminal:
 * `echo`, whether it shows what is typed; `line`, whether it gives whole lines; `secret`, whether it gives lines and
 * does not show them, as for a password.
 */
export const Asker = struct("WaitAsker", () => ({
  pid: U53,
  /** Whether it waits at its terminal, or at the pipe that `process/write` writes to. */
  from: Schema.Literal("terminal", "stdin"),
  /** Whether the terminal shows what is typed. */
  echo: Schema.optional(Schema.Boolean),
  /** Whether the terminal gives whole lines. */
  line: Schema.optional(Schema.Boolean),
  /** Whether the terminal gives lines and does not show them, as for a password. */
  secret: Schema.optional(Schema.Boolean),
}))

/** What shows that the condition holds: the member that belongs to it. */
export const Evidence = struct("WaitEvidence", () => ({
  exitCode: Schema.optional(I32),
  /** The match that ends first. */
  match: Schema.optional(Match),
  /** For how long nothing was printed. */
  idleMs: Schema.optional(U53),
  bytes: Schema.optional(U53),
  /** The process that listens. */
  port: Schema.optional(Listener),
  /** The process that waits for input. */
  input: Schema.optional(Asker),
}))

/** Output of an answer; one at the edge of what is left out may be a part of its chunk. */
const Chunk = struct("ProcessOutputChunk", () => ({ seq: U64, stream: OutputStream, chunk: Base64 }))

/** Seqs that the server had no longer. */
const Gap = struct("WaitGap", () => ({ from: U64, to: U64 }))

/** A condition of which nothing is known. */
const Unknown = struct("WaitUnknown", () => ({
  /** The index of the condition. */
  index: U53,
  /** The reason why nothing is known of it. */
  why: Schema.String,
}))

/**
 * `met` is the index of the condition that holds; null at the timeout, and when the process is closed and nothing asked
 * for that. `head` and `tail` are the output after `afterSeq`, of which `omittedBytes` lie between the two. `gap` are
 * seqs that the server had no longer when the wait began. `unknown` names conditions of which nothing is known, and
 * why.
 */
export const WaitResult = struct("WaitResponse", () => ({
  /** The index of the condition that holds; null at the timeout or the end. */
  met: Schema.NullOr(U53),
  /** The evidence that the condition holds. */
  evidence: Schema.NullOr(Evidence),
  nextSeq: U64,
  exited: Schema.Boolean,
  exitCode: Schema.NullOr(I32),
  closed: Schema.Boolean,
  /** The output after `afterSeq`, from its begin. */
  head: Schema.Array(Chunk),
  /** The output behind what was left out. */
  tail: Schema.Array(Chunk),
  /** The bytes between head and tail. */
  omittedBytes: U53,
  /** Seqs that the server had no longer when the wait began. */
  gap: Schema.optional(Gap),
  /** Conditions of which nothing is known. */
  unknown: Schema.optional(Schema.Array(Unknown)),
}))
/** The result of `process/wait`. */
export type WaitResult = typeof WaitResult.Type

/** The wire of the feature. */
export const wait = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `process/wait`. */
    processWait: Schema.Boolean,
    /** Beyond the peer implementation: `port` in `process/wait` can come true. */
    processWaitPort: Schema.Boolean,
    /** Beyond the peer implementation: `input` in `process/wait` can come true. */
    processWaitInput: Schema.Boolean,
  },
  requests: {
    "process/wait": request({
      params: WaitParams,
      result: WaitResult,
      family: "exec",
      slotted: true,
      repeatable: "always",
      cancellable: true,
      says:
        "waits for an exit, text, silence, a port or a question for input, and tells which came " +
        "(beyond the peer; capability processWait)",
    }),
  },
})

Wire.document(wait, {
  since: "1.1",
  adds: {
    "1.1": {
      processWaitPort: ["WaitCondition.port", "WaitCondition.host"],
      processWaitInput: ["WaitCondition.input"],
    },
  },
  examples: () => {
    const chunk = { seq: 1, stream: "stdout", chunk: "aGVsbG8K" }
    return {
      "process/wait": {
        params: [
          {
            processId: "p1",
            afterSeq: 0,
            until: [
              { pattern: "^ready", stream: "stdout", flags: "m" },
              { port: 8080, host: "localhost" },
              { idleMs: 2000 },
              { bytes: 1000 },
              { input: true },
              { closed: true },
              { exit: true },
            ],
            timeoutMs: 30_000,
            maxBytes: 65_536,
          },
        ],
        result: [
          {
            met: 0,
            evidence: {
              match: {
                stream: "stdout",
                from: { seq: 1, offset: 0 },
                to: { seq: 1, offset: 5 },
                text: "ready",
              },
            },
            nextSeq: 2,
            exited: false,
            exitCode: null,
            closed: false,
            head: [chunk],
            tail: [],
            omittedBytes: 0,
            gap: { from: 1, to: 1 },
            unknown: [{ index: 4, why: "the server cannot tell who waits for input" }],
          },
          {
            met: 1,
            evidence: {
              exitCode: 0,
              idleMs: 2000,
              bytes: 1000,
              port: { port: 8080, host: "127.0.0.1", pid: 4711 },
              input: { pid: 4711, from: "terminal", echo: false, line: true, secret: true },
            },
            nextSeq: 1,
            exited: false,
            exitCode: null,
            closed: false,
            head: [],
            tail: [],
            omittedBytes: 0,
          },
        ],
      },
    }
  },
})
