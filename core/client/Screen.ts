/** What the terminal of a process shows: the options of the call, and the call. */
import * as Effect from "effect/Effect"
import type { Format, ScreenResult } from "../protocol/Screen.ts"
import type { ClientError } from "./ClientError.ts"
import * as OptionNames from "./OptionNames.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"

/** Options of `screen`; they are those of the wire. */
export interface ScreenOptions {
  /** The picture after the output up to and including this seq. Default: now. */
  readonly seq?: number
  /** What to return of it: `text`, `ansi`, `lines`. Default: `["text"]`. */
  readonly formats?: ReadonlyArray<Format>
  /** The most lines to return that have left the screen at its top; the server keeps up to 1,000. Default: 0. */
  readonly scrollback?: number
}

const names = { seq: true, formats: true, scrollback: true } satisfies OptionNames.Names<ScreenOptions>

/**
 * Asks for the picture.
 * @internal
 */
export const screen = (
  { id, call }: ProcessFollower,
  options: ScreenOptions = {},
): Effect.Effect<ScreenResult, ClientError> =>
  Effect.suspend(() => {
    const refusal = OptionNames.refusal("screen", names, options)
    return refusal === undefined
      ? call("process/screen", { processId: id, ...options })
      : Effect.fail(refusal)
  })
