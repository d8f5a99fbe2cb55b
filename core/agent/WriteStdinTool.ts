/** The tool `write_stdin`: writes to the command of a session, or only waits for it, and replies. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { utf8 } from "../protocol/Bytes.ts"
import { notify, type Session } from "./Session.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import * as SessionWait from "./SessionWait.ts"
import * as ToolError from "./ToolError.ts"
import type { WriteStdin } from "./Tools.ts"

/** Ctrl-C. With a terminal it is written like any character; without one it sends SIGINT. */
const interrupt = "\u0003"

/** `longestPollMillis` bounds a call without characters. */
export const make = (
  { table, whyUnknown, owned, inTurn, collect }: SessionCalls,
  longestPollMillis = SessionWait.pollMillis.most,
): Run<WriteStdin> => {
  /** Writes the characters. What the process does not read in time stays in flight. */
  const write = (session: Session, chars: string, millis: number) =>
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
      } else if (tty) yield* Effect.sleep(SessionWait.afterWriteMillis)
    })

  return (args, watcher) =>
    Effect.suspend(() => {
      const { yieldMillis, pollMillis } = SessionWait
      const { session_id: id, yield_time_ms: asked = yieldMillis.least } = args
      const chars = args.chars ?? ""
      const session = table.use(id)
      if (session === undefined) return ToolError.unknownSession(id, whyUnknown(id))
      const bounds = chars === "" ? { ...pollMillis, most: longestPollMillis } : yieldMillis
      const millis = SessionWait.clamp(asked, bounds)
      const call = Effect.gen(function* () {
        // The call before this one may have reported the exit and removed the session.
        if (!table.has(session)) return yield* ToolError.unknownSession(id)
        if (chars !== "") yield* write(session, chars, millis)
        return yield* collect(session, millis, args)
      })
      session.callers += 1
      notify(watcher?.onSession, id)
      return inTurn(session, watcher, call)
    })
}
