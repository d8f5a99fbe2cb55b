/** `--host NAME --host NAME` and `--all-hosts`: a command that looks at several hosts side by side. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { Options as CommandOptions } from "../transport/CommandTransport.ts"
import type { Target } from "./TargetFlags.ts"
import * as Access from "./server/Access.ts"
import * as Message from "./words/Message.ts"

/** The longest time for the answer of a host, in milliseconds. */
export const usualMillis = 10_000

/** In the place of those of one server. */
export const flags = {
  ...TargetFlags.flags,
  host: {
    ...TargetFlags.flags.host,
    multiple: true,
    help: `${TargetFlags.flags.host.help}; several of them are shown side by side`,
  },
  "all-hosts": {
    ...Flags.toggle("every host that procwire hosts lists"),
    excludes: ["host"],
  },
  timeout: Flags.duration(
    `how long each of several hosts may take to answer [default: ${usualMillis / 1000}s]`,
  ),
} as const satisfies Flags.FlagTable

/** A host, and the server on it; or why it has none that can be asked. */
export interface Host {
  readonly name: string
  readonly target: Result.Result<TargetFlags.Target, string>
}

/** Several hosts, and how long each may take. */
export interface Several {
  readonly hosts: ReadonlyArray<Host>
  readonly millis: number
}

export type Asked = { readonly one: Flags.Values<typeof TargetFlags.flags> } | { readonly several: Several }

/** One server unless the flags name several hosts. */
export const read = (
  values: Flags.Values<typeof flags>,
): Effect.Effect<Asked, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { "all-hosts": all = false, host = [], timeout, ...rest } = values
    const [first] = host
    if (!all && host.length < 2) {
      if (timeout !== undefined) return yield* Flags.wrong("--timeout needs several --host, or --all-hosts")
      return { one: { ...rest, ...(first === undefined ? {} : { host: first }) } }
    }
    const millis = millisOf(timeout)
    if (all) return { several: { hosts: yield* every, millis } }
    return {
      several: { hosts: yield* Effect.forEach([...new Set(host)], (name) => ofName(name, rest)), millis },
    }
  })

export const millisOf = (timeout = usualMillis): number => Math.max(1, timeout)

/** The names of all hosts: one's own server, the contexts, and the hosts of the configuration of ssh. */
export const names: Effect.Effect<ReadonlyArray<string>, Flags.ConfigurationError> = Effect.suspend(() =>
  Effect.map(Contexts.read(process.env), ({ contexts }) => {
    const servers = Object.values(contexts).map(({ server }) => server)
    const behindSsh = ServerName.sshHosts(process.env).filter((name) => !servers.includes(`ssh://${name}`))
    return [...new Set([Contexts.own, ...Object.keys(contexts), ...behindSsh])]
  }),
)

/** The host of a name; it has to be known. */
export const ofName = (name: string, values: Flags.Values<typeof TargetFlags.flags> = {}) =>
  Effect.map(TargetFlags.read({ ...values, host: name }, { own: true }), (target): Host => ({
    name,
    target: Result.succeed(target),
  }))

/** All hosts; one whose files cannot be read is one of them, too. */
export const every = Effect.flatMap(names, (found) =>
  Effect.forEach(found, (name) =>
    Effect.catchTag(ofName(name), "UsageError", ({ message }) =>
      Effect.succeed<Host>({ name, target: Result.fail(message) }),
    ),
  ),
)

/** The answer of a host, or the reason why it has none. */
export interface Answer<A> {
  readonly host: string
  readonly answer: Result.Result<A, string>
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
): Effect.Effect<Result.Result<A, string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const target = yield* Effect.fromResult(found)
    const said: { text: string } = { text: "" }
    const isCommand = "command" in target
    // The last words of a command may arrive behind its end.
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
      Effect.catch(explain),
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () => Effect.fail(`it has not answered within ${millis / 1000} s`),
      }),
    )
  }).pipe(Effect.result)

const heard = Schedule.spaced("10 millis")

/** The longest wait for the last words of a command. */
const restMillis = 500

/** Without a question to the user: several commands of ssh would ask at once. Their output is kept for the error. */
const quiet = (target: Target, millis: number, tell: (text: string) => void): Target => {
  if (!("command" in target)) return target
  const stderr = (bytes: Uint8Array) => tell(new TextDecoder().decode(bytes))
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
export const sayFailures = (answers: ReadonlyArray<Answer<unknown>>): number => {
  const failed = answers.flatMap(({ answer, host }) =>
    Result.isFailure(answer) ? [Message.line(`${host}: ${answer.failure}`)] : [],
  )
  process.stderr.write(failed.join(""))
  return failed.length > 0 ? 1 : 0
}
