/**
 * The first version of unified exec, as it was in September 2025: one kind of request, always a terminal.
 *
 * For programs that were written for that version: they call `request` with what they have, over any client of today.
 * Nothing else here uses it; new programs use `UnifiedExec`.
 *
 * A request without a session id starts a command; one with an id writes to it. Either waits for its whole timeout,
 * even if the command has exited, and returns all output. Of the output between two requests the last 128 KiB are
 * kept; of the output of one request the first and the last 64 KiB.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ClientError } from "../client/ClientError.ts"
import { utf8 } from "../protocol/Bytes.ts"
import * as Command from "./Command.ts"
import type { ExecBackend } from "./ExecBackend.ts"
import * as Sessions from "./Sessions.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"
import { Session } from "./Session.ts"
import * as Truncate from "./Truncate.ts"
import * as Waiting from "./Waiting.ts"

/** A request: the start of a command, or input for a session. */
export interface Request {
  /** The session to write to; without one, `input_chunks` is the argv to start. */
  readonly session_id?: number | null
  /** The argv of a new command; or what to write to a session, joined by spaces. Empty only waits. */
  readonly input_chunks: ReadonlyArray<string>
  /** The wait for output, in milliseconds. Default: 1000; at most 60,000. */
  readonly timeout_ms?: number | null
}

/** The answer to a request. */
export interface Response {
  /** The session, for the next request; null once the command has exited. */
  readonly session_id: number | null
  /** The output since the last request, as UTF-8. */
  readonly output: string
}

/** The failure of a request. The messages are those of the first version. */
export class FirstExecError extends Data.TaggedError("FirstExecError")<{
  /** No argv; the start failed; no such session, or it has exited; the terminal takes no input. */
  readonly reason: "MissingCommandLine" | "CreateSession" | "UnknownSession" | "WriteToStdin"
  readonly message: string
  readonly cause?: unknown
}> {}

/** The tool in its first version. */
export interface FirstExec {
  /** Starts a command or writes to one, waits for its timeout, and returns the output. */
  readonly request: (request: Request) => Effect.Effect<Response, FirstExecError>
}

/** The timeout of a request that names none, and the longest one, in milliseconds. */
export const timeoutMillis = { usual: 1_000, most: 60_000 }

/** Bytes kept between two requests, and of the output of one. */
const kept = { head: 0, tail: 128 * 1024 }
const answered = { head: 64 * 1024, tail: 64 * 1024 }

/** Sessions over a backend, numbered from 0. The end of the scope kills their commands. */
export const make = (backend: ExecBackend): Effect.Effect<FirstExec, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { follow, kill, background } = yield* Sessions.owned
    const sessions = new Map<number, Session>()
    let ids = 0

    const remove = (session: Session) => {
      sessions.delete(session.id)
      session.release()
    }

    const create = (argv: ReadonlyArray<string>, millis: number) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          if (argv.length === 0) return yield* missingCommandLine()
          const terminal = { tty: true, ...Command.answered(backend.environmentInfo) }
          const started = restore(backend.startSubscribed({ argv, ...terminal, envPolicy: inherited }))
          const subscribed = yield* Effect.mapError(started, notCreated)
          const session = new Session(
            { id: ids++, tty: true, command: argv.join(" ") },
            subscribed,
            new HeadTailBuffer(kept),
          )
          yield* follow(session)
          // Before the response the session's id is unknown, so an interruption kills the command.
          const output = yield* Effect.onInterrupt(restore(outputDuring(session, Effect.sleep(millis))), () =>
            kill(session),
          )
          sessions.set(session.id, session)
          return answer(session, output)
        }),
      )

    const write = (session: Session, input: string, millis: number) =>
      Effect.gen(function* () {
        const sending = yield* background(Effect.result(session.process.write(utf8.encode(input))))
        const sent = yield* Waiting.untilDone(sending, millis)
        if (sent !== undefined && Result.isFailure(sent)) return yield* notWritten(sent.failure)
      })

    const resume = (id: number, chunks: ReadonlyArray<string>, millis: number) =>
      Effect.suspend(() => {
        const session = sessions.get(id)
        if (session === undefined) return unknownSession(id)
        return session.turn(
          Effect.suspend(() => {
            if (session.over) remove(session)
            if (!sessions.has(id)) return unknownSession(id)
            const input = chunks.join(" ")
            const written = input === "" ? Effect.void : write(session, input, millis)
            return Effect.map(
              outputDuring(session, Effect.andThen(written, Effect.sleep(millis))),
              (output) => answer(session, output),
            )
          }),
        )
      })

    const answer = (session: Session, output: string): Response => {
      if (session.over) remove(session)
      return { session_id: session.over ? null : session.id, output }
    }

    return {
      request: ({ session_id, input_chunks, timeout_ms }) => {
        const asked = timeout_ms ?? timeoutMillis.usual
        const millis = Math.min(asked, timeoutMillis.most)
        const warning = asked > millis ? `${clampText(asked)}\n` : ""
        const response =
          session_id == null ? create(input_chunks, millis) : resume(session_id, input_chunks, millis)
        return Effect.map(response, ({ output, ...rest }) => ({ ...rest, output: `${warning}${output}` }))
      },
    }
  })

const inherited = {
  inherit: "all",
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
} as const

/** The output since the last request, until `wait` ends. An interruption leaves it to the next request. */
const outputDuring = <E>(session: Session, wait: Effect.Effect<unknown, E>): Effect.Effect<string, E> =>
  Effect.uninterruptibleMask((restore) => {
    const collected = new HeadTailBuffer(answered)
    const before = session.buffer
    before.moveTo(collected)
    session.buffer = collected
    const settle = (answers: boolean) =>
      Effect.sync(() => {
        const text = answers ? textOf(collected, session.over) : ""
        collected.moveTo(before)
        session.buffer = before
        return text
      })
    return restore(wait).pipe(
      Effect.onError(() => settle(false)),
      Effect.andThen(settle(true)),
    )
  })

const textOf = (collected: HeadTailBuffer, last: boolean): string => {
  const { head, tail, omitted } = collected.take(last)
  return omitted === 0 ? head : `${head}…${Truncate.tokensOf(omitted)} tokens truncated…${tail}`
}

const clampText = (asked: number) => {
  const { most } = timeoutMillis
  return `Warning: requested timeout ${asked}ms exceeds maximum of ${most}ms; clamping to ${most}ms.`
}

const missingCommandLine = () =>
  new FirstExecError({
    reason: "MissingCommandLine",
    message: "missing command line for unified exec request",
  })

/** With the server's own words, as that version had them. */
const notCreated = (cause: ClientError) =>
  new FirstExecError({
    reason: "CreateSession",
    message: `Failed to create unified exec session: ${cause.serverMessage ?? cause.message}`,
    cause,
  })

const unknownSession = (id: number) =>
  new FirstExecError({ reason: "UnknownSession", message: `Unknown session id ${id}` })

const notWritten = (cause: unknown) =>
  new FirstExecError({ reason: "WriteToStdin", message: "failed to write to stdin", cause })
