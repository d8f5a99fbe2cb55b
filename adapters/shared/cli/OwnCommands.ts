/** The server of one's own: `procwire up` starts it in the background, `down` ends it, `dial` connects to it. */
import { connect } from "node:net"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as OwnServer from "./server/OwnServer.ts"
import { type Unable, unable } from "./server/Unable.ts"
import * as Message from "./words/Message.ts"
import * as fs from "node:fs"
import { join } from "node:path"
import * as OwnProgram from "../confine/OwnProgram.ts"
import * as Folders from "../host/Folders.ts"
import * as OsError from "../host/OsError.ts"
import { ConfigurationError } from "./Flags.ts"

export const up = Command.make({
  name: "up",
  summary: "Start a server of your own in the background, if it does not run, and print its address",
  usage: "[OPTIONS]",
  flags: {
    install: {
      ...Flags.toggle(
        "write units of systemd for this user instead, by which the first connection starts the server",
      ),
      excludes: ["web"],
    },
    restart: {
      ...Flags.toggle(
        "have a new server take the place of the one that runs, as after an upgrade: its processes and clients go on",
      ),
      excludes: ["install", "web"],
    },
    web: Flags.toggle(
      "serve a page for browsers on this machine as well, and print a one-time link to it instead of the address",
    ),
    json: Flags.toggle("print { url, started, kept }, with --web and link; kept: its processes outlive it"),
    quiet: Flags.toggle("print nothing", "q"),
  },
  text: `
It listens at server.sock in $XDG_RUNTIME_DIR/procwire, or in procwire-UID of the folder for temporary files if that
variable is not set: a folder that only you may enter. Every command that needs it starts it, so this one is for
scripts. Processes with a name live on without a client and are kept, with the last 64 MiB of their output, until
procwire rm. They outlive the server (serve --keep) unless the variable PROCWIRE_KEEP is false: if it is killed, the
next command starts it again, and it has them. Where that cannot be, up says why. What it logs is in server.log
beside the socket.

With --restart the new server has to take all processes over before the old one ends for good: if it fails, the old one
goes on, and up says why with the exit code 1. Clients reconnect to the new one, as after any lost connection.

The page of --web shows all its processes, and writes to them. It is at a port of 127.0.0.1 that is free, and a link is
the only way in: one lets one browser in, once, within ten minutes, and each procwire up --web prints another. A server
that runs without the page does not get it: procwire down ends it, and its processes, before procwire up --web.`,
  examples: [
    "procwire up",
    "url=$(procwire up)",
    'xdg-open "$(procwire up --web)"',
    "npm install -g procwire && procwire up --restart",
    "procwire up --install",
    "procwire down",
  ],
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const { install = false, web = false, restart = false, json = false, quiet = false } = values
      const { print } = LocalTerminal
      if (install) return yield* print(yield* installUnits)
      const how = web ? OwnServer.ensurePage : restart ? OwnServer.restart : OwnServer.ensure
      const found = yield* how(platform)
      if (json) return yield* print(`${JSON.stringify(found)}\n`)
      if (!quiet) yield* print(`${"link" in found ? found.link : found.url}\n`)
      if (!quiet && !found.started && process.stderr.isTTY) process.stderr.write("it was running already\n")
      if (!quiet && found.unkept !== undefined && process.env["PROCWIRE_KEEP"] !== "false")
        Message.say(`processes of this server end with it: ${found.unkept}`)
    }),
})

export const down = Command.make({
  name: "down",
  summary: "End the server of your own, with all its processes",
  usage: "[OPTIONS]",
  flags: { quiet: Flags.toggle("print nothing", "q") },
  text: `
Its processes get SIGTERM, and SIGKILL after 5 seconds, those that a killed server has left, too. It returns when all is
gone. It is no error if none runs.`,
  examples: ["procwire ps && procwire down"],
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const text = stopped(yield* OwnServer.stop(platform))
      if (values.quiet !== true) yield* LocalTerminal.print(`${text}\n`)
    }),
})

const stopped = ({ left, pid }: OwnServer.Stopped): string => {
  const processes = `${left} ${left === 1 ? "process" : "processes"}`
  if (pid !== undefined)
    return `ended the server of your own (pid ${pid})${left > 0 ? `, and ${processes} of one before` : ""}`
  return left > 0 ? `ended ${processes} that a server of your own had left` : "no server of your own runs"
}

export const dial = Command.make({
  name: "dial",
  summary: "Connect stdin and stdout to your own server, which is started if it does not run",
  usage: "",
  flags: {},
  text: "A server at ssh://HOST is reached by this command on that host.",
  examples: ["ssh build-host procwire dial", 'procwire ps --server-cmd "ssh build-host procwire dial"'],
  run: ({ platform }) =>
    Effect.flatMap(OwnServer.ensure(platform), ({ url }) => copy(url.slice("unix:".length))),
})

const copy = (path: string): Effect.Effect<void, Unable> =>
  Effect.callback((resume) => {
    const socket = connect({ path })
    const end = () => resume(Effect.void)
    socket.on("error", ({ message }) => resume(unable(`the connection broke: ${message}`)))
    socket.on("close", end)
    process.stdin.pipe(socket)
    socket.pipe(process.stdout)
    return Effect.sync(() => socket.destroy())
  })

/** Writes the units; succeeds with what the user reads. */
const installUnits: Effect.Effect<string, ConfigurationError> = Effect.suspend(() => {
  const folder = join(Folders.ofUser(process.env, "XDG_CONFIG_HOME", ".config"), "systemd", "user")
  const argv = ["serve", "--listen=systemd", ...OwnServer.flags(), ...OwnServer.keepFlags()]
  const files = units(OwnProgram.argv(argv))
  return Effect.try({
    try: () => {
      Folders.make(folder)
      for (const [name, text] of Object.entries(files)) fs.writeFileSync(join(folder, name), text)
      const written = Object.keys(files).map((name) => `wrote ${join(folder, name)}\n`)
      return `${written.join("")}
To use them, now and after each login:
  procwire down; systemctl --user daemon-reload && systemctl --user enable --now procwire.socket
So that it runs without a login, too:
  loginctl enable-linger
`
    },
    catch: (cause) =>
      new ConfigurationError({ message: `cannot write to ${folder}: ${OsError.fromUnknown(cause).message}` }),
  })
})

export const units = (argv: ReadonlyArray<string>): Readonly<Record<string, string>> => ({
  "procwire.socket": `\
# The socket of the process server procwire, for this user alone.

[Unit]
Description=Socket of the process server procwire

[Socket]
ListenStream=%t/procwire/server.sock
DirectoryMode=0700
SocketMode=0600

[Install]
WantedBy=sockets.target
`,
  "procwire.service": `\
# The process server procwire of this user, at the socket of procwire.socket.

[Unit]
Description=Process server procwire
Requires=procwire.socket
After=procwire.socket

[Service]
Type=notify
NotifyAccess=all
ExecStart=${argv.map(quoted).join(" ")}
WorkingDirectory=%h
TimeoutStopSec=20
# Processes outlive the server, and the next one has them; procwire down ends them, once this service is stopped.
KillMode=process
`,
})

/** A word as systemd reads it. */
const quoted = (word: string): string => {
  const text = word.replaceAll("%", "%%").replaceAll("$", "$$$$")
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}
