// @ts-check
// Faults of waits and of deadlines. The programs `waits` find them, which are not played otherwise.
import { faultIn, waits as played } from "./fault.mjs"

/** @import { Fault } from "./fault.mjs" */

const waiting = faultIn("core/process/wait/Waits.ts", played)
const wait = faultIn("core/process/wait/Wait.ts", played)
const search = faultIn("core/process/wait/OutputSearch.ts", played)
const scan = faultIn("core/process/wait/StreamScan.ts", played)
const printed = faultIn("core/process/wait/Printed.ts", played)
const deadline = faultIn("core/process/Deadline.ts", played)
const cause = faultIn("core/process/Cause.ts", played)

/** @type {readonly Fault[]} */
export const waits = [
  waiting(
    "    this.search.advance()\n    this.look()\n",
    "    this.search.advance()\n",
    "a change wakes no wait",
  ),
  waiting("    this.search.advance()\n", "", "new output is not searched"),
  waiting(
    "    const asks = wait.begin()\n    wait.look()\n",
    "    const asks = wait.begin()\n",
    "a wait misses what is so when it begins",
  ),
  waiting("      this.lastOutputAt = clock.unsafeCurrentTimeMillis()\n", "", "output does not end a silence"),
  waiting(
    "if (this.waits.size > 0) return\n    this.unsubscribe",
    "if (this.waits.size > 1) return\n    this.unsubscribe",
    "a wait that ends takes the subscription of the last one with it",
  ),
  waiting(
    "Math.min(request.afterSeq, this.process.log.nextSeq() - 1)",
    "Math.min(request.afterSeq, this.process.log.nextSeq())",
    "a wait behind the last seq skips one",
  ),
  wait(
    "Math.max(this.begunAt, this.shared.lastOutputAt)",
    "this.shared.lastOutputAt",
    "silence counts from before a wait",
  ),
  wait(
    "idleMs >= condition.millis",
    "idleMs >= condition.millis - 1",
    "a silence ends one millisecond too soon",
  ),
  wait(" || this.shared.process.closed !== undefined) this", ") this", "the end of a process ends no wait"),
  wait(
    "Math.min(this.begunAt + this.request.timeoutMillis, ...idle)",
    "Math.min(...idle)",
    "a timeout is not looked at",
  ),
  wait("log.written() - this.from", "log.written()", "bytes before a wait count"),
  search(
    "    if (begun) scan?.add(search, state, place)\n    else scan?.addFresh(search)",
    "    scan?.addFresh(search)",
    "what a search has read before is forgotten",
  ),
  search("attachment.advance(event.seq)", "attachment.advance(event.seq + 1)", "a search skips an event"),
  search(
    "`${stream} ${afterSeq} ${name}`",
    "`${stream} ${name}`",
    "a search is shared by waits behind another seq",
  ),
  search("    if (this.searches.size > 0) return\n", "", "a search is let go while others go on"),
  scan("      at = 1\n", "", "the first byte of a search is read twice"),
  scan(
    "        this.groups[index]?.searches.clear()\n",
    "        this.groups.forEach(({ searches }) => searches.clear())\n",
    "a match ends every search",
  ),
  scan(
    "    this.side = sideOf(bytes[bytes.length - 1] ?? 0)\n    this.place = { seq, offset: bytes.length }\n",
    "    this.place = { seq, offset: 0 }\n",
    "the end of the text is put in front of its last chunk",
  ),
  printed(
    "event.seq > seq && event.seq < end",
    "event.seq > seq && event.seq > end",
    "an exit counts as a gap",
  ),
  deadline(
    "        since = Math.max(since, this.lastOutput)\n",
    "",
    "output does not delay the end for silence",
  ),
  deadline(
    "        this.lastOutput = this.clock.unsafeCurrentTimeMillis()\n",
    "",
    "output is not taken down",
  ),
  deadline(
    "    if (!process.hasEnded) return yield* Control.terminate(process)\n    if",
    "    if",
    "what does not end within the grace is not killed",
  ),
  deadline(
    "    yield* Effect.sleep(Math.max(0, until - (yield* Clock.currentTimeMillis)))\n",
    "",
    "descendants have no grace",
  ),
  deadline(
    "    if (!(yield* hasDescendants(child))) return\n    yield* child.kill",
    "    yield* child.kill",
    "what has ended within the grace is killed",
  ),
  deadline("    process.cause.ask(asked)\n", "", "an exit does not say that a deadline has ended it"),
  cause(
    "    this.asked ??= asked\n",
    '    this.asked = asked === "idleTimeout" ? "timeout" : asked\n',
    "one deadline counts as the other",
  ),
]
