/** The tool `write_stdin`: writes to the command of a session, or only waits for it, and replies. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { utf8 } from "../protocol/Bytes.ts"
import type { Server } from "./ExecBackend.ts"
import { notify, type Session } from "./Session.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import * as SessionWait from "./SessionWait.ts"
import * as ToolError from "./ToolError.ts"
import type { WriteStdin } from "./Tools.ts"
import * as Waiting from "./Waiting.ts"

/** Ctrl-C. With a terminal it is written like any character; without one it sends SIGINT. */
const interrupt = "\u0003"

/** `longestPollMillis` bounds a call without characters, and a wait for something. */
export const make = (
  { table, whyUnknown, owned, inTurn, collect, stopper }: SessionCalls,
  server: Server | undefined,
  longestPollMillis?: number,
): Run<WriteStdin> => {
  /** Writes the characters. What the process does not read in time stays in flight. */
  const write = (session: Session, chars: string, millis: number, waits: boolean) =>
    Effect.gen(function* () {
      const { tty, process } = session
      if (!tty && chars !== interrupt) return yield* ToolError.stdinClosed()
      if (session.over) return
      const sending = yield* owned.background(
        Effect.either(tty ? process.write(utf8.encode(chars)) : process.interrupt),
      )
      const sent = yield* SessionWait.untilDone(sending, millis)
      if (sent !== undefined && Either.isLeft(sent)) {
        // A process that is exiting refuses input: the reply then reports the exit, not the refusal.
        yield* SessionWait.untilExit(session, SessionWait.earlyExitMillis)
        if (!session.over) return yield* ToolError.notWritten(sent.left)
      } else if (tty && !waits) yield* Effect.sleep(SessionWait.afterWriteMillis)
    })

  return (args, watcher) =>
    Effect.suspend(() => {
      const { yieldMillis, pollMillis } = SessionWait
      const { session_id: id, yield_time_ms: asked = yieldMillis.least } = args
      const chars = args.chars ?? ""
      const session = table.use(id)
      if (session === undefined) return ToolError.unknownSession(id, whyUnknown(id))
      const read = Waiting.read(args, server, longestPollMillis)
      if (Either.isLeft(read)) return ToolError.cannotWait("write_stdin", read.left)
      const waiting = read.right
      const bounds =
        chars === "" ? { ...pollMillis, most: longestPollMillis ?? pollMillis.most } : yieldMillis
      const millis = SessionWait.clamp(asked, bounds)
      const call = Effect.gen(function* () {
        // The call before this one may have reported the exit and removed the session.
        if (!table.has(session)) return yield* ToolError.unknownSession(id)
        if (args.timeout_ms !== undefined) yield* stopper.deadline(session, Number(args.timeout_ms))
        // What was printed before the characters is no answer to them.
        const afterSeq = chars === "" ? session.toldSeq : session.lastSeq
        if (chars !== "") yield* write(session, chars, millis, waiting !== undefined)
        const wait =
          waiting === undefined
            ? SessionWait.untilEnd(session, millis)
            : Waiting.run(session, waiting, afterSeq)
        return yield* collect(session, wait, args)
      })
      session.callers += 1
      notify(watcher?.onSession, id)
      return Effect.onInterrupt(inTurn(session, watcher, call), () =>
        args.kill_on_cancel === true ? stopper.stop(session, "cancel") : Effect.void,
      )
    })
}
