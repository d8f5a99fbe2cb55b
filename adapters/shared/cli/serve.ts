/**
 * `procwire serve`: one server behind any number of addresses, until one of them ends (stdin does) or a signal
 * comes.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Metrics from "../../../core/process/Metrics.ts"
import * as OutputLog from "../../../core/process/OutputLog.ts"
import * as ProcessRegistry from "../../../core/process/ProcessRegistry.ts"
import * as ExecServer from "../../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import * as NodeHost from "../NodeHost.ts"
import type { Platform } from "../Platform.ts"
import * as StatusPages from "../StatusPages.ts"
import * as Doors from "./Doors.ts"
import * as Usage from "./Usage.ts"
import { version } from "./Version.ts"

export const help = `Serve processes to clients over JSON-RPC.

Usage: procwire serve [OPTIONS]

Options:
${Doors.help}  --concurrent-requests N    most requests of a connection that run at once [default: ${ExecServer.defaultConcurrentRequests}]
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
  ...Doors.flags,
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
  return Effect.scoped(
    Effect.gen(function* () {
      const doors = yield* Doors.read(values)
      const listeners = yield* Doors.bindAll(doors, yield* StatusPages.make(version))
      const printed = doors.addresses.some(({ kind }) => kind === "stdio") ? process.stderr : process.stdout
      const server = yield* ExecServer.make(options)
      for (const { address } of listeners) if (address !== "stdio") printed.write(`${address}\n`)
      yield* listeners
        .map(({ run }) => run((transport) => Metrics.whileConnected(server.serve(transport))))
        .reduce((one, other) => Effect.raceFirst(one, other))
    }),
  ).pipe(Effect.provide([platform.layerSpawner, NodeHost.layerHost, NodeHost.layerSessionIds]))
}
