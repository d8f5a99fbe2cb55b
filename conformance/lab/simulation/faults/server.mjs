// @ts-check
// Faults of sessions, of connections and of what they send.
import { drills, faultIn } from "./fault.mjs"

const notifier = faultIn("core/server/Notifier.ts")
const sender = faultIn("core/server/FairSender.ts")
const sessions = faultIn("core/session/SessionRegistry.ts")
const handlers = faultIn("core/server/handlers/session.ts")
const starts = faultIn("core/server/handlers/start.ts")
const connection = faultIn("core/server/ServerConnection.ts")
const calls = faultIn("core/rpc/PendingCalls.ts")
const rpc = faultIn("core/rpc/Connection.ts")
const slots = faultIn("core/rpc/RequestSlots.ts")
const requests = faultIn("core/rpc/Requests.ts")
const intake = faultIn("core/rpc/Intake.ts")

export const server = [
  notifier(
    "    attachment.advance(event.seq)\n",
    "    attachment.advance(event.seq + 1)\n",
    "a cursor advances twice",
  ),
  notifier("begin(followed, seq).wake()", "begin(followed, seq)", "a resumed process is not looked at"),
  notifier("      following.get(followed)?.wake()\n", "", "a grant of credit wakes nobody"),
  notifier("        credit.left -= counts\n", "        credit.left -= 2 * counts\n", "credit is taken twice"),
  notifier(
    "    attachment.detach()\n    ended()",
    "    ended()",
    "a lost connection keeps its place in the log",
  ),
  notifier(
    "for (const { stop } of following.values()) stop()",
    "void following",
    "a lost connection stays attached",
  ),
  sender(
    "      writable = !stopped\n      pump()",
    "      writable = !stopped",
    "nothing is sent after a drain",
  ),
  sender("if (source()) sources.add(source)", "source()", "a source has one turn"),
  faultIn("core/session/Expiry.ts")(
    "    if (entry.detachment !== detachment) return\n",
    "",
    "a session expires although it was resumed",
  ),
  sessions("  entry.detachment = undefined\n", "", "a resumed session can be resumed once more"),
  sessions("  entry.holder = holder\n", "", "a resumed session is nobody's"),
  sessions(
    "        if (entry.holder !== holder) return Effect.void\n",
    "",
    "a connection that has lost its session detaches it from the next",
  ),
  sessions(
    "leaving.push(before.taken(session))",
    "before.taken(session)",
    "a connection that was taken from keeps its place in the logs",
    drills,
  ),
  sessions("  session.processes.release()\n", "", "a start whose client is gone holds its output", drills),
  sessions("        table.delete(id)\n", "", "an ended session is found again"),
  handlers(
    "fresh ? 0 : replayFrom(process, replayAfter)",
    "fresh ? 0 : replayFrom(process, replayAfter) + 1",
    "a replay begins one too late",
  ),
  handlers("named(credit, process.id)),", "undefined),", "a resumed process has no credit", drills),
  starts("        process.release()\n", "", "a start holds its output for ever"),
  starts(
    "notifier.attach(process, 0, credit)",
    "notifier.attach(process, 1, credit)",
    "the first event of a process is not sent",
  ),
  connection(
    "return session === undefined ? Effect.void : sessions.detach(session, holder)",
    "return Effect.void",
    "a lost connection does not detach its session",
  ),
  connection("    connection.onDrain(sender.drain)\n", "", "a full connection is never continued"),
  calls(
    "    this.callers.delete(id)\n    resume(answer)",
    "    resume(answer)",
    "an answered call stays known",
    drills,
  ),
  calls(
    "    for (const resume of this.callers.values()) resume(Exit.fail(ended))\n",
    "",
    "calls on a lost connection wait for ever",
  ),
  rpc(
    "      requests.admit()\n      drained()",
    "      drained()",
    "requests that wait for a reader are not begun",
    {
      survives:
        "it takes 8 Mi of answers that the peer does not read, requests behind them, and none after those",
    },
  ),
  slots("    this.taken -= 1\n", "", "a slot is not given back"),
  requests(
    "      slots.release()\n      admit()",
    "      slots.release()",
    "a free slot wakes no request",
    drills,
  ),
  requests("        hook?.(Exit.isSuccess(exit))\n", "", "what follows an answer does not happen"),
  intake(
    "if (this.isOpen) this.latch.unsafeOpen()",
    "if (this.isOpen) void 0",
    "a closed intake never opens",
  ),
]
