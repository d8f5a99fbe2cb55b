/** Units of systemd for the server of one's own: a socket, by whose first connection the server starts. */
import * as fs from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import * as Folders from "../../host/Folders.ts"
import * as OsError from "../../host/OsError.ts"
import { ConfigurationError } from "../Flags.ts"
import type { Env } from "./OwnFolder.ts"
import * as OwnServer from "./OwnServer.ts"

/** Writes the units; succeeds with what the user reads. */
export const install = (env: Env): Effect.Effect<string, ConfigurationError> => {
  const base = env["XDG_CONFIG_HOME"] ?? ""
  const folder = join(isAbsolute(base) ? base : join(homedir(), ".config"), "systemd", "user")
  const files = units(OwnProgram.argv(["serve", "--listen=systemd", ...OwnServer.flags(env)]))
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
}

/** The texts of the units, by their names. */
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
`,
})

/** A word as systemd reads it. */
const quoted = (word: string): string => {
  const text = word.replaceAll("%", "%%").replaceAll("$", "$$$$")
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
}
