/** The tool `exec_command`: starts a command in a session of its own, waits for it, and replies. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { StartOptions } from "../client/StartOptions.ts"
import * as Command from "./Command.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as HexId from "./HexId.ts"
import { notify, Session } from "./Session.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import * as SessionWait from "./SessionWait.ts"
import * as ToolError from "./ToolError.ts"
import type { ExecCommand } from "./Tools.ts"
import * as Waiting from "./Waiting.ts"

/** `longestMillis` bounds a wait for something. */
export const make = (
  backend: ExecBackend,
  { table, owned, add, inTurn, collect, begin, stopper, background }: SessionCalls,
  defaults: Command.Defaults,
  longestMillis?: number,
): Run<ExecCommand> => {
  const { capabilities } = backend.environmentInfo
  /** The server keeps the deadline where it can. */
  const serverKeepsTime = capabilities?.processDeadlines === true

  const start = (id: number, args: ExecCommand) =>
    Effect.gen(function* () {
      // The session id is for readers of the server's logs; the rest makes the process id unique on the server.
      const processId = `${id}-${yield* HexId.next}`
      const usual: StartOptions = Command.toStart(args, defaults, backend.environmentInfo)
      const command = { ...usual, env: { ...usual.env, ...background.mark(id) } }
      const deadline = serverKeepsTime ? deadlineOf(args) : undefined
      const timed = deadline === undefined ? command : { ...command, timeoutMs: deadline }
      return yield* backend.startSubscribed({ ...timed, processId })
    }).pipe(Effect.mapError(ToolError.notCreated))

  const waitFor = (session: Session, args: ExecCommand, waiting: Waiting.Waiting | undefined) => {
    if (waiting !== undefined) return collect(session, Waiting.run(session, waiting, 0), args)
    const { yieldMillis, earlyExitMillis } = SessionWait
    const millis = SessionWait.clamp(args.yield_time_ms ?? yieldMillis.usual, yieldMillis)
    const early = SessionWait.untilExit(session, earlyExitMillis)
    return Effect.zipRight(early, collect(session, SessionWait.untilEnd(session, millis), args))
  }

  return (args, watcher) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (owned.ended()) return yield* ToolError.closed()
        const read = Waiting.read(args, capabilities, longestMillis)
        if (Either.isLeft(read)) return yield* ToolError.cannotWait("exec_command", read.left)
        const id = yield* table.reserve
        const subscribed = yield* Effect.onError(restore(start(id, args)), () =>
          Effect.sync(() => table.free(id)),
        )
        const about = { id, tty: args.tty ?? false, command: args.cmd }
        const session = new Session(about, subscribed, undefined, begin(about))
        yield* add(session)
        const deadline = deadlineOf(args)
        if (deadline !== undefined && !serverKeepsTime) yield* stopper.deadline(session, deadline)
        notify(watcher?.onSession, id)
        const call = inTurn(session, watcher, waitFor(session, args, read.right))
        return yield* Effect.onInterrupt(restore(call), () =>
          args.kill_on_cancel === true ? stopper.stop(session, "cancel") : Effect.void,
        )
      }),
    )
}

/** In milliseconds, at least the one that a server takes. */
const deadlineOf = ({ timeout_ms }: ExecCommand): number | undefined =>
  timeout_ms === undefined ? undefined : Math.max(1, Number(timeout_ms))
