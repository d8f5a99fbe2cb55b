/**
 * `procwire up`: a server of one's own, in the background; with `--web` also a link to its page, with `--install` as a
 * service of the user.
 */
import process from "node:process"
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OwnServer from "./server/OwnServer.ts"
import * as UserUnits from "./server/UserUnits.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"

const command = "procwire up"

const flags = {
  install: {
    type: "boolean",
    help: "write units of systemd for this user instead, by which the first connection starts the server",
  },
  web: {
    type: "boolean",
    help: "serve a page for browsers on this machine as well, and print a one-time link to it instead of the address",
  },
  json: { type: "boolean", help: "print { url, started }, with --web and link" },
  quiet: { type: "boolean", short: "q", help: "print nothing" },
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "up",
  summary: "Start a server of your own in the background, if it does not run, and print its address",
  usage: "[OPTIONS]",
  flags,
  text: `
It listens at server.sock in $XDG_RUNTIME_DIR/procwire, or in procwire-UID of the folder for temporary files if that
variable is not set: a folder that only you may enter. Every command that needs it starts it, so this one is for
scripts. Processes with a name live on without a client and are kept, with the last 64 MiB of their output, until
procwire rm. What it logs is in server.log beside the socket.

The page of --web shows all its processes, and writes to them. It is at a port of 127.0.0.1 that is free, and a link is
the only way in: one lets one browser in, once, within ten minutes, and each procwire up --web prints another. A server
that runs without the page does not get it: procwire down ends it, and its processes, before procwire up --web.`,
  examples: [
    "procwire up",
    "url=$(procwire up)",
    'xdg-open "$(procwire up --web)"',
    "procwire up --install",
    "procwire down",
  ],
}

/** Starts it, or writes the units. */
export const up = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const values = yield* Flags.parse(command, args, flags)
    const { install = false, web = false, json = false, quiet = false } = values
    const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text))
    if (install && web)
      return yield* new Flags.UsageError({ command, message: "--install and --web exclude each other" })
    if (install) return yield* Effect.flatMap(UserUnits.install(process.env), print)
    const found = yield* web
      ? OwnServer.ensurePage(platform, process.env)
      : OwnServer.ensure(platform, process.env)
    if (json) return yield* print(`${JSON.stringify(found)}\n`)
    if (!quiet) yield* print(`${"link" in found ? found.link : found.url}\n`)
    if (!quiet && !found.started && process.stderr.isTTY) process.stderr.write("it was running already\n")
  })
