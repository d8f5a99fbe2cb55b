/** The server of a command: a running one, one behind a command, one of one's own, or one inside this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Connect from "../Connect.ts"
import * as SocketAddress from "../transport/SocketAddress.ts"
import * as TextFile from "../host/TextFile.ts"
import * as TlsFiles from "../serve/TlsFiles.ts"
import type { ClientTls } from "../transport/ClientTls.ts"
import * as Flags from "./Flags.ts"
import * as Contexts from "./server/Contexts.ts"
import * as ServerName from "./server/ServerName.ts"

export const variable = "PROCWIRE_SERVER"

/** The files of TLS of a client: its authorities and its certificate. */
export const tlsFlags = {
  "tls-ca": Flags.file("PEM certificates to trust instead of the system's"),
  "tls-cert": Flags.file("the certificate to show to the server"),
  "tls-key": Flags.file("the key of that certificate"),
} satisfies Flags.FlagTable

export const flags = {
  server: {
    excludes: ["server-cmd", "host", "all-hosts"],
    ...Flags.texts(
      "URL",
      `a running server: ${ServerName.addresses}, wss:// and tls:// with TLS, a context, or own, your own server here; ` +
        "of several URLs of one fleet the next one is tried when the connection is lost " +
        `[default: the variable ${variable}, else the context in use]`,
      { completes: "context" },
    ),
  },
  host: Flags.text(
    "NAME",
    "a server by the name of its host: a context, or a host of your configuration of ssh; procwire hosts lists them",
    { completes: "host" },
  ),
  ...tlsFlags,
  "token-file": Flags.file(
    "a file with the token for a WebSocket server [default: the variable PROCWIRE_TOKEN]",
  ),
  "server-cmd": {
    ...Flags.text("CMD", "a server over the stdin and stdout of this shell command"),
    excludes: ["host", "all-hosts"],
  },
  verbose: Flags.toggle(
    "tell on stderr which server is used, and of the connection to it, as with PROCWIRE_LOG=debug",
    "v",
  ),
} satisfies Flags.FlagTable

/** A server outside this process, or one that has yet to be found: in this process, or of one's own. */
export type Target = Connect.Target | ServerName.Own

/**
 * The server that the flags name, or else the variable, or else the context in use, or else `usual`; with
 * `onlyHere` only the flags count.
 */
export const read = (
  values: Flags.Values<typeof flags>,
  usual: Connect.InProcessTarget | ServerName.Own,
  onlyHere = false,
): Effect.Effect<Target, Flags.UsageError | Flags.ConfigurationError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { host, server, "server-cmd": program } = values
    const tls = yield* readTls(values)
    const isChosen = program === undefined && ((server ?? host) !== undefined || !onlyHere)
    const { named, others, label } = isChosen ? yield* choose(server, host) : unnamed
    if (named !== undefined && "refused" in named)
      return yield* Flags.wrong(`invalid value '${label.value}' for '${label.name}': ${named.refused}`)
    const url = named !== undefined && "url" in named ? named.url : undefined
    const context = named !== undefined && "url" in named ? named.context : undefined
    const token = yield* readToken(url, values["token-file"], context?.tokenFile)
    if (tls !== undefined && ![url ?? "", ...others].some((each) => /^(wss|tls):/.test(each))) {
      return yield* Flags.wrong("--tls-ca and --tls-cert need a --server at wss:// or tls://")
    }
    const source = label.name === "" ? "the usual one" : label.name
    yield* Effect.annotateLogs(
      Effect.logDebug(`the server is ${program ?? url ?? placeOf(named ?? usual)}`),
      { source },
    )
    if (program !== undefined) return { command: "/bin/sh", args: ["-c", `exec ${program}`] }
    if (named === undefined) return usual
    if (url === undefined) return named as Target
    const certificates = tls ?? (yield* readTls(tlsOf(context)))
    return {
      url: others.length === 0 ? url : [url, ...others],
      ...certificates,
      ...(token === undefined ? {} : { token }),
    }
  })

const placeOf = (server: object): string => ("own" in server ? "your own" : "in this process")

interface Chosen {
  readonly named: ServerName.Named | undefined
  /** Further addresses of the same fleet. */
  readonly others: ReadonlyArray<string>
  readonly label: { readonly name: string; readonly value: string }
}

const unnamed: Chosen = { named: undefined, others: [], label: { name: "", value: "" } }

/** A flag wins over the variable, and that over the context in use. */
const choose = (
  server: ReadonlyArray<string> | undefined,
  host: string | undefined,
): Effect.Effect<Chosen, Flags.ConfigurationError> =>
  Effect.gen(function* () {
    const contexts = yield* Contexts.read(process.env)
    if (host !== undefined) {
      const named = ServerName.resolveHost(host, contexts, ServerName.sshHosts(process.env))
      return { named, others: [], label: { name: "--host", value: host } }
    }
    const fromVariable = process.env[variable] || undefined
    const [value, ...others] = server ?? fromVariable?.trim().split(/\s+/) ?? [contexts.current ?? []].flat()
    if (value === undefined) return unnamed
    const name =
      server !== undefined ? "--server" : fromVariable !== undefined ? variable : "the context in use"
    const label = { name, value }
    if (others.length === 0) return { named: ServerName.resolve(value, contexts), others, label }
    const wrong = [value, ...others].find((each) => !SocketAddress.isUrl(each))
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
const readToken = (server = "", given: string | undefined, usual: string | undefined) =>
  Effect.gen(function* () {
    const webSocket = /^wss?:/.test(server)
    if (given !== undefined && !webSocket) {
      return yield* Flags.wrong("--token-file needs a --server at ws:// or wss://")
    }
    if (!webSocket) return undefined
    const file = given ?? usual
    const text =
      file === undefined
        ? process.env["PROCWIRE_TOKEN"]
        : yield* TextFile.readText(file, (reason) =>
            Flags.wrong(`cannot read --token-file ${file}: ${reason}`),
          )
    const token = text?.trim() || undefined
    if (token === undefined || !/[\r\n]/.test(token)) return token
    return yield* Flags.wrong(
      `${file === undefined ? "the variable PROCWIRE_TOKEN" : `--token-file ${file}`} holds more than one line`,
    )
  })

/** Reads the files of TLS; undefined where no flag names one. */
export const readTls = (
  values: Flags.Values<typeof tlsFlags>,
): Effect.Effect<ClientTls | undefined, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const of = (flag: keyof typeof values) => ({ label: `--${flag}`, file: values[flag] })
    const certificate = yield* TlsFiles.readPair(of("tls-cert"), of("tls-key"))
    const ca = yield* TlsFiles.readCertificate(of("tls-ca"))
    if (certificate === undefined && ca === undefined) return undefined
    return { ...certificate, ...(ca === undefined ? {} : { ca }) }
  }).pipe(Effect.mapError(({ message }) => Flags.wrong(message)))
