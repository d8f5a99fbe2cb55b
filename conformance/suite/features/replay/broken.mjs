// @ts-check
// Servers that are wrong in replays.
import { fault, less, mapped, resume } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */

/** The seqs behind which a replay begins. @param {(seq: any) => any} change */
const replay = (change) =>
  resume((asked) =>
    asked.replayAfter ? { ...asked, replayAfter: mapped(asked.replayAfter, change) } : asked,
  )

/** @type {readonly WireFault[]} */
export const broken = [
  fault`replay-ignored: A replay is announced, asked for, and does not happen.
    session/replay/missed-is-pushed session/replay/exit-and-end session/replay/again-for-each-resume
    session/replay/goes-over-into-the-new`.by(resume((asked) => less(asked, "replayAfter"))),
  fault`replay-from-the-start: A replay pushes everything that is retained, whatever the client has.
    session/replay/missed-is-pushed session/replay/again-for-each-resume`.by(replay(() => 0)),
]
