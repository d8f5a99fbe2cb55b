/** Shows the events of a process on its terminal. */
import type { Exited } from "../../../../core/client/ProcessEvent.ts"
import type { Receipt } from "../../../../core/features/receipt/wire.ts"
import type { Display } from "../model/Follower.ts"
import { PipeText } from "../model/PipeText.ts"
import type { Screen } from "./Screen.ts"

/** What else hears of them. */
export interface Heard {
  readonly painted: () => void
  readonly exited: (event: Exited) => void
  readonly closed: (receipt: Receipt | undefined) => void
}

/** Makes the display of one process. */
export const make = (screen: Screen, hasHistory: boolean, heard: Heard): Omit<Display, "failed"> => {
  const pipes = new PipeText()
  const elsewhere = hasHistory ? "; the history may have it" : ""
  return {
    output: (stream, bytes) => screen.intake.write(stream === "pty" ? bytes : pipes.take(stream, bytes)),
    room: () => screen.intake.room(),
    paint: ({ size, ansi = "" }) => screen.paint(size, ansi, heard.painted),
    gap: (from, to) => {
      const what = `output ${from} to ${to} was passed over${elsewhere}`
      screen.intake.write(`\u001b[0m\r\n\u001b[2m\u2014 ${what} \u2014\u001b[0m\r\n`)
    },
    exited: heard.exited,
    closed: ({ receipt }) => heard.closed(receipt),
  }
}
