/**
 * The tool `stop_command`: SIGTERM, SIGKILL of what is left after a grace, and the last output. It ends also what the
 * command has left in the background, be the command over or not.
 */
import * as Effect from "effect/Effect"
import type { Left } from "./Background.ts"
import type { Commands, Known } from "./Commands.ts"
import * as HexId from "./HexId.ts"
import * as Listing from "./Listing.ts"
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
  ({ table, inTurn, collect, stopper, background }: SessionCalls, commands: Commands): Run<StopCommand> =>
  (args, watcher) =>
    Effect.suspend(() => {
      const { session_id: id } = args
      const known = commands.get(id)
      const session = table.use(id)
      const grace = Math.min(Number(args.grace_ms ?? graceMillis.usual), graceMillis.most)
      if (session === undefined) {
        return Effect.flatMap(background.stop(id, grace), (left) =>
          known === undefined && left.length === 0
            ? ToolError.unknownCommand("stop_command", id, commands)
            : alreadyOver(known, left),
        )
      }
      if (known === undefined) return ToolError.unknownCommand("stop_command", id, commands)
      const wait = SessionWait.untilEnd(session, grace + afterKillMillis)
      // Another call may have told of the end meanwhile.
      const call = Effect.suspend(() =>
        table.has(session) ? collect(session, wait, args) : alreadyOver(known, []),
      )
      session.callers += 1
      notify(watcher?.onSession, id)
      // A call that waits for the session has its turn, and ends only when the command does.
      const stopped = Effect.zipRight(stopper.stop(session, "stop", grace), inTurn(session, watcher, call))
      // What has left the process group of the command.
      return Effect.zipWith(stopped, background.stop(id, grace), withLeft)
    })

/** The reply, with a notice of the processes in the background that were ended. */
const withLeft = (reply: Reply, left: ReadonlyArray<Left>): Reply =>
  left.length === 0 ? reply : { ...reply, notices: [...(reply.notices ?? []), ended(left)] }

const ended = (left: ReadonlyArray<Left>): string =>
  ["Ended what the command had left in the background:", ...left.map(Listing.leftToText)].join("\n")

/** The command has ended before, and there is no output that was not told. */
const alreadyOver = (known: Known | undefined, left: ReadonlyArray<Left>): Effect.Effect<Reply> =>
  Effect.map(HexId.next, (chunkId) => {
    const reply: Reply = {
      ...(known === undefined ? {} : ReadOutputTool.stateOf(known)),
      chunkId,
      wallSeconds: 0,
      originalTokenCount: 0,
      output: "",
    }
    if (left.length > 0) return withLeft(reply, left)
    return known?.stopping === undefined
      ? { ...reply, notices: ["The command had ended before."] }
      : { ...reply, endedBy: known.stopping }
  })
