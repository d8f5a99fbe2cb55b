/**
 * `process/history` and `process/grep`: output that the server has written to files. They need the capability
 * `outputHistory`.
 */
import * as Schema from "effect/Schema"
import { Base64 } from "./Base64.ts"
import { beyond, nullable } from "./Fields.ts"
import { U16, U53, U64, Usize } from "./Integers.ts"
import { struct } from "./Later.ts"

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
export const History = struct("OutputHistory", () => ({ maxBytes: U53 }))

/**
 * A place in the output: in front of a seq, of a byte (from 0), of a line (from 1), or of what was printed at a time
 * (milliseconds since 1970). Exactly one of them. Bytes and lines are counted over all streams in the order of seq, as
 * `command > file 2>&1` writes them.
 */
export const Point = struct("OutputPoint", () => ({
  seq: beyond(U64),
  byte: beyond(U53),
  line: beyond(U53),
  time: beyond(U53),
}))
/** A place in the output, decoded. */
export type Point = typeof Point.Type

/**
 * Asks for what was printed from `from` (default: the begin) up to `to` (default: the end), or for the last `tail`
 * lines, at most `maxBytes` (default 65,536, at most 16,777,216). With `times` the answer has the time
 * of each chunk, and the sizes of a PTY.
 */
export const HistoryParams = struct("HistoryParams", () => ({
  processId: Schema.String,
  from: nullable(Point),
  to: nullable(Point),
  maxBytes: nullable(Usize),
  tail: nullable(U53),
  times: nullable(Schema.Boolean),
}))
/** Decoded params of `process/history`. */
export type HistoryParams = typeof HistoryParams.Type

const OutputStream = Schema.Literal("stdout", "stderr", "pty")

/** One at the edge of what was asked for may be a part of its chunk. */
const Chunk = struct("ProcessOutputChunk", () => ({ seq: U64, stream: OutputStream, chunk: Base64 }))

/** The size of a PTY for the output behind a seq. */
export const OutputSize = struct("OutputSize", () => ({ afterSeq: U64, rows: U16, columns: U16 }))

/**
 * A history that has ended before its process: `full`, there is no room on the disk for any; `failed`, for another
 * reason. What was printed behind `byte` is not in it.
 */
export const HistoryEnd = struct("HistoryEnd", () => ({
  reason: Schema.Literal("full", "failed"),
  byte: U53,
  message: Schema.String,
}))

/** Output that is not kept, since the disk was full: so many of the oldest bytes, although `maxBytes` allows them. */
export const HistoryLoss = struct("HistoryLoss", () => ({ bytes: U53, message: Schema.String }))

/**
 * The part begins at `byte`, in `line`: behind `from`, if what is there is no longer kept. `nextByte` is where to read
 * on. `eof`: nothing of what was asked for follows, for now; `closed`: the process prints nothing more. `times` says
 * for each of the chunks when it was taken, in milliseconds since 1970; `sizes` which size the PTY had for the first
 * chunk, and after which seq it had another.
 */
export const HistoryResult = struct("HistoryResponse", () => ({
  chunks: Schema.Array(Chunk),
  times: Schema.optional(Schema.Array(U53)),
  sizes: Schema.optional(Schema.Array(OutputSize)),
  byte: U53,
  line: U53,
  nextByte: U53,
  eof: Schema.Boolean,
  closed: Schema.Boolean,
  ended: Schema.optional(HistoryEnd),
  lost: Schema.optional(HistoryLoss),
}))
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
export const GrepParams = struct("GrepParams", () => ({
  processId: Schema.String,
  pattern: Schema.String,
  flags: nullable(Schema.String),
  from: nullable(Point),
  to: nullable(Point),
  before: nullable(U53),
  after: nullable(U53),
  maxMatches: nullable(U53),
}))
/** Decoded params of `process/grep`. */
export type GrepParams = typeof GrepParams.Type

/**
 * A line with a match: its number, the byte where it begins, the chunk with that byte, and at most its first 4,096
 * bytes, as those of the lines around it.
 */
export const GrepMatch = struct("GrepMatch", () => ({
  line: U53,
  byte: U53,
  seq: U64,
  text: Schema.String,
  before: Schema.optional(Schema.Array(Schema.String)),
  after: Schema.optional(Schema.Array(Schema.String)),
}))

/**
 * `complete`: everything was looked at that was asked for and has been printed; of a running process that ends with the
 * last end of a line. The next page, and later what is printed meanwhile, is `from: {byte: nextByte}`.
 */
export const GrepResult = struct("GrepResponse", () => ({
  matches: Schema.Array(GrepMatch),
  complete: Schema.Boolean,
  nextByte: U53,
  closed: Schema.Boolean,
  ended: Schema.optional(HistoryEnd),
  lost: Schema.optional(HistoryLoss),
}))
/** The result of `process/grep`. */
export type GrepResult = typeof GrepResult.Type
