/** Several servers at once: each is asked on its own, and has so long to answer; none keeps the others waiting. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as ExecClient from "../../../../core/client/ExecClient.ts"
import type { Options as CommandOptions } from "../../transport/CommandTransport.ts"
import type { Host, Several } from "../HostFlags.ts"
import type { Target } from "../TargetFlags.ts"
import * as Access from "./Access.ts"
import * as Message from "../words/Message.ts"

/** What a host has answered, or why it has not. */
export interface Answer<A> {
  readonly host: string
  readonly answer: Either.Either<A, string>
}

/** A question to a server; `client` is undefined for one's own that does not run. */
export type Ask<A, E> = (client: ExecClient.ExecClient | undefined) => Effect.Effect<A, E, Scope.Scope>

/** Asks all; connections stay until the scope ends. The answers have the order of the hosts. */
export const ask = <A, E>(
  { hosts, millis }: Several,
  clientName: string,
  question: Ask<A, E>,
): Effect.Effect<ReadonlyArray<Answer<A>>, never, Scope.Scope> =>
  Effect.forEach(
    hosts,
    ({ name, target }) =>
      Effect.map(askOne(target, millis, clientName, question), (answer) => ({ host: name, answer })),
    { concurrency: "unbounded" },
  )

const askOne = <A, E>(
  found: Host["target"],
  millis: number,
  clientName: string,
  question: Ask<A, E>,
): Effect.Effect<Either.Either<A, string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* found
    const said: { text: string } = { text: "" }
    const isCommand = "command" in target
    // What a command has said may arrive behind its end.
    const explain = (error: unknown) =>
      Effect.sync(() => lastLine(said.text)).pipe(
        Effect.repeat({ until: (line) => line !== undefined, schedule: heard }),
        Effect.timeoutOption(isCommand ? restMillis : 0),
        Effect.flatMap(() => Effect.fail(lastLine(said.text) ?? Message.textOf(error))),
      )
    return yield* Effect.gen(function* () {
      const reached = yield* Access.existing(quiet(target, millis, (text) => (said.text += text)))
      const client =
        reached === undefined
          ? undefined
          : yield* Access.connect(reached, { clientName, initializeTimeout: millis + 1000 })
      return yield* question(client)
    }).pipe(
      Effect.catchAll(explain),
      Effect.timeoutFail({
        duration: millis,
        onTimeout: () => `it has not answered within ${millis / 1000} s`,
      }),
    )
  }).pipe(Effect.either)

const heard = Schedule.spaced("10 millis")

/** How long the last words of a command are waited for. */
const restMillis = 500

/** Without a question to the user: several commands of ssh would ask at once. What they say is kept for the error. */
const quiet = (target: Target, millis: number, told: (text: string) => void): Target => {
  if (!("command" in target)) return target
  const stderr = (bytes: Uint8Array) => told(new TextDecoder().decode(bytes))
  if (target.command !== "ssh") return { ...target, stderr }
  const { args = [] } = target
  const seconds = Math.max(1, Math.ceil(millis / 1000))
  const options = ["-o", "BatchMode=yes", "-o", `ConnectTimeout=${seconds}`]
  return { ...target, args: [...options, ...args], stderr } satisfies CommandOptions
}

/** The last line that says something. */
const lastLine = (text: string): string | undefined => {
  const line = text.trim().split("\n").at(-1)?.trim()
  if (line === undefined || line === "") return undefined
  return /procwire.*not found/.test(line) ? "procwire is not in the PATH there" : line
}

/** One line for each host that has not answered; the exit code of the command. */
export const told = (answers: ReadonlyArray<Answer<unknown>>): number => {
  const failed = answers.flatMap(({ answer, host }) =>
    Either.isLeft(answer) ? [Message.line(`${host}: ${answer.left}`)] : [],
  )
  process.stderr.write(failed.join(""))
  return failed.length > 0 ? 1 : 0
}
