/** Which server a command uses: a running one, one behind a command, or one inside this process. */
import process from "node:process"
import * as Connect from "../Connect.ts"
import * as Tls from "../transport/Tls.ts"
import type * as WebSocketClient from "../transport/WebSocketClient.ts"
import * as ServeCommand from "./ServeCommand.ts"
import * as Flags from "./Flags.ts"

export const help = `  --server URL           a running server: ws://HOST:PORT, tcp://HOST:PORT or unix:PATH; wss:// and tls:// with TLS
  --tls-ca FILE          PEM certificates to trust instead of the system's
  --tls-cert FILE, --tls-key FILE
                         the certificate to show to the server, and its key
  --token-file FILE      a file with the token for a WebSocket server [default: the variable PROCWIRE_TOKEN]
  --server-cmd CMD       a server over the stdin and stdout of this shell command
                         [default: a server inside this process]
`

export const flags = {
  server: { type: "string" },
  ...Tls.clientFlags,
  "token-file": { type: "string" },
  "server-cmd": { type: "string" },
} as const

/** The server that the flags of `command` name. Throws `UsageError`. */
export const toTarget = (command: string, values: Flags.Values<typeof flags>): Connect.Target => {
  const { server, "server-cmd": program } = values
  const tls = Flags.attempt(command, () => Tls.readClient(values))
  const options: WebSocketClient.Options = { ...tls, ...toToken(command, server, values["token-file"]) }
  if (server !== undefined && program !== undefined) {
    throw new Flags.UsageError(command, "--server and --server-cmd exclude each other")
  }
  if ((options.ca ?? options.cert) !== undefined && !/^(wss|tls):/.test(server ?? "")) {
    throw new Flags.UsageError(command, "--tls-ca and --tls-cert need a --server at wss:// or tls://")
  }
  if (program !== undefined) return { kind: "command", command: "/bin/sh", args: ["-c", `exec ${program}`] }
  if (server === undefined) return { kind: "inProcess", options: ServeCommand.toOptions({}) }
  if (Connect.isUrl(server)) return { kind: "url", url: server, options }
  throw new Flags.UsageError(
    command,
    `invalid value '${server}' for '--server': expected ws://HOST:PORT, tcp://HOST:PORT or unix:PATH`,
  )
}

/** The token of the file, or else of the environment, for a server that asks for one. */
const toToken = (
  command: string,
  server: string | undefined,
  file: string | undefined,
): { readonly token?: string } => {
  const webSocket = /^wss?:/.test(server ?? "")
  if (file !== undefined && !webSocket) {
    throw new Flags.UsageError(command, "--token-file needs a --server at ws:// or wss://")
  }
  const text =
    file === undefined ? process.env["PROCWIRE_TOKEN"] : Flags.readText(command, "--token-file", file)
  const token = text?.trim()
  return webSocket && token ? { token } : {}
}
