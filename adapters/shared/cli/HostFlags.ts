/** `--host NAME --host NAME` and `--all-hosts`: a command that looks at several hosts side by side. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as SshConfig from "./server/SshConfig.ts"
import * as TargetFlags from "./TargetFlags.ts"

/** How long a host may take to answer, in milliseconds. */
export const usualMillis = 10_000

/** In the place of those of one server. */
export const flags = {
  ...TargetFlags.flags,
  host: {
    ...TargetFlags.flags.host,
    multiple: true,
    help: `${TargetFlags.flags.host.help}; several of them are shown side by side`,
  },
  "all-hosts": Flags.toggle("every host that procwire hosts lists"),
  timeout: Flags.duration(
    `how long each of several hosts may take to answer [default: ${usualMillis / 1000}s]`,
  ),
} as const satisfies Flags.FlagTable

/** A host, and the server on it; or why it has none that can be asked. */
export interface Host {
  readonly name: string
  readonly target: Either.Either<TargetFlags.Target, string>
}

/** Several hosts, and how long each may take. */
export interface Several {
  readonly hosts: ReadonlyArray<Host>
  readonly millis: number
}

/** What was asked for: one server, or several hosts. */
export type Asked = { readonly one: Flags.Values<typeof TargetFlags.flags> } | { readonly several: Several }

/** One server unless the flags name several hosts. */
export const read = (
  values: Flags.Values<typeof flags>,
): Effect.Effect<Asked, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { "all-hosts": all = false, host = [], timeout, ...rest } = values
    if (all && host.length > 0) return yield* Flags.wrong("--all-hosts and --host exclude each other")
    const [first] = host
    if (!all && host.length < 2) {
      if (timeout !== undefined) return yield* Flags.wrong("--timeout needs several --host, or --all-hosts")
      return { one: { ...rest, ...(first === undefined ? {} : { host: first }) } }
    }
    const other = (["server", "server-cmd"] as const).find((flag) => values[flag] !== undefined)
    if (other !== undefined)
      return yield* Flags.wrong(`--${other} and ${all ? "--all-hosts" : "several --host"} exclude each other`)
    const millis = millisOf(timeout)
    if (all) return { several: { hosts: yield* every, millis } }
    return {
      several: { hosts: yield* Effect.forEach([...new Set(host)], (name) => ofName(name, rest)), millis },
    }
  })

/** How long a host may take: at least a millisecond. */
export const millisOf = (timeout = usualMillis): number => Math.max(1, timeout)

/** The names of all hosts: one's own server, the contexts, and the hosts of the configuration of ssh. */
export const names: Effect.Effect<ReadonlyArray<string>, Flags.ConfigurationError> = Effect.suspend(() =>
  Effect.map(Contexts.read(process.env), ({ contexts }) => {
    const servers = Object.values(contexts).map(({ server }) => server)
    const behindSsh = SshConfig.hosts(process.env).filter((name) => !servers.includes(`ssh://${name}`))
    return [...new Set([Contexts.own, ...Object.keys(contexts), ...behindSsh])]
  }),
)

/** The host of a name; it has to be known. */
export const ofName = (name: string, values: Flags.Values<typeof TargetFlags.flags> = {}) =>
  Effect.map(TargetFlags.read({ ...values, host: name }, { own: true }), (target): Host => ({
    name,
    target: Either.right(target),
  }))

/** All hosts; one whose files cannot be read is one of them, too. */
export const every = Effect.flatMap(names, (found) =>
  Effect.forEach(found, (name) =>
    Effect.catchTag(ofName(name), "UsageError", ({ message }) =>
      Effect.succeed<Host>({ name, target: Either.left(message) }),
    ),
  ),
)
