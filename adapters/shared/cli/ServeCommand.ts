/**
 * `procwire serve`: one server behind any number of addresses, until one of them ends (as stdin does) or a signal
 * arrives.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metrics from "../../../core/process/Metrics.ts"
import * as Dialects from "../../../core/protocol/dialect/Dialects.ts"
import * as ExecServer from "../../../core/server/ExecServer.ts"
import * as SessionRegistry from "../../../core/session/SessionRegistry.ts"
import * as Drain from "../../../core/spawn/Drain.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import type { Platform } from "../Platform.ts"
import * as StatusPages from "../status/StatusPages.ts"
import * as ServerServices from "../ServerServices.ts"
import * as PeerCredentials from "../process/posix/PeerCredentials.ts"
import * as AuditFlags from "./AuditFlags.ts"
import * as ListenerFlags from "./ListenerFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"
import * as Logging from "./Logging.ts"
import * as Shutdown from "./Shutdown.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Flags from "./Flags.ts"
import { version } from "../Version.ts"

const command = "procwire serve"
const { detachedMillis, retentionMillis } = SessionRegistry.defaultOptions

export const help = `Serve processes to clients over JSON-RPC.

Usage: procwire serve [OPTIONS]

Options:
${ListenerFlags.help}\
  --dialect NAME             what clients speak: current, v0 (the first version of March 2026, command/exec), or
                             auto: v0 where the first call behind initialize is one of v0's [default: current]
  --detached-ttl-ms N        how long a session without a connection can be resumed [default: ${detachedMillis}]
  --retention-ms N           how long a closed process stays readable [default: ${retentionMillis}]
${AuditFlags.help}\
  --bwrap PATH               bubblewrap, for requests with a restricted sandbox [default: bwrap in PATH]
${Shutdown.help}${Logging.help}\
  -h, --help                 show this text

Limits:
${LimitFlags.help}

Signals: SIGTERM, SIGINT and SIGHUP end the server and every process it started, with the exit code 0, on SIGHUP 129;
a second one does not wait for --grace-ms.
${Telemetry.help}
Examples:
  procwire serve                                    # ws://127.0.0.1:PORT, for many clients
  procwire serve --listen ws://127.0.0.1:7000 --listen unix:/run/user/1000/procwire.sock
  ssh host procwire serve --listen stdio            # one client, on this pipe
  docker run -i IMAGE procwire serve --listen stdio
`

export const flags = {
  ...ListenerFlags.flags,
  ...LimitFlags.flags,
  ...Logging.flags,
  dialect: { type: "string" },
  "detached-ttl-ms": { type: "string" },
  "retention-ms": { type: "string" },
  bwrap: { type: "string" },
  ...AuditFlags.flags,
  ...Shutdown.flags,
  help: { type: "boolean", short: "h" },
} as const

type Values = Flags.Values<typeof flags>

/** The server's options from its flags. */
export const readOptions = (values: Values): Effect.Effect<ExecServer.Options, Flags.UsageError> =>
  Effect.gen(function* () {
    return {
      version,
      dialect: yield* readDialect(values.dialect),
      detachedMillis: yield* readMillis("detached-ttl-ms", values["detached-ttl-ms"], detachedMillis),
      retentionMillis: yield* readMillis("retention-ms", values["retention-ms"], retentionMillis),
      limits: yield* LimitFlags.read(command, values),
    }
  })

/** Serves until a listener ends or `asked` completes, and then grants running processes the grace period. */
export const serve = (platform: Platform, args: ReadonlyArray<string>, asked: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const values = yield* Flags.parse(command, args, flags)
    const options = yield* readOptions(values)
    const graceMillis = yield* readMillis("grace-ms", values["grace-ms"], Shutdown.defaultGraceMillis)
    const { bwrap } = values
    if (bwrap !== undefined && Bubblewrap.find(bwrap) === undefined) {
      const message = `invalid value '${bwrap}' for '--bwrap': no executable file is there`
      return yield* new Flags.UsageError({ command, message })
    }
    return yield* listenAndServe(platform, values, options, graceMillis, asked).pipe(
      Effect.scoped,
      Effect.provide(ServerServices.layer(platform, { bwrap, isCommand: true })),
      Effect.provide(Telemetry.layer),
      Effect.provide(Logging.layer(command, values)),
    )
  })

const listenAndServe = (
  platform: Platform,
  values: Values,
  options: ExecServer.Options,
  graceMillis: number,
  asked: Effect.Effect<void>,
) =>
  Effect.gen(function* () {
    const metrics = Metrics.make()
    const listening = yield* ListenerFlags.read(command, values)
    const lost = (events: number) => void metrics.auditLost.update(events)
    const auditLog = yield* AuditFlags.open(command, values, { version, lost })
    // The server, which counts connections, exists only after the listeners that ask it.
    const later: { refusal: ExecServer.ExecServer["refusal"] } = { refusal: () => undefined }
    const terms = { maxMessageBytes: options.limits.messageBytes, refusal: () => later.refusal() }
    const listeners = yield* ListenerFlags.bindAll(
      listening,
      terms,
      yield* StatusPages.make(version, metrics),
      auditLog === undefined ? undefined : PeerCredentials.make(platform.openFfi),
    )
    const overStdio = listening.addresses.some(({ kind }) => kind === "stdio")
    const { spawner, drain } = Drain.make(yield* Spawner)
    const server = yield* Effect.provideService(
      ExecServer.make({ ...options, metrics, auditLog }),
      Spawner,
      spawner,
    )
    later.refusal = server.refusal
    const printed = overStdio ? process.stderr : process.stdout
    for (const { address } of listeners) if (address !== "stdio") printed.write(`${address}\n`)
    const serving = yield* Effect.forEach(listeners, ({ run }) =>
      Effect.forkScoped(run((transport) => metrics.whileConnected(server.serve(transport)))),
    )
    const ends = [asked, ...serving.map(Fiber.join)]
    if (values["exit-on-stdin-close"] === true && !overStdio) ends.push(Shutdown.stdinClosed)
    yield* ends.reduce((one, other) => Effect.raceFirst(one, other))
    yield* Effect.forEach(listeners, ({ stop }) => stop)
    yield* drain(graceMillis)
  })

const readDialect = (given = "current"): Effect.Effect<Dialects.Name, Flags.UsageError> => {
  const found = Dialects.names.find((name) => name === given)
  if (found !== undefined) return Effect.succeed(found)
  const message = `invalid value '${given}' for '--dialect': possible values: ${Dialects.names.join(", ")}`
  return new Flags.UsageError({ command, message })
}

const readMillis = (flag: string, value: string | undefined, usual: number) =>
  value === undefined ? Effect.succeed(usual) : Flags.wholeNumber(command, `--${flag}`, value, 0)
