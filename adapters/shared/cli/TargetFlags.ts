/** Which server a command uses: a running one, one behind a command, or one inside this process. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Connect from "../Connect.ts"
import * as TextFile from "../host/TextFile.ts"
import * as Flags from "./Flags.ts"
import * as TlsFlags from "./TlsFlags.ts"

export const help = `\
  --server URL           a running server: ws://HOST:PORT, tcp://HOST:PORT or unix:PATH; wss:// and tls:// with TLS
  --tls-ca FILE          PEM certificates to trust instead of the system's
  --tls-cert FILE, --tls-key FILE
                         the certificate to show to the server, and its key
  --token-file FILE      a file with the token for a WebSocket server [default: the variable PROCWIRE_TOKEN]
  --server-cmd CMD       a server over the stdin and stdout of this shell command
                         [default: a server inside this process]
`

export const flags = {
  server: { type: "string" },
  ...TlsFlags.clientFlags,
  "token-file": { type: "string" },
  "server-cmd": { type: "string" },
} as const

/** The server that the flags of `command` name. */
export const read = (
  command: string,
  values: Flags.Values<typeof flags>,
): Effect.Effect<Connect.Target, Flags.UsageError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const { server, "server-cmd": program } = values
    const tls = yield* TlsFlags.readClient(command, values)
    const token = yield* readToken(command, server, values["token-file"])
    if (server !== undefined && program !== undefined) {
      return yield* wrong("--server and --server-cmd exclude each other")
    }
    if (tls !== undefined && !/^(wss|tls):/.test(server ?? "")) {
      return yield* wrong("--tls-ca and --tls-cert need a --server at wss:// or tls://")
    }
    if (program !== undefined) return { command: "/bin/sh", args: ["-c", `exec ${program}`] }
    if (server === undefined) return { inProcess: true }
    if (Connect.isUrl(server)) return { url: server, ...tls, ...(token === undefined ? {} : { token }) }
    return yield* wrong(
      `invalid value '${server}' for '--server': expected ws://HOST:PORT, tcp://HOST:PORT or unix:PATH`,
    )
  })

/** The token for a WebSocket server: from the file, or else from the environment. */
const readToken = (command: string, server: string | undefined, file: string | undefined) =>
  Effect.gen(function* () {
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const webSocket = /^wss?:/.test(server ?? "")
    if (file !== undefined && !webSocket) {
      return yield* wrong("--token-file needs a --server at ws:// or wss://")
    }
    if (!webSocket) return undefined
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
