/**
 * `process/history` and `process/grep`: output that the server has written to files. They need the capability
 * `outputHistory`.
 */
import * as Shape from "../../protocol/shape/index.ts"
import { U16, U53, U64, Usize } from "../../protocol/Integers.ts"
import { request } from "../../protocol/Method.ts"
import * as Wire from "../Wire.ts"

/** The least `maxBytes` of a history: 1 MiB. */
export const leastBytes = 1_048_576

/** The most bytes of a part by default. */
export const defaultMaxBytes = 65_536

/** The most bytes of a part. */
export const mostBytes = 16_777_216

/**
 * With the capability `outputHistory`: the output of a process is kept in files, with its seqs. They take at most
 * `maxBytes` (at least 1,048,576), 40 for each chunk included; beyond that the oldest output goes. `process/read` has
 * them, too.
 */
export const History = Shape.struct("OutputHistory", {
  /** The most bytes of files; beyond that the oldest output goes. */
  maxBytes: U53,
})

/**
 * A place in the output: in front of a seq, of a byte (from 0), of a line (from 1), or of what was printed at a time
 * (milliseconds since 1970). Exactly one of them. Bytes and lines are counted over all streams in the order of seq, as
 * `command > file 2>&1` writes them.
 */
export const Point = Shape.struct("OutputPoint", {
  /** A place in the output, by the seq of the event behind it. */
  seq: Shape.beyond(U64),
  byte: Shape.beyond(U53),
  line: Shape.beyond(U53),
  time: Shape.beyond(U53),
})
/** A place in the output, decoded. */
export type Point = typeof Point.Type

/**
 * Asks for what was printed from `from` (default: the begin) up to `to` (default: the end), or for the last `tail`
 * lines, at most `maxBytes` (default 65,536, at most 16,777,216). With `times` the answer has the time
 * of each chunk, and the sizes of a PTY.
 */
export const HistoryParams = Shape.struct("HistoryParams", {
  processId: Shape.string,
  from: Shape.nullable(Point),
  to: Shape.nullable(Point),
  maxBytes: Shape.nullable(Usize),
  /** The last so many lines instead of `from` and `to`. */
  tail: Shape.nullable(U53),
  /** True if the answer has `times`, and the `sizes` of a PTY; the default is false. */
  times: Shape.nullable(Shape.boolean),
})

const OutputStream = Shape.words("stdout", "stderr", "pty")

/** One at the edge of what was asked for may be a part of its chunk. */
const Chunk = Shape.struct("ProcessOutputChunk", { seq: U64, stream: OutputStream, chunk: Shape.bytes })

/** The size of a PTY for the output behind a seq. */
export const OutputSize = Shape.struct("OutputSize", { afterSeq: U64, rows: U16, columns: U16 })

/**
 * A history that has ended before its process: `full`, there is no room on the disk for any; `failed`, for another
 * reason. Output behind `byte` is not in it.
 */
export const HistoryEnd = Shape.struct("HistoryEnd", {
  /** `full`: there is no room on the disk; `failed`: for another reason. */
  reason: Shape.words("full", "failed"),
  /** The place where it has ended. */
  byte: U53,
  message: Shape.string,
})

/** Output that is not kept, since the disk was full: so many of the oldest bytes, although `maxBytes` allows them. */
export const HistoryLoss = Shape.struct("HistoryLoss", {
  /** Bytes of output. */
  bytes: U53,
  message: Shape.string,
})

/**
 * The part begins at `byte`, in `line`: behind `from`, if what is there is no longer kept. `nextByte` is where to read
 * on. `eof`: nothing of what was asked for follows, for now; `closed`: the process prints nothing more. `times` says
 * for each of the chunks when it was taken, in milliseconds since 1970; `sizes` which size the PTY had for the first
 * chunk, and after which seq it had another.
 */
export const HistoryResult = Shape.struct("HistoryResponse", {
  /** The output, in order; those at the edges may be parts of theirs. */
  chunks: Shape.list(Chunk),
  /** When each of the chunks was taken, in milliseconds since 1970. */
  times: Shape.optional(Shape.list(U53)),
  /** The size that the PTY had for the first chunk, and after which seq it had another. */
  sizes: Shape.optional(Shape.list(OutputSize)),
  byte: U53,
  line: U53,
  nextByte: U53,
  /** Nothing of what was asked for follows, for now. */
  eof: Shape.boolean,
  closed: Shape.boolean,
  ended: Shape.optional(HistoryEnd),
  /** Output that is not kept, since the disk was full. */
  lost: Shape.optional(HistoryLoss),
})
/** The result of `process/history`. */
export type HistoryResult = typeof HistoryResult.Type

/** The most matches of an answer by default. */
export const defaultMatches = 100

/** The most matches of an answer. */
export const mostMatches = 10_000

/** The most lines before a match, and behind it. */
export const mostContext = 100

/**
 * Looks for lines with a match, from the line with `from` (default: the oldest that is kept) up to the line with `to`
 * (default: the last), with so many lines `before` and `after` each (default 0, at most 100). `pattern` and `flags` are
 * those of `process/wait`, but that `^` and `$` are always the edges of a line, and no match reaches over one. At most
 * `maxMatches` (default 100, at most 10,000) are returned, and about a mebibyte of text.
 */
export const GrepParams = Shape.struct("GrepParams", {
  processId: Shape.string,
  pattern: Shape.string,
  flags: Shape.nullable(Shape.string),
  from: Shape.nullable(Point),
  to: Shape.nullable(Point),
  before: Shape.nullable(U53),
  after: Shape.nullable(U53),
  /** The most matches to return. */
  maxMatches: Shape.nullable(U53),
})

/**
 * A line with a match: its number, the byte where it begins, the chunk with that byte, and at most its first 4,096
 * bytes, as those of the lines around it.
 */
export const GrepMatch = Shape.struct("GrepMatch", {
  line: U53,
  byte: U53,
  seq: U64,
  text: Shape.string,
  before: Shape.optional(Shape.list(Shape.string)),
  after: Shape.optional(Shape.list(Shape.string)),
})

/**
 * `complete`: everything was looked at that was asked for and has been printed; of a running process that ends with the
 * last end of a line. The next page, and later what is printed meanwhile, is `from: {byte: nextByte}`.
 */
export const GrepResult = Shape.struct("GrepResponse", {
  /** The lines with a match, in order. */
  matches: Shape.list(GrepMatch),
  /** Everything was looked at that was asked for and has been printed. */
  complete: Shape.boolean,
  nextByte: U53,
  closed: Shape.boolean,
  ended: Shape.optional(HistoryEnd),
  /** Output that is not kept, since the disk was full. */
  lost: Shape.optional(HistoryLoss),
})
/** The result of `process/grep`. */
export type GrepResult = typeof GrepResult.Type

/** The wire of the feature. */
export const history = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `history` of `process/start`, `process/history` and `process/grep`. */
    outputHistory: Shape.boolean,
  },
  startFields: {
    /** With the capability `outputHistory`: keeps the output in files. The server's configuration has the default. */
    history: Shape.beyond(History),
  },
  requests: {
    "process/history": request({
      params: HistoryParams,
      result: HistoryResult,
      family: "exec",
      slotted: true,
      repeatable: "always",
      cancellable: true,
      says: "any part of what a process has printed, by seq, byte, line or time (beyond the peer; capability outputHistory)",
    }),
    "process/grep": request({
      params: GrepParams,
      result: GrepResult,
      family: "exec",
      slotted: true,
      repeatable: "always",
      cancellable: true,
      says: "the lines with a match in what a process has printed (beyond the peer; capability outputHistory)",
    }),
  },
})
