/**
 * The commands of the program. One is loaded when it is picked, so that a server starts without the code of the client.
 */
import type { Command } from "./Command.ts"

type Load = () => Promise<Command>

const processes: Readonly<Record<string, Load>> = {
  run: () => import("./RunCommand.ts").then(({ run }) => run),
  ps: () => import("./PsCommand.ts").then(({ ps }) => ps),
  logs: () => import("./LogsCommand.ts").then(({ logs }) => logs),
  attach: () => import("./AttachCommand.ts").then(({ attach }) => attach),
  wait: () => import("./WaitCommand.ts").then(({ wait }) => wait),
  port: () => import("./PortCommand.ts").then(({ port }) => port),
  write: () => import("./ActCommands.ts").then(({ write }) => write),
  send: () => import("./ActCommands.ts").then(({ send }) => send),
  kill: () => import("./ActCommands.ts").then(({ kill }) => kill),
  stop: () => import("./ActCommands.ts").then(({ stop }) => stop),
  restart: () => import("./ActCommands.ts").then(({ restart }) => restart),
  rm: () => import("./ActCommands.ts").then(({ rm }) => rm),
  gc: () => import("./GcCommand.ts").then(({ gc }) => gc),
  prune: () => import("./ActCommands.ts").then(({ prune }) => prune),
  screen: () => import("./ScreenCommand.ts").then(({ screen }) => screen),
  record: () => import("./PlayCommand.ts").then(({ record }) => record),
  play: () => import("./PlayCommand.ts").then(({ play }) => play),
  top: () => import("./TopCommand.ts").then(({ top }) => top),
  events: () => import("./EventsCommand.ts").then(({ events }) => events),
  cp: () => import("./CpCommand.ts").then(({ cp }) => cp),
  inspect: () => import("./PsCommand.ts").then(({ inspect }) => inspect),
}

const servers: Readonly<Record<string, Load>> = {
  serve: () => import("./ServeCommand.ts").then(({ serve }) => serve),
  router: () => import("./RouterCommand.ts").then(({ router }) => router),
  fleet: () => import("./FleetCommand.ts").then(({ fleet }) => fleet),
  up: () => import("./OwnCommands.ts").then(({ up }) => up),
  down: () => import("./OwnCommands.ts").then(({ down }) => down),
  context: () => import("./ContextCommand.ts").then(({ context }) => context),
  hosts: () => import("./HostsCommand.ts").then(({ hosts }) => hosts),
  dial: () => import("./OwnCommands.ts").then(({ dial }) => dial),
}

const others: Readonly<Record<string, Load>> = {
  mcp: () => import("./McpCommand.ts").then(({ mcp }) => mcp),
  doctor: () => import("./DoctorCommand.ts").then(({ doctor }) => doctor),
  spawners: () => import("./SpawnersCommand.ts").then(({ spawners }) => spawners),
  schema: () => import("./SchemaCommand.ts").then(({ schema }) => schema),
  "shell-init": () => import("./ShellCommands.ts").then(({ shellInit }) => shellInit),
  completion: () => import("./ShellCommands.ts").then(({ completion }) => completion),
}

export const groups: ReadonlyArray<readonly [title: string, commands: Readonly<Record<string, Load>>]> = [
  ["Processes", processes],
  ["Servers", servers],
  ["Others", others],
]

export const commands: Readonly<Record<string, Load>> = { ...processes, ...servers, ...others }

/** The commands that scripts of shells and servers run, and what users of docker call others. */
export const hidden: Readonly<Record<string, Load>> = {
  ls: () => commands["ps"]!(),
  stats: () => commands["top"]!(),
  complete: () => import("./ShellCommands.ts").then(({ complete }) => complete),
  hold: () => import("./HoldCommand.ts").then(({ hold }) => hold),
  netns: () => import("./NetnsCommand.ts").then(({ netns }) => netns),
}

export const allSpecs = (): Promise<ReadonlyArray<Command>> =>
  Promise.all(Object.values(commands).map((load) => load()))
