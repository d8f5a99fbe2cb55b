/** Which server a command uses: a running one, one behind a command, one of one's own, or one inside this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as LogLevel from "effect/LogLevel"
import * as Connect from "../Connect.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"
import * as SshConfig from "./server/SshConfig.ts"
import type { FlagSpecs } from "./table/Spec.ts"
import * as TlsFlags from "./TlsFlags.ts"

/** The variable that names a server. */
export const variable = "PROCWIRE_SERVER"

export const flags = {
  server: {
    type: "string",
    multiple: true,
    shows: "URL",
    help:
      `a running server: ${ServerName.addresses}, wss:// and tls:// with TLS, a context, or own, your own server here; ` +
      "of several URLs of one fleet the next one is tried when the connection is lost " +
      `[default: the variable ${variable}, else the context in use]`,
    completes: "context",
  },
  host: {
    type: "string",
    shows: "NAME",
    help: `a server by the name of its host: a context, or a host of your configuration of ssh; procwire hosts lists them`,
    completes: "host",
  },
  ...TlsFlags.clientFlags,
  "token-file": {
    type: "string",
    shows: "FILE",
    help: "a file with the token for a WebSocket server [default: the variable PROCWIRE_TOKEN]",
    completes: "file",
  },
  "server-cmd": {
    type: "string",
    shows: "CMD",
    help: "a server over the stdin and stdout of this shell command",
  },
  verbose: {
    type: "boolean",
    short: "v",
    help: "tell on stderr which server is used, and of the connection to it, as with PROCWIRE_LOG=debug",
  },
} as const satisfies FlagSpecs

/** A server outside this process, or one that has yet to be found: in this process, or of one's own. */
export type Target = Connect.Target | ServerName.Own

/**
 * The server that the flags of `command` name, or else the variable, or else the context in use, or else `usual`; with
 * `onlyHere` only the flags count.
 */
export const read = (
  command: string,
  values: Flags.Values<typeof flags>,
  usual: Connect.InProcessTarget | ServerName.Own,
  onlyHere = false,
): Effect.Effect<Target, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    if (values.verbose === true) yield* FiberRef.set(FiberRef.currentMinimumLogLevel, LogLevel.Debug)
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const { host, server, "server-cmd": program } = values
    const tls = yield* TlsFlags.readClient(command, values)
    const [one, other] = (["server", "server-cmd", "host"] as const).filter(
      (flag) => values[flag] !== undefined,
    )
    if (other !== undefined) return yield* wrong(`--${one} and --${other} exclude each other`)
    const isChosen = program === undefined && (one !== undefined || !onlyHere)
    const { named, others, label } = isChosen ? yield* choose(server, host) : nobody
    if (named !== undefined && "refused" in named)
      return yield* wrong(`invalid value '${label.value}' for '${label.name}': ${named.refused}`)
    const url = named !== undefined && "url" in named ? named.url : undefined
    const context = named !== undefined && "url" in named ? named.context : undefined
    const token = yield* readToken(command, url, values["token-file"], context?.tokenFile)
    if (tls !== undefined && ![url ?? "", ...others].some((each) => /^(wss|tls):/.test(each))) {
      return yield* wrong("--tls-ca and --tls-cert need a --server at wss:// or tls://")
    }
    const source = label.name === "" ? "the usual one" : label.name
    yield* Effect.annotateLogs(
      Effect.logDebug(`the server is ${program ?? url ?? placeOf(named ?? usual)}`),
      { source },
    )
    if (program !== undefined) return { command: "/bin/sh", args: ["-c", `exec ${program}`] }
    if (named === undefined) return usual
    if (url === undefined) return named as Target
    const certificates = tls ?? (yield* TlsFlags.readClient(command, tlsOf(context)))
    return {
      url: others.length === 0 ? url : [url, ...others],
      ...certificates,
      ...(token === undefined ? {} : { token }),
    }
  })

const placeOf = (server: object): string => ("own" in server ? "your own" : "in this process")

/** What names a server, and where that was said. */
interface Chosen {
  readonly named: ServerName.Named | undefined
  /** Further addresses of the same fleet. */
  readonly others: ReadonlyArray<string>
  readonly label: { readonly name: string; readonly value: string }
}

const nobody: Chosen = { named: undefined, others: [], label: { name: "", value: "" } }

/** A flag wins over the variable, and that over the context in use. */
const choose = (
  server: ReadonlyArray<string> | undefined,
  host: string | undefined,
): Effect.Effect<Chosen, Flags.ConfigurationError> =>
  Effect.gen(function* () {
    if (host !== undefined) {
      const named = ServerName.resolveHost(
        host,
        yield* Contexts.read(process.env),
        SshConfig.hosts(process.env),
      )
      return { named, others: [], label: { name: "--host", value: host } }
    }
    const fromVariable = process.env[variable] || undefined
    const contexts = yield* Contexts.read(process.env)
    const [value, ...others] = server ?? fromVariable?.trim().split(/\s+/) ?? [contexts.current ?? []].flat()
    if (value === undefined) return nobody
    const name =
      server !== undefined ? "--server" : fromVariable !== undefined ? variable : "the context in use"
    const label = { name, value }
    if (others.length === 0) return { named: ServerName.resolve(value, contexts), others, label }
    const wrong = [value, ...others].find((each) => !Connect.isUrl(each))
    if (wrong === undefined) return { named: { url: value }, others, label }
    const refused = "each of several servers has to be a URL"
    return { named: { refused }, others, label: { name, value: wrong } }
  })

const tlsOf = ({ tlsCa, tlsCert, tlsKey }: Partial<Contexts.Context> = {}) => ({
  ...(tlsCa === undefined ? {} : { "tls-ca": tlsCa }),
  ...(tlsCert === undefined ? {} : { "tls-cert": tlsCert }),
  ...(tlsKey === undefined ? {} : { "tls-key": tlsKey }),
})

/** The token for a WebSocket server: from the file of the flag or the context, or else from the environment. */
const readToken = (command: string, server = "", given: string | undefined, usual: string | undefined) =>
  Effect.gen(function* () {
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const webSocket = /^wss?:/.test(server)
    if (given !== undefined && !webSocket) {
      return yield* wrong("--token-file needs a --server at ws:// or wss://")
    }
    if (!webSocket) return undefined
    const file = given ?? usual
    const text =
      file === undefined
        ? process.env["PROCWIRE_TOKEN"]
        : yield* TextFile.readText(file, (reason) => wrong(`cannot read --token-file ${file}: ${reason}`))
    const token = text?.trim() || undefined
    if (token === undefined || !/[\r\n]/.test(token)) return token
    return yield* wrong(
      `${file === undefined ? "the variable PROCWIRE_TOKEN" : `--token-file ${file}`} holds more than one line`,
    )
  })
