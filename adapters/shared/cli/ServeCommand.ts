/**
 * `procwire serve`: one server behind any number of addresses, until one of them ends (as stdin does) or a signal
 * arrives. Its flags are the table of options, which also come from the environment and from a file.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as TextFile from "../host/TextFile.ts"
import * as Lazy from "../Lazy.ts"
import * as Given from "../serve/Given.ts"
import * as Logging from "../serve/Logging.ts"
import * as Options from "../serve/Options.ts"
import type { ServeError } from "../serve/ServeError.ts"
import * as Server from "../serve/Server.ts"
import type { ServerService } from "../serve/ServerTag.ts"
import * as SystemdEnvironment from "../systemd/Environment.ts"
import * as Notify from "../systemd/Notify.ts"
import * as ServiceState from "../systemd/ServiceState.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as OptionFlags from "./OptionFlags.ts"
import * as Renewal from "./Renewal.ts"
import type * as Succession from "./Succession.ts"
import * as Telemetry from "./Telemetry.ts"
import * as ArgumentBytes from "./words/ArgumentBytes.ts"
import * as Message from "./words/Message.ts"

export const serve = Command.make({
  name: "serve",
  summary: "Serve processes to clients over JSON-RPC",
  usage: "[OPTIONS]",
  flags: {
    ...OptionFlags.flagsOf(Options.general),
    "take-over": Flags.toggle(
      "with --keep: take the place of the server with the same --keep-dir, with its processes, if one runs",
    ),
    config: Flags.file("options from a file, one in each line: max-processes 100 [default: none]"),
  },
  groups: [{ title: "Limits", flags: OptionFlags.flagsOf(Options.bounds) }],
  text: `
Every option also has a variable: PROCWIRE_MAX_PROCESSES is that of --max-processes, PROCWIRE_CONFIG that of --config.
Blanks separate several addresses in PROCWIRE_LISTEN; true or false is the value of an option that takes none. A flag
wins over a variable, and a variable over the file.

Signals: SIGTERM, SIGINT and SIGHUP end the server and every process it started, with the exit code 0, on SIGHUP 129;
a second one does not wait for --grace-ms. With --keep they leave the processes to the next server, and SIGQUIT ends
those, too. With --keep SIGUSR2 starts the program again in its place, with --take-over; if that does not take the
processes over, this server goes on.
${Renewal.help}
With --web SIGUSR2 prints another link to the page instead.
${Telemetry.help}`,
  examples: [
    "procwire serve                                    # ws://127.0.0.1:PORT, for many clients",
    "procwire serve --listen ws://127.0.0.1:7000 --listen unix:/run/user/1000/procwire.sock",
    "procwire serve --listen ws://127.0.0.1:7000 --web # and a page for browsers, at the link that it prints",
    "procwire serve --config /etc/procwire.conf",
    "ssh host procwire serve --listen stdio            # one client, on this pipe",
    "docker run -i IMAGE procwire serve --listen stdio",
  ],
  ends: true,
  endsWell: true,
  run: ({ platform, values, asked }) =>
    Effect.gen(function* () {
      const settings = yield* settle(values, process.env)
      const again = { words: ArgumentBytes.words(), env: { ...process.env } }
      // They configure this server, not those that its processes may start.
      for (const name of Given.variables) delete process.env[name]
      const systemd = SystemdEnvironment.take(process.env)
      const isKeeping = settings.options.keep === true
      if (values["take-over"] === true && !isKeeping) return yield* Flags.wrong("--take-over needs --keep")
      /** The addresses of the first server. */
      let before: ReadonlyArray<string> | undefined
      /** One server, until it ends; succeeds with the one that has asked for its place. */
      const life = (signals: Signals) =>
        Effect.gen(function* () {
          const renewals = yield* Renewal.requests
          const service = ServiceState.make(Notify.make(systemd.notifySocket, platform.openFfi))
          const early = platform.early && { ...platform.early, keeps: isPlain(settings) }
          const takesOver = values["take-over"] === true && before === undefined
          let leaving = false
          const onClosing = (graceMillis: number) => (leaving ? Effect.void : service.stopping(graceMillis))
          const host = { isCommand: true, systemd, onClosing, early, takesOver, before }
          const server = yield* Server.make(platform, settings, host)
          const replaced = yield* successions(server, {
            start: again,
            requests: signals.again,
            openFfi: platform.openFfi,
            leaving: () => void (leaving = true),
            left: service.passOn,
          })
          yield* server.keeping?.done ?? Effect.void
          const printed = server.addresses.includes("stdio") ? process.stderr : process.stdout
          if (before === undefined)
            for (const address of server.addresses) if (address !== "stdio") printed.write(`${address}\n`)
          before = server.addresses
          const renew = service.whileReloading(Renewal.renew(server.files))
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(renewals), renew)))
          if (settings.options.web === true) yield* printLinks(server, printed)
          yield* service.ready(server.addresses)
          const closed = Effect.andThen(
            server.closed,
            Effect.suspend(() => (leaving ? Effect.never : Effect.void)),
          )
          const ends = Effect.raceFirst(Effect.andThen(asked, server.close()), closed)
          const quits = Effect.andThen(Queue.take(signals.quit), server.close({ keep: false }))
          const end = server.keeping === undefined ? ends : Effect.raceFirst(ends, quits)
          return yield* Effect.raceFirst(Effect.as(end, undefined), replaced)
        }).pipe(Effect.scoped, Effect.mapError(OptionFlags.toFlagError))
      // systemd passes them to the process that it starts.
      const hasSockets = systemd.listenFds !== undefined
      const successions = (server: Server.Made, options: Succession.Options) =>
        server.keeping === undefined || hasSockets
          ? Effect.succeed(Effect.never)
          : Lazy.use(
              () => import("./Succession.ts"),
              ({ make }) => make(server, server.keeping?.folder ?? "", options),
            )
      return yield* Effect.gen(function* () {
        const again = isKeeping && settings.options.web !== true ? yield* Renewal.each("SIGUSR2") : undefined
        if (again !== undefined && hasSockets)
          yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(again), restartByService)))
        const signals: Signals = {
          quit: yield* isKeeping ? Renewal.each("SIGQUIT") : Queue.make<void>(),
          again: hasSockets ? undefined : again,
        }
        for (;;) {
          const verdict = yield* life(signals)
          if (verdict === undefined || (yield* Effect.raceFirst(verdict, Effect.as(asked, true)))) return
        }
      }).pipe(Effect.scoped, Effect.provide(Telemetry.layer), Effect.provide(Logging.layer(settings.options)))
    }),
})

