/** Recordings of terminals in the format of asciinema, asciicast, of its versions 2 and 3. */
import * as Data from "effect/Data"

/** The header of a recording. */
export interface Header {
  /** The version of the format. */
  readonly version: 2 | 3
  /** The columns of the terminal at the begin. */
  readonly columns: number
  /** Its rows. */
  readonly rows: number
  /** When it began, in seconds since 1970. */
  readonly timestamp?: number | undefined
  /** Its title. */
  readonly title?: string | undefined
  /** The command that ran in the terminal. */
  readonly command?: string | undefined
  /** The kind of the terminal, as `TERM` has it. */
  readonly term?: string | undefined
  /** Longer silence is played as so many seconds. */
  readonly idleTimeLimit?: number | undefined
}

/** An event, `at` so many milliseconds after the begin. */
export type Event =
  | { readonly kind: "output" | "input" | "marker"; readonly at: number; readonly text: string }
  | { readonly kind: "resize"; readonly at: number; readonly columns: number; readonly rows: number }
  | { readonly kind: "exit"; readonly at: number; readonly code: number }

/** A whole recording. */
export interface Cast {
  /** Its header. */
  readonly header: Header
  /** In the order of time. */
  readonly events: ReadonlyArray<Event>
}

/** Why a text is no recording. */
export type CastReason =
  /** The first line is no header. */
  | "Header"
  /** It is of a version that is not known. */
  | "Version"
  /** A line is no event. */
  | "Event"

/** A text that is no recording. */
export class CastError extends Data.TaggedError("CastError")<{
  /** Why it is none. */
  readonly reason: CastReason
  /** The line, counted from 1. */
  readonly line: number
  /** The same in words. */
  readonly message: string
}> {}
