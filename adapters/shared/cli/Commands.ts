/**
 * The commands of the program. One is loaded when it is picked, so that a server starts without the code of the client.
 */
import type * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import type { Platform } from "../Platform.ts"
import type * as ForwardedSignals from "./ForwardedSignals.ts"
import type { Spec } from "./table/Spec.ts"

/** A command. */
export interface Command {
  readonly spec: Spec
  /** The command handles signals itself. */
  readonly takesSignals?: boolean
  /** The command ends by itself when `asked` completes: the first signal completes it, the second interrupts. */
  readonly ends?: boolean
  /** This process dies of the signal that has ended the command; else its exit code is 0. */
  readonly diesOfSignals?: boolean
  /** Succeeds with the exit code, or with the signal of which this process dies. */
  readonly run: (
    platform: Platform,
    args: ReadonlyArray<string>,
    asked: Effect.Effect<ForwardedSignals.Name>,
  ) => Effect.Effect<number | ForwardedSignals.Name | void, unknown, TextFile.TextFiles>
}

type Load = () => Promise<Command>

/** A command that a signal ends, as it ends most programs. */
const usual = (spec: Spec, run: Command["run"]): Command => ({ spec, run, diesOfSignals: true })

const processes: Readonly<Record<string, Load>> = {
  run: () => import("./RunCommand.ts").then(({ spec, run }) => ({ spec, run, takesSignals: true })),
  ps: () => import("./PsCommand.ts").then(({ spec, ps }) => usual(spec, ps)),
  logs: () => import("./LogsCommand.ts").then(({ spec, logs }) => usual(spec, logs)),
  attach: () => import("./AttachCommand.ts").then(({ spec, attach }) => usual(spec, attach)),
  wait: () => import("./WaitCommand.ts").then(({ spec, wait }) => usual(spec, wait)),
  write: () => import("./WriteCommand.ts").then(({ spec, write }) => usual(spec, write)),
  send: () => import("./WriteCommand.ts").then(({ sendSpec, send }) => usual(sendSpec, send)),
  kill: () => import("./KillCommand.ts").then(({ spec, kill }) => usual(spec, kill)),
  stop: () => import("./KillCommand.ts").then(({ stopSpec, stop }) => usual(stopSpec, stop)),
  restart: () => import("./RestartCommand.ts").then(({ spec, restart }) => usual(spec, restart)),
  rm: () => import("./RmCommand.ts").then(({ spec, rm }) => usual(spec, rm)),
  prune: () => import("./RmCommand.ts").then(({ pruneSpec, prune }) => usual(pruneSpec, prune)),
  screen: () => import("./ScreenCommand.ts").then(({ spec, screen }) => usual(spec, screen)),
  record: () => import("./RecordCommand.ts").then(({ spec, record }) => ({ spec, run: record, ends: true })),
  play: () => import("./PlayCommand.ts").then(({ spec, play }) => usual(spec, play)),
  top: () => import("./TopCommand.ts").then(({ spec, top }) => usual(spec, top)),
  events: () => import("./EventsCommand.ts").then(({ spec, events }) => usual(spec, events)),
  cp: () => import("./CpCommand.ts").then(({ spec, cp }) => usual(spec, cp)),
  inspect: () => import("./InspectCommand.ts").then(({ spec, inspect }) => usual(spec, inspect)),
}

const servers: Readonly<Record<string, Load>> = {
  serve: () => import("./ServeCommand.ts").then(({ spec, serve }) => ({ spec, run: serve, ends: true })),
  router: () => import("./RouterCommand.ts").then(({ spec, router }) => ({ spec, run: router, ends: true })),
  fleet: () => import("./FleetCommand.ts").then(({ spec, fleet }) => usual(spec, fleet)),
  up: () => import("./UpCommand.ts").then(({ spec, up }) => usual(spec, up)),
  down: () => import("./DownCommand.ts").then(({ spec, down }) => usual(spec, down)),
  context: () => import("./ContextCommand.ts").then(({ spec, context }) => usual(spec, context)),
  hosts: () => import("./HostsCommand.ts").then(({ spec, hosts }) => usual(spec, hosts)),
  dial: () => import("./DialCommand.ts").then(({ spec, dial }) => usual(spec, dial)),
}

const others: Readonly<Record<string, Load>> = {
  mcp: () =>
    import("./McpCommand.ts").then(({ spec, mcp }) => ({ spec, run: mcp, ends: true, diesOfSignals: true })),
  doctor: () => import("./DoctorCommand.ts").then(({ spec, doctor }) => ({ spec, run: doctor })),
  spawners: () => import("./SpawnersCommand.ts").then(({ spec, spawners }) => ({ spec, run: spawners })),
  schema: () => import("./SchemaCommand.ts").then(({ spec, schema }) => ({ spec, run: schema })),
  "shell-init": () =>
    import("./ShellInitCommand.ts").then(({ spec, shellInit }) => ({ spec, run: shellInit })),
  completion: () => import("./CompletionCommand.ts").then(({ spec, completion }) => usual(spec, completion)),
}

/** The commands, as the help groups them. */
export const groups: ReadonlyArray<readonly [title: string, commands: Readonly<Record<string, Load>>]> = [
  ["Processes", processes],
  ["Servers", servers],
  ["Others", others],
]

/** Every command that people use, by its name. */
export const commands: Readonly<Record<string, Load>> = { ...processes, ...servers, ...others }

/** The command that the scripts of shells run, and what users of docker call others. */
export const hidden: Readonly<Record<string, Load>> = {
  ls: () => commands["ps"]!(),
  stats: () => commands["top"]!(),
  complete: () => import("./CompletionCommand.ts").then(({ spec, complete }) => usual(spec, complete)),
}

/** The tables of all commands. */
export const allSpecs = (): Promise<ReadonlyArray<Spec>> =>
  Promise.all(Object.values(commands).map((load) => load().then(({ spec }) => spec)))
