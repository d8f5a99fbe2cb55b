/** `procwire router`: a door to the hosts of a fleet, until a signal arrives. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as RouterServer from "../fleet/RouterServer.ts"
import * as Logging from "../serve/Logging.ts"
import * as Options from "../serve/Options.ts"
import * as SystemdEnvironment from "../systemd/Environment.ts"
import * as Notify from "../systemd/Notify.ts"
import * as ServiceState from "../systemd/ServiceState.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as OptionFlags from "./OptionFlags.ts"
import * as Renewal from "./Renewal.ts"
import * as Telemetry from "./Telemetry.ts"

const variable = "PROCWIRE_DIRECTORY"

const shared = Options.general.filter(
  ({ path }) =>
    /^(tls|auth)\./.test(path) ||
    ["listen", "allowUnauthenticated", "peerTimeoutMs", "logFormat", "logLevel"].includes(path),
)

export const router = Command.make({
  name: "router",
  summary: "Lead clients to the hosts of a fleet, which join it with procwire serve --join",
  usage: "--directory URL [OPTIONS]",
  flags: {
    directory: Flags.text(
      "URL",
      "what the routers of a fleet agree in: postgres://USER@HOST/DATABASE, nats://HOST:PORT, or memory: for a router " +
        `that is alone [default: the variable ${variable}, which shows its password to nobody]`,
    ),
    "host-token-file": {
      ...Flags.file(
        "the token that hosts and other routers have to show; may be repeated, and the first one is shown to routers",
      ),
      multiple: true,
    },
    quota: Flags.whole("how many sessions a tenant may have [default: any number]", 0),
    advertise: Flags.text(
      "URL",
      "where the other routers of the fleet find this one [default: its first address]",
    ),
    "router-ca": Flags.file(
      "the authority, as PEM, of other routers at wss:// [default: those of the system]",
    ),
    ...(OptionFlags.flagsOf(shared) as object),
  },
  text: `
A client connects to a router as to a server, and may be given several routers: when one dies it comes back by the next.
It asks for labels of its host by the URL: ws://ROUTER:PORT/?label=os=linux&label=zone=a. Its tenant is the claim
"tenant" of its JWT, or else "default".

A session is counted and placed in the directory. While that is away sessions go on and can be resumed, and starts are
refused. /healthz shows the hosts, /metrics numbers for Prometheus.
${Renewal.help}
Exit code: 0 when a signal has ended it, 2 for wrong use, 1 if an address cannot be bound.`,
  examples: [
    "procwire router --directory memory: --listen ws://127.0.0.1:7100",
    "procwire router --directory postgres:///fleet --ws-auth capability-token --ws-token-file c --host-token-file h",
    "procwire serve --join ws://127.0.0.1:7100",
    "procwire run --server ws://127.0.0.1:7100 -- hostname",
  ],
  ends: true,
  endsWell: true,
  run: ({ platform, values, asked }) =>
    Effect.gen(function* () {
      const directory = values.directory ?? (process.env[variable] || undefined)
      if (directory === undefined)
        return yield* Flags.wrong("--directory is missing: postgres://…, nats://… or memory:")
      const settings = yield* OptionFlags.settle(OptionFlags.fromValues(shared, values), undefined, {})
      delete process.env[variable]
      const systemd = SystemdEnvironment.take(process.env)
      return yield* Effect.gen(function* () {
        const renewals = yield* Renewal.requests
        const service = ServiceState.make(Notify.make(systemd.notifySocket, platform.openFfi))
        const { addresses, files, run, stop } = yield* RouterServer.make(settings, {
          directory,
          hostTokenFiles: values["host-token-file"] ?? [],
          advertise: values.advertise,
          routerCaFile: values["router-ca"],
          quota: values.quota,
        })
        for (const address of addresses) process.stdout.write(`${address}\n`)
        yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(renewals), Renewal.renew(files))))
        yield* service.ready(addresses)
        yield* Effect.raceFirst(Effect.andThen(asked, stop), run)
        yield* service.stopping(0)
      }).pipe(Effect.scoped, Effect.provide(Telemetry.layer), Effect.provide(Logging.layer(settings.options)))
    }).pipe(
      Effect.mapError((error) => (error._tag === "ServeError" ? OptionFlags.toFlagError(error) : error)),
    ),
})
