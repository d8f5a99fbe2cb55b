/** Which server a command uses: a running one, one behind a command, one of one's own, or one inside this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Connect from "../Connect.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"
import type { FlagSpecs } from "./table/Spec.ts"
import * as TlsFlags from "./TlsFlags.ts"

/** The variable that names a server. */
export const variable = "PROCWIRE_SERVER"

export const flags = {
  server: {
    type: "string",
    shows: "URL",
    help:
      `a running server: ${ServerName.addresses}, wss:// and tls:// with TLS, a context, or own, your own server here ` +
      `[default: the variable ${variable}, else the context in use]`,
    completes: "context",
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
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const { server, "server-cmd": program } = values
    const tls = yield* TlsFlags.readClient(command, values)
    if (server !== undefined && program !== undefined) {
      return yield* wrong("--server and --server-cmd exclude each other")
    }
    const isChosen = program === undefined && (server !== undefined || !onlyHere)
    const { named, label } = isChosen ? yield* choose(server) : nobody
    if (named !== undefined && "refused" in named)
      return yield* wrong(`invalid value '${label.value}' for '${label.name}': ${named.refused}`)
    const url = named !== undefined && "url" in named ? named.url : undefined
    const context = named !== undefined && "url" in named ? named.context : undefined
    const token = yield* readToken(command, url, values["token-file"], context?.tokenFile)
    if (tls !== undefined && !/^(wss|tls):/.test(url ?? "")) {
      return yield* wrong("--tls-ca and --tls-cert need a --server at wss:// or tls://")
    }
    if (program !== undefined) return { command: "/bin/sh", args: ["-c", `exec ${program}`] }
    if (named === undefined) return usual
    if (url === undefined) return named as Target
    const certificates = tls ?? (yield* TlsFlags.readClient(command, tlsOf(context)))
    return { url, ...certificates, ...(token === undefined ? {} : { token }) }
  })

/** What names a server, and where that was said. */
interface Chosen {
  readonly named: ServerName.Named | undefined
  readonly label: { readonly name: string; readonly value: string }
}

const nobody: Chosen = { named: undefined, label: { name: "", value: "" } }

/** A flag wins over the variable, and that over the context in use. */
const choose = (server: string | undefined): Effect.Effect<Chosen, Flags.ConfigurationError> =>
  Effect.gen(function* () {
    const fromVariable = process.env[variable] || undefined
    const contexts = yield* Contexts.read(process.env)
    const value = server ?? fromVariable ?? contexts.current
    if (value === undefined) return nobody
    const name =
      server !== undefined ? "--server" : fromVariable !== undefined ? variable : "the context in use"
    return { named: ServerName.resolve(value, contexts), label: { name, value } }
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
