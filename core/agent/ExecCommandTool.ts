/** The tool `exec_command`: starts a command in a session of its own, waits for it, and replies. */
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as HexId from "./HexId.ts"
import { notify, Session } from "./Session.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import * as SessionWait from "./SessionWait.ts"
import * as ToolError from "./ToolError.ts"
import type { ExecCommand } from "./Tools.ts"

export const make = (
  backend: ExecBackend,
  { table, owned, add, inTurn, collect }: SessionCalls,
  defaults: Command.Defaults,
): Run<ExecCommand> => {
  const start = (id: number, args: ExecCommand) =>
    Effect.gen(function* () {
      // The session id is for readers of the server's logs; the rest makes the process id unique on the server.
      const processId = `${id}-${yield* HexId.next}`
      const command = Command.toStart(args, defaults, backend.environmentInfo)
      return yield* backend.startSubscribed({ ...command, processId })
    }).pipe(Effect.mapError(ToolError.notCreated))

  return (args, watcher) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (owned.ended()) return yield* ToolError.closed()
        const id = yield* table.reserve
        const subscribed = yield* Effect.onError(restore(start(id, args)), () =>
          Effect.sync(() => table.free(id)),
        )
        const session = new Session({ id, tty: args.tty ?? false, command: args.cmd }, subscribed)
        yield* add(session)
        notify(watcher?.onSession, id)
        const { yieldMillis, earlyExitMillis } = SessionWait
        const millis = SessionWait.clamp(args.yield_time_ms ?? yieldMillis.usual, yieldMillis)
        const early = SessionWait.untilExit(session, earlyExitMillis)
        return yield* restore(
          inTurn(session, watcher, Effect.zipRight(early, collect(session, millis, args))),
        )
      }),
    )
}
