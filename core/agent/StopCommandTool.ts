/** The tool `stop_command`: SIGTERM, SIGKILL of what is left after a grace, and the last output. */
import * as Effect from "effect/Effect"
import type { Commands, Known } from "./Commands.ts"
import * as HexId from "./HexId.ts"
import * as ReadOutputTool from "./ReadOutputTool.ts"
import type { Reply } from "./Reply.ts"
import { notify } from "./Session.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import * as SessionWait from "./SessionWait.ts"
import { graceMillis } from "./Stopping.ts"
import * as ToolError from "./ToolError.ts"
import type { StopCommand } from "./Tools.ts"

/** How long a killed command may take until its exit is known, in milliseconds. */
const afterKillMillis = 5_000

export const make =
  ({ table, inTurn, collect, stopper }: SessionCalls, commands: Commands): Run<StopCommand> =>
  (args, watcher) =>
    Effect.suspend(() => {
      const { session_id: id } = args
      const known = commands.get(id)
      const session = table.use(id)
      if (known === undefined) return ToolError.unknownCommand("stop_command", id, commands)
      if (session === undefined) return alreadyOver(known)
      const grace = Math.min(Number(args.grace_ms ?? graceMillis.usual), graceMillis.most)
      const wait = SessionWait.untilEnd(session, grace + afterKillMillis)
      // Another call may have told of the end meanwhile.
      const call = Effect.suspend(() =>
        table.has(session) ? collect(session, wait, args) : alreadyOver(known),
      )
      session.callers += 1
      notify(watcher?.onSession, id)
      // A call that waits for the session has its turn, and ends only when the command does.
      return Effect.zipRight(stopper.stop(session, "stop", grace), inTurn(session, watcher, call))
    })

/** There is nothing to stop, and no output that was not told. */
const alreadyOver = (known: Known): Effect.Effect<Reply> =>
  Effect.map(HexId.next, (chunkId) => ({
    ...ReadOutputTool.stateOf(known),
    chunkId,
    wallSeconds: 0,
    originalTokenCount: 0,
    output: "",
    ...(known.stopping === undefined
      ? { notices: ["The command had ended before."] }
      : { endedBy: known.stopping }),
  }))
