// @ts-check
// Faults of those who look on. The programs `viewers` find them, beside the processes of `sessions`.
import { faultIn, viewers as played, writers } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

const told = faultIn("core/process/Told.ts", played)
const notifier = faultIn("core/server/Notifier.ts", played)
const turns = faultIn("core/server/Turns.ts", played)
const screens = faultIn("core/process/screen/Feed.ts", writers)
const attaching = faultIn("core/client/Attaching.ts", played)

/** @type {readonly Fault[]} */
export const viewers = [
  told("if (end <= last + 1) return event\n", "return event\n", "what is missing is not told"),
  told(
    'const gap = { kind: "gap", from: last + 1, seq: end - 1 } as const',
    'const gap = { kind: "gap", from: last + 1, seq: end } as const',
    "a gap has an event that is there",
  ),
  told(
    "const reader = holds ? process.attach(seq) : watcher(process, seq)",
    "const reader = watcher(process, seq)",
    "a child does not wait for whoever may have it wait",
  ),
  told("      last = seq\n      picture = undefined", "      picture = undefined", "a gap is told again"),
  told("painted = done?.seq ?? painted", "painted = 0", "output of a picture comes again", writers),
  told("event.seq <= painted", "event.seq < painted", "the last output of a picture comes again", writers),
  notifier("    if (!stopped) wake()\n", "", "a picture wakes nobody", writers),
  screens(
    "    this.seq = seq - 1\n",
    "    this.seq = seq\n",
    "a picture that begins anew lacks its first output",
  ),
  screens("    this.fromSeq = seq\n", "", "a picture that begins anew claims to have everything"),
  notifier("    attachment.detach()\n    ended()", "    ended()", "a child waits for whoever has left"),
  turns(
    "    if (source()) queue()\n    else listen()\n",
    "    if (source()) queue()\n",
    "who has seen all is told no more",
  ),
  turns("    due = false\n    if (source())", "    if (source())", "who looks on has one turn"),
  attaching("afterSeq: follower.last(),", "afterSeq: 0,", "a connection that is back tells everything again"),
]
