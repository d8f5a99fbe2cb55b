/** `procwire serve`: a server until its listener ends or a signal comes. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as OutputLog from "../../../core/process/OutputLog.ts"
import * as ProcessRegistry from "../../../core/process/ProcessRegistry.ts"
import * as ExecServer from "../../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import { Listener } from "../../../core/transport/Listener.ts"
import * as NodeHost from "../NodeHost.ts"
import * as StdioTransport from "../StdioTransport.ts"
import * as Listen from "./Listen.ts"
import type { Platform } from "./Platform.ts"
import * as Usage from "./Usage.ts"
import { version } from "./Version.ts"

export const help = `Serve processes to clients over JSON-RPC.

Usage: procwire serve [OPTIONS]

Options:
  --listen ADDRESS           where to listen: stdio, or ws://IP:PORT [default: ${Listen.defaultListen}]
                             port 0 picks a free one; the bound URL is the one line on stdout
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
  procwire serve --listen ws://127.0.0.1:7000
  ssh host procwire serve --listen stdio            # one client, on this pipe
  docker run -i IMAGE procwire serve --listen stdio
`

export const flags = {
  listen: { type: "string" },
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

/** Serves until the listener ends. */
export const serve = (platform: Platform, args: ReadonlyArray<string>) => {
  const values = Usage.parse("procwire serve", args, flags)
  const options = toOptions(values)
  const listen = Listen.parse(values.listen ?? Listen.defaultListen)
  const listener = listen.kind === "stdio" ? StdioTransport.layerStdio : platform.layerWebSocket(listen)
  return Effect.scoped(
    Effect.gen(function* () {
      const { address, run } = yield* Listener
      const server = yield* ExecServer.make(options)
      if (listen.kind === "ws") process.stdout.write(`${address}\n`)
      yield* run(server.serve)
    }),
  ).pipe(Effect.provide([listener, platform.layerSpawner, NodeHost.layerHost, NodeHost.layerSessionIds]))
}
