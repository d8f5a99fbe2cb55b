/** `process/wait`: the conditions of a client, and the answer. Needs the capability `processWait`. */
import * as Shape from "../../protocol/shape/index.ts"
import { I32, NonZero, U16, U53, U64, Usize } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

const OutputStream = Shape.words("stdout", "stderr", "pty")

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
export const Condition = Shape.struct("WaitCondition", {
  /** True: the process has exited. */
  exit: Shape.beyond(Shape.boolean),
  /** True: no output follows either. */
  closed: Shape.beyond(Shape.boolean),
  pattern: Shape.beyond(Shape.string),
  /** The stream of the pattern; absent is any. */
  stream: Shape.beyond(OutputStream),
  flags: Shape.beyond(Shape.string),
  /** For so long nothing was printed, counted from the begin of the wait. */
  idleMs: Shape.beyond(U53),
  /** So many bytes were printed after `afterSeq`. */
  bytes: Shape.beyond(NonZero),
  port: Shape.beyond(U16),
  host: Shape.beyond(Shape.string),
  /** True: the process waits for input, and nothing is left to be read. */
  input: Shape.beyond(Shape.boolean),
})
/** One condition of a wait, decoded. */
export type Condition = typeof Condition.Type

/**
 * Waits until one condition of `until` holds, at most `timeoutMs` (absent: no bound), or until the process is closed.
 * Of several that hold, the first of the list counts. The answer has at most `maxBytes` of the output after `afterSeq`
 * (default 65,536).
 */
export const WaitParams = Shape.struct("WaitParams", {
  processId: Shape.string,
  afterSeq: Shape.nullable(U64),
  /** The conditions; of several that hold the first counts. */
  until: Shape.list(Condition),
  timeoutMs: Shape.nullable(U64),
  maxBytes: Shape.nullable(Usize),
})

/** A place between two bytes: in front of the byte of that index in the chunk of that seq. */
export const Place = Shape.struct("OutputPlace", { seq: U64, offset: U64 })
/** A place between two bytes. */
export type Place = typeof Place.Type

/** The match that ends first; of those that end there, the longest. `text` has its first 4,096 bytes. */
export const Match = Shape.struct("WaitMatch", {
  stream: OutputStream,
  from: Place,
  to: Place,
  text: Shape.string,
})
/** The match of a pattern. */
export type Match = typeof Match.Type

/** The process that listens, and its address. */
export const Listener = Shape.struct("WaitListener", { port: U16, host: Shape.string, pid: U53 })

/**
 * A process that waits for input, at its terminal or at the pipe that `process/write` writes to. Of a terminal: `echo`,
 * if it shows what is typed; `line`, if it gives whole lines; `secret`, if it gives lines and does not show them, as
 * for a password.
 */
export const Asker = Shape.struct("WaitAsker", {
  pid: U53,
  /** The source of the input: its terminal, or the pipe that `process/write` writes to. */
  from: Shape.words("terminal", "stdin"),
  /** True if the terminal shows what is typed. */
  echo: Shape.optional(Shape.boolean),
  /** True if the terminal gives whole lines. */
  line: Shape.optional(Shape.boolean),
  /** True if the terminal gives lines and does not show them, as for a password. */
  secret: Shape.optional(Shape.boolean),
})

/** The fact that shows that the condition holds: the member that belongs to it. */
export const Evidence = Shape.struct("WaitEvidence", {
  exitCode: Shape.optional(I32),
  /** The match that ends first. */
  match: Shape.optional(Match),
  /** Milliseconds without output. */
  idleMs: Shape.optional(U53),
  bytes: Shape.optional(U53),
  /** The process that listens. */
  port: Shape.optional(Listener),
  /** The process that waits for input. */
  input: Shape.optional(Asker),
})
/** The evidence of a condition. */
export type Evidence = typeof Evidence.Type

/** Output of an answer; one at the edge of what is left out may be a part of its chunk. */
const Chunk = Shape.struct("ProcessOutputChunk", { seq: U64, stream: OutputStream, chunk: Shape.bytes })

/** Seqs that the server had no longer. */
const Gap = Shape.struct("WaitGap", { from: U64, to: U64 })

/** A condition of which nothing is known. */
const Unknown = Shape.struct("WaitUnknown", {
  /** The index of the condition. */
  index: U53,
  /** The reason why nothing is known of it. */
  why: Shape.string,
})

/**
 * `met` is the index of the condition that holds; null at the timeout, and when the process is closed and nothing asked
 * for that. `head` and `tail` are the output after `afterSeq`, of which `omittedBytes` lie between the two. `gap` are
 * seqs that the server had no longer when the wait began. `unknown` names conditions of which nothing is known, and
 * why.
 */
export const WaitResult = Shape.struct("WaitResponse", {
  /** The index of the condition that holds; null at the timeout or the end. */
  met: Shape.nullOr(U53),
  /** The evidence that the condition holds. */
  evidence: Shape.nullOr(Evidence),
  nextSeq: U64,
  exited: Shape.boolean,
  exitCode: Shape.nullOr(I32),
  closed: Shape.boolean,
  /** The output after `afterSeq`, from its begin. */
  head: Shape.list(Chunk),
  /** The output behind what was left out. */
  tail: Shape.list(Chunk),
  /** The bytes between head and tail. */
  omittedBytes: U53,
  /** Seqs that the server had no longer when the wait began. */
  gap: Shape.optional(Gap),
  /** Conditions of which nothing is known. */
  unknown: Shape.optional(Shape.list(Unknown)),
})
/** The result of `process/wait`. */
export type WaitResult = typeof WaitResult.Type

/** The wire of the feature. */
export const wait = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `process/wait`. */
    processWait: Shape.boolean,
    /** Beyond the peer implementation: `port` in `process/wait` can come true. */
    processWaitPort: Shape.boolean,
    /** Beyond the peer implementation: `input` in `process/wait` can come true. */
    processWaitInput: Shape.boolean,
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
