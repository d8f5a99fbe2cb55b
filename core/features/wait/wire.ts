/** `process/wait`: what a client waits for, and what it is told. Needs the capability `processWait`. */
import * as Schema from "effect/Schema"
import { Base64 } from "../../protocol/Base64.ts"
import { beyond, nullable } from "../../protocol/Fields.ts"
import { I32, NonZero, U16, U53, U64, Usize } from "../../protocol/Integers.ts"
import { struct } from "../../protocol/Later.ts"
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
  exit: beyond(Schema.Boolean),
  closed: beyond(Schema.Boolean),
  pattern: beyond(Schema.String),
  stream: beyond(OutputStream),
  flags: beyond(Schema.String),
  idleMs: beyond(U53),
  bytes: beyond(NonZero),
  port: beyond(U16),
  host: beyond(Schema.String),
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
  from: Schema.Literal("terminal", "stdin"),
  echo: Schema.optional(Schema.Boolean),
  line: Schema.optional(Schema.Boolean),
  secret: Schema.optional(Schema.Boolean),
}))

/** What shows that the condition holds: the member that belongs to it. */
export const Evidence = struct("WaitEvidence", () => ({
  exitCode: Schema.optional(I32),
  match: Schema.optional(Match),
  idleMs: Schema.optional(U53),
  bytes: Schema.optional(U53),
  port: Schema.optional(Listener),
  input: Schema.optional(Asker),
}))

/** Output of an answer; one at the edge of what is left out may be a part of its chunk. */
const Chunk = struct("ProcessOutputChunk", () => ({ seq: U64, stream: OutputStream, chunk: Base64 }))

/**
 * `met` is the index of the condition that holds; null at the timeout, and when the process is closed and nothing asked
 * for that. `head` and `tail` are the output after `afterSeq`, of which `omittedBytes` lie between the two. `gap` are
 * seqs that the server had no longer when the wait began. `unknown` names conditions of which nothing is known, and
 * why.
 */
export const WaitResult = struct("WaitResponse", () => ({
  met: Schema.NullOr(U53),
  evidence: Schema.NullOr(Evidence),
  nextSeq: U64,
  exited: Schema.Boolean,
  exitCode: Schema.NullOr(I32),
  closed: Schema.Boolean,
  head: Schema.Array(Chunk),
  tail: Schema.Array(Chunk),
  omittedBytes: U53,
  gap: Schema.optional(Schema.Struct({ from: U64, to: U64 }).annotations({ identifier: "WaitGap" })),
  unknown: Schema.optional(
    Schema.Array(
      Schema.Struct({ index: U53, why: Schema.String }).annotations({ identifier: "WaitUnknown" }),
    ),
  ),
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
