/** The calls of a process that ask for its history. */
import * as Effect from "effect/Effect"
import type { GrepResult, HistoryResult } from "../protocol/History.ts"
import type { Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"

/**
 * A place in the output: `{seq}`, `{byte}` (from 0), `{line}` (from 1) or `{time}` (milliseconds since 1970), counted
 * over all streams in the order of seq.
 */
export type OutputPoint = NonNullable<Encoded<"process/history">["from"]>

/** Options of `history`; they are those of the wire. */
export interface HistoryOptions {
  /** Where to begin. Default: at the oldest that is kept. */
  readonly from?: OutputPoint
  /** Where to end, in front of that. Default: at what was printed last. */
  readonly to?: OutputPoint
  /** Instead of `from`: the last lines, so many. */
  readonly tail?: number
  /** The most bytes to return, decoded. Default: 65,536; at most 16 MiB. */
  readonly maxBytes?: number
  /** Whether the answer has `times`, when each chunk was taken, and the `sizes` of a PTY. Default: false. */
  readonly times?: boolean
}

const historyNames = {
  from: true,
  to: true,
  tail: true,
  maxBytes: true,
  times: true,
} satisfies OptionNames.Names<HistoryOptions>

/** Options of `grep`; they are those of the wire. */
export interface GrepOptions {
  /** What a line has to match: RE2 syntax, without classes of Unicode. */
  readonly pattern: string
  /** Letters: `i` (either case), `l` (the pattern is plain text). Default: none. */
  readonly flags?: string
  /** Where to begin, with the line there. Default: at the oldest that is kept. */
  readonly from?: OutputPoint
  /** Where to end, in front of the line there. Default: at what was printed last. */
  readonly to?: OutputPoint
  /** Lines before each match, at most 100. Default: 0. */
  readonly before?: number
  /** Lines behind each match, at most 100. Default: 0. */
  readonly after?: number
  /** The most matches to return, at most 10,000. Default: 100. */
  readonly maxMatches?: number
}

const grepNames = {
  pattern: true,
  flags: true,
  from: true,
  to: true,
  before: true,
  after: true,
  maxMatches: true,
} satisfies OptionNames.Names<GrepOptions>

/**
 * Asks for lines with a match.
 * @internal
 */
export const grep = (
  { id, call }: ProcessFollower,
  options: GrepOptions,
): Effect.Effect<GrepResult, ClientError> =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("grep", grepNames, options)
    return refusal === undefined ? call("process/grep", { processId: id, ...options }) : Effect.fail(refusal)
  })

/**
 * Asks for a part of the output.
 * @internal
 */
export const history = (
  { id, call }: ProcessFollower,
  options: HistoryOptions = {},
): Effect.Effect<HistoryResult, ClientError> =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("history", historyNames, options)
    return refusal === undefined
      ? call("process/history", { processId: id, ...options })
      : Effect.fail(refusal)
  })
