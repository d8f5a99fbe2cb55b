/**
 * `procwire serve`: one server behind any number of addresses, until one of them ends (stdin does) or a signal
 * comes.
 */
import process from "node:process"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as OutputLog from "../../../core/process/OutputLog.ts"
import * as ProcessRegistry from "../../../core/process/ProcessRegistry.ts"
import * as ExecServer from "../../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import { Listener, type ListenerService } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as NodeHost from "../NodeHost.ts"
import * as SocketListener from "../SocketListener.ts"
import * as StdioTransport from "../StdioTransport.ts"
import * as Listen from "./Listen.ts"
import * as Tls from "../Tls.ts"
import type { Platform } from "../Platform.ts"
import * as WebSockets from "../WebSockets.ts"
import * as Usage from "./Usage.ts"
import { version } from "./Version.ts"

export const help = `Serve processes to clients over JSON-RPC.

Usage: procwire serve [OPTIONS]

Options:
  --listen ADDRESS           where to listen: stdio, ws://IP:PORT, tcp://IP:PORT or unix:PATH
                             [default: ${Listen.defaultListen}]; may be repeated. Port 0 picks a free one;
                             the bound addresses are the lines on stdout (on stderr, with stdio among them)
  --tls-cert FILE            a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://
  --tls-key FILE             its PEM key
  --tls-client-ca FILE       clients need a certificate of this authority
  --concurrent-requests N    most requests of a connection that run at once [default: ${ExecServer.defaultConcurrentRequests}]
                             (a waiting read never delays another request below that bound)
  --detached-ttl-ms N        how long a session without a connection can be resumed [default: ${SessionRegistry.defaultOptions.detachedMillis}]
  --retention-ms N           how long a closed process stays readable [default: ${ProcessRegistry.defaultOptions.retentionMillis}]
  --retained-bytes N         output kept for each process, in bytes [default: ${OutputLog.defaultLimits.bytes}]
  -h, --help                 show this text

Signals: SIGTERM and SIGINT end the server and every process it started, exit code 0.
Logs go to stderr; PROCWIRE_LOG=debug shows more.

Examples:
  procwire serve                                    # ws://127.0.0.1:PORT, for many clients
  procwire serve --listen ws://127.0.0.1:7000 --listen unix:/run/user/1000/procwire.sock
  ssh host procwire serve --listen stdio            # one client, on this pipe
  docker run -i IMAGE procwire serve --listen stdio
`

export const flags = {
  listen: { type: "string", multiple: true },
  ...Tls.serverFlags,
  "concurrent-requests": { type: "string" },
  "detached-ttl-ms": { type: "string" },
  "retention-ms": { type: "string" },
  "retained-bytes": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const

/** The server's options from its flags. */
export const toOptions = (values: {
  readonly "concurrent-requests"?: string | undefined
  readonly "detached-ttl-ms"?: string | undefined
  readonly "retention-ms"?: string | undefined
  readonly "retained-bytes"?: string | undefined
}): ExecServer.Options => {
  const number = (flag: keyof typeof values, least: number, fallback: number) =>
    values[flag] === undefined
      ? fallback
      : Usage.wholeNumber("procwire serve", `--${flag}`, values[flag], least)
  return {
    ...SessionRegistry.defaultOptions,
    version,
    concurrentRequests: number("concurrent-requests", 1, ExecServer.defaultConcurrentRequests),
    detachedMillis: number("detached-ttl-ms", 0, SessionRegistry.defaultOptions.detachedMillis),
    retentionMillis: number("retention-ms", 0, ProcessRegistry.defaultOptions.retentionMillis),
    limits: {
      ...OutputLog.defaultLimits,
      bytes: number("retained-bytes", 1, OutputLog.defaultLimits.bytes),
    },
  }
}

/** Serves until a listener ends. */
export const serve = (platform: Platform, args: ReadonlyArray<string>) => {
  const values = Usage.parse("procwire serve", args, flags)
  const options = toOptions(values)
  const addresses = Listen.parseAll(values.listen)
  const tls = Usage.attempt("procwire serve", () => Tls.readServer(values))
  if (tls !== undefined && !addresses.some(({ kind }) => kind === "ws" || kind === "tcp")) {
    throw new Usage.UsageError("procwire serve", "--tls-cert needs a ws:// or tcp:// address")
  }
  const printed = addresses.some(({ kind }) => kind === "stdio") ? process.stderr : process.stdout
  return Effect.scoped(
    Effect.gen(function* () {
      const listeners = yield* Effect.forEach(addresses, (address) => bind(address, tls))
      const server = yield* ExecServer.make(options)
      for (const { address } of listeners) if (address !== "stdio") printed.write(`${address}\n`)
      yield* listeners
        .map(({ run }) => run(server.serve))
        .reduce((one, other) => Effect.raceFirst(one, other))
    }),
  ).pipe(Effect.provide([platform.layerSpawner, NodeHost.layerHost, NodeHost.layerSessionIds]))
}

/** Listens at the address until the scope closes. */
const bind = (
  address: Listen.Listen,
  tls: Tls.ServerTls | undefined,
): Effect.Effect<ListenerService, TransportError, Scope.Scope> =>
  Effect.map(Layer.build(layerOf(address, tls)), Context.get(Listener))

const layerOf = (
  address: Listen.Listen,
  tls: Tls.ServerTls | undefined,
): Layer.Layer<Listener, TransportError> => {
  const secure = tls === undefined ? {} : { tls }
  switch (address.kind) {
    case "stdio":
      return StdioTransport.layerStdio
    case "ws":
      return WebSockets.layerWebSocket({ ...address, ...secure })
    case "unix":
      return SocketListener.layerSocket(address)
    case "tcp":
      return SocketListener.layerSocket({ ...address, ...secure })
  }
}