/** Another process cannot have the sockets, and those who connect wait while the service restarts. */
const restartByService = Effect.sync(() =>
  Message.say("SIGUSR2: systemd passed the sockets of this server: restart its service instead"),
)

/** The signals of a server with a holder. They are handled from the start on: without a listener they end it. */
interface Signals {
  /** The server is to end with its processes. */
  readonly quit: Queue.Dequeue<void>
  /** Another one is to take its place; undefined if the signal means something else. */
  readonly again: Queue.Dequeue<void> | undefined
}

/** True for a server on stdio alone, whose options need nothing at the start and nothing on disk. */
const isPlain = ({ options }: Given.Settings): boolean =>
  options.listen?.length === 1 &&
  options.listen[0] === "stdio" &&
  options.limits?.messageBytes === undefined &&
  Object.keys(options).every((name) => plain.includes(name))

const plain: ReadonlyArray<string> = ["listen", "dialect", "limits"] satisfies ReadonlyArray<
  keyof Options.Options
>

/** The options of the command line, of the environment and of the file that they name. */
export const settle = (
  values: Readonly<Record<string, unknown>>,
  env: Given.Env,
): Effect.Effect<
  Given.Settings,
  ServeError | Flags.UsageError | Flags.ConfigurationError,
  TextFile.TextFiles
> =>
  OptionFlags.settle(
    OptionFlags.fromValues(Options.all, values),
    values["config"] as string | undefined,
    env,
  ).pipe(Effect.mapError(OptionFlags.toFlagError))

/** Prints a link to the page now and at each SIGUSR2, behind the addresses. */
const printLinks = ({ webLink }: ServerService, printed: NodeJS.WriteStream) =>
  Effect.gen(function* () {
    const requests = yield* Renewal.each("SIGUSR2")
    const print = Effect.sync(() => void printed.write(`${webLink()}\n`))
    yield* print
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(requests), print)))
  })
