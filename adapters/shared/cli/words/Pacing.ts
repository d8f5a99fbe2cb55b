/** When the events of a recording are played. */
import type { Event } from "../../../../core/client/asciicast/Cast.ts"

/** How it is played. */
export interface Options {
  /** So many times as fast. */
  readonly speed: number
  /** Longer silence is played as so many milliseconds of the recording. */
  readonly idleMillis: number
}

/** What is shown, so many milliseconds after the begin. */
export interface Step {
  readonly at: number
  readonly text: string
}

/** The output of a recording, in its order. The time between any two events counts, whatever these are. */
export const steps = (events: ReadonlyArray<Event>, { idleMillis, speed }: Options): ReadonlyArray<Step> => {
  const found: Array<Step> = []
  let [before, at] = [0, 0]
  for (const event of events) {
    at += Math.min(Math.max(0, event.at - before), idleMillis) / speed
    before = event.at
    if (event.kind === "output") found.push({ at, text: event.text })
  }
  return found
}
