// @ts-check
// Faults of clients: reconnection, credit, order and recovery of events.
import { drills, faultIn, writers } from "./fault.mjs"

const reconnect = faultIn("core/client/Reconnect.ts")
const policy = faultIn("core/client/ReconnectPolicy.ts")
const current = faultIn("core/client/CurrentConnection.ts")
const follower = faultIn("core/client/ProcessFollower.ts")
const followed = faultIn("core/client/FollowedProcesses.ts")
const starter = faultIn("core/client/ProcessStarter.ts", drills)
const reorder = faultIn("core/client/ReorderBuffer.ts")
const feed = faultIn("core/client/EventFeed.ts")
const credit = faultIn("core/client/CreditWindow.ts")
const flow = faultIn("core/client/FlowControl.ts")
const gap = faultIn("core/client/GapWatch.ts")

export const client = [
  reconnect(
    '          options.resumed(can(session, "sessionReplay"))\n',
    "",
    "followers are not told of a new connection",
  ),
  reconnect("          use(live)\n          options", "          options", "a new connection is not used"),
  reconnect(
    "{ replayAfter: options.lastSeqs() }",
    "{ replayAfter: {} }",
    "a client names nothing to be replayed",
  ),
  reconnect("        current.lost()\n", "", "a lost connection is still used"),
  reconnect("{ takeover: true }", "{ takeover: false }", "no session is taken over"),
  policy(
    "  code === ErrorCode.sessionAttached ||",
    "  false ||",
    "a server that has not noticed the loss yet is final",
  ),
  policy(', "Timeout"]', "]", "an attempt that hangs is final"),
  current("current?.over.unsafeOpen()", "void current", "requests that can be sent again wait for ever"),
  current(
    "      current = { ask, hold, over: Effect.unsafeMakeLatch(false) }\n      wanted.unsafeClose()\n      Deferred.unsafeDone(settled, Effect.void)",
    "      current = { ask, hold, over: Effect.unsafeMakeLatch(false) }\n      wanted.unsafeClose()",
    "requests that wait for a connection are not woken",
  ),
  current("repeatable || isUnsent(error)", "true || isUnsent(error)", "what must not be sent twice is"),
  current("!cause.sent", "cause.sent === undefined", "a request that was never sent fails"),
  follower("    if (buffer.gap) watchGap()\n", "", "a gap is never filled", drills),
  follower(
    "send(method, params, { refusal: outcome.sessionLost })",
    "send(method, params)",
    "a call reaches a process of the next session",
    drills,
  ),
  followed("[id, last()]", "[id, last() + 1]", "a replay is asked for one too late"),
  followed(
    "        if (written.has(id)) follower.role.told(false)\n",
    "",
    "a client that resumes believes to have the roles that it had",
    {
      ...writers,
      survives: "another one has to take the role while its client is away, and have it when that is back",
    },
  ),
  followed(
    "        follower?.role.told(event.writer)\n",
    "",
    "a client does not take note of its role",
    writers,
  ),
  starter(
    "      if (Either.isRight(found)) return yield* follower.takeOver\n",
    "      if (Either.isRight(found)) return\n",
    "a process that is found is not taken up",
  ),
  starter(
    '          if (reason === "EventsLost" || (reason === "Disconnected" && ended() === undefined)) fork(terminate)\n',
    "          void reason\n",
    "a process that nobody follows runs on",
  ),
  starter(
    "      fork(Effect.ensuring(Effect.ignore(end), abandon(follower)))\n",
    "      fork(abandon(follower))\n",
    "a start that is given up leaves its process",
  ),
  reorder(
    "if (this.closed || event.seq <= this.last) return",
    "if (this.closed) return",
    "events that come twice are held",
    drills,
  ),
  reorder("      this.early.delete(firstOf(event))\n", "", "early events stay held", drills),
  reorder(
    "if (seq > this.last) this.hold",
    "if (seq > this.last + 1) this.hold",
    "a read that fills a gap lacks its first event",
  ),
  feed(
    "let at = failure.length > 0 ? last : kept.through()",
    "let at = last",
    "a late consumer misses what was not kept",
  ),
  feed(
    "        consumer.backlog.add(-batch",
    "        consumer.backlog.add(0 * batch",
    "what is consumed counts for ever",
  ),
  feed(
    "    for (const { mailbox, backlog } of consumers) {",
    "    for (const { mailbox, backlog } of [...consumers].slice(0, 1)) {",
    "only the first consumer gets events",
  ),
  credit("    isOpen = false\n", "", "grants are sent before the connection knows its credit", drills),
  credit(
    "left = Math.max(0, size - waiting())",
    "left = size",
    "a new connection begins with the whole window, whatever waits",
    drills,
  ),
  credit("    left += room\n", "", "a grant is not counted", drills),
  flow("    hold(held)\n", "    if (held) hold(held)\n", "a connection that is held is never read again"),
  gap("(running = false)", "(running = true)", "only one gap is watched", drills),
]
