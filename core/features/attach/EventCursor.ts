/**
 * The events of a process for one attachment: every event above a seq, and a gap in place of output that the log no
 * longer has. An event that is no output is never in a gap.
 */
import type { Attachment } from "../../process/Attachment.ts"
import type { Process } from "../../process/Process.ts"
import type { ScreenResult } from "../screen/wire.ts"

/** Paints what the terminal shows now, and calls `done` with it, later than it returns; undefined if it cannot. */
export type Paint = (done: (picture: ScreenResult | undefined) => void) => void

/** How the reader of an attachment lags. */
export interface Lag {
  /** The child waits for it. Otherwise it may miss output. */
  readonly holds: boolean
  /** Where it has missed some, it jumps to this picture. Its `done` is followed by the next look for an event. */
  readonly paint?: Paint | undefined
  /** False while a gap cannot be told, and a picture would be old when it can. */
  readonly ready?: () => boolean
}

/** The events of a process above `seq`. */
export const after = (
  process: Process,
  seq: number,
  { holds, paint, ready = () => true }: Lag,
): Attachment => {
  const reader = holds ? process.attach(seq) : watcher(process, seq)
  let last = seq
  /** What stands for the next gap; undefined is not asked for. */
  let picture: ScreenResult | "asked" | "none" | undefined
  /** Output up to here is in a picture. */
  let painted = 0
  const next = (): ReturnType<Attachment["next"]> => {
    let event = reader.next()
    while (event?.kind === "output" && event.seq <= painted) {
      reader.advance(event.seq)
      event = reader.next()
    }
    // Every seq belongs to an event, so one that nothing has any more was output.
    const end = event?.seq ?? process.log.nextSeq()
    if (end <= last + 1) return event
    const gap = { kind: "gap", from: last + 1, seq: end - 1 } as const
    if (paint === undefined || picture === "none") return gap
    if (typeof picture === "object") return { ...gap, seq: Math.min(gap.seq, picture.seq), screen: picture }
    if (last < painted) return { ...gap, seq: Math.min(gap.seq, painted) }
    if (picture === undefined && ready()) {
      picture = "asked"
      paint((done) => {
        picture = done ?? "none"
        painted = done?.seq ?? painted
      })
    }
    return undefined
  }
  return {
    next,
    advance: (seq) => {
      last = seq
      picture = undefined
      reader.advance(seq)
    },
    detach: reader.detach,
  }
}

/** A reader that holds nothing: what leaves the log before it has come does not come. */
const watcher = (process: Process, seq: number): Attachment => {
  let last = seq
  const reader = {
    next: () => process.eventAfter(last),
    advance: (seq: number) => {
      last = seq
    },
    detach: () => {},
  }
  return process.watched(reader)
}
