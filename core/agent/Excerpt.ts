/** A part of what a command has printed, and where it lies in its output. */
import type * as Rest from "./Rest.ts"
import type { Transcript } from "./Transcript.ts"

/** Where a text lies in the output of its command. Lines count from 1, bytes from 0. */
export interface Excerpt {
  /** The session ID of the command. */
  readonly sessionId: number
  /** The first byte. */
  readonly fromByte: number
  /** The first byte behind the last one. */
  readonly toByte: number
  /** The first line; of a search, the first that was looked at. */
  readonly fromLine: number
  /** The last line. */
  readonly toLine: number
  /** All that the command has printed so far. */
  readonly bytes: number
  /** The lines of that. */
  readonly lines: number
  /** Of a search: how many lines have a match. */
  readonly matches?: number
}

/** A part of the output: where it is, the text, and what gets what was cut from it. */
export interface Part {
  readonly excerpt: Excerpt
  readonly text: string
  readonly rest?: Rest.Rest
}

/** Bytes from one offset to another. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** Where a range lies. */
export const excerptOf = (sessionId: number, transcript: Transcript, { from, to }: Range): Excerpt => ({
  sessionId,
  fromByte: from,
  toByte: to,
  fromLine: transcript.lineAt(from),
  toLine: transcript.lineAt(Math.max(from, to - 1)),
  bytes: transcript.written,
  lines: transcript.lines,
})
