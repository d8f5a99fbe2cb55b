/**
 * The stage of escapes: a confined server and one that is not, the places that they are to reach, and a listener of
 * somebody else on this machine.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { command, spawner } from "../../testing/Runtime.ts"
import * as Bubblewrap from "../confine/Bubblewrap.ts"
import type { Need } from "./Escapes.ts"

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "procwire-test-")))
const at = (name: string) => join(base, name)

/** Folders, and a socket. */
export const places = {
  WORK: at("work"),
  OUTSIDE: at("outside"),
  SECRET: at("secret"),
  SOCKET: at("outside/socket"),
  LOG: at("outside/socket-log"),
}

/** A client of a server, and what an escape finds there. */
export interface Place {
  readonly client: Client
  readonly env: Readonly<Record<string, string>>
}

/** True if this machine confines. */
export const canConfine: boolean = Bubblewrap.make(spawner).capabilities.confine

/** True if perl is installed, which makes calls of the system. */
export const hasPerl: boolean = spawnSync("perl", ["-MSocket", "-e", "1"]).status === 0

const isRoot = process.getuid?.() === 0
const setting = "/proc/sys/dev/tty/legacy_tiocsti"

const missing: Readonly<Record<Need, () => string | undefined>> = {
  perl: () => (hasPerl ? undefined : "perl is not installed"),
  root: () => (isRoot ? undefined : "only root can try it"),
  "user-namespaces": () =>
    spawnSync("unshare", ["-Urm", "true"]).status === 0 ? undefined : "unshare makes no user namespace here",
  tiocsti: () =>
    !isRoot && fs.existsSync(setting) && fs.readFileSync(setting, "utf8").trim() === "0"
      ? "dev.tty.legacy_tiocsti is 0"
      : undefined,
}

/** The reason why this machine cannot try an escape that needs this. */
export const lacking = (needs: ReadonlyArray<Need> = []): string | undefined =>
  needs.map((need) => missing[need]()).find((why) => why !== undefined)

/** Listens on a socket of each kind, and prints the port. */
const listener = `use Socket; my @kept; $| = 1;
for my $name ("\\0$ENV{ABSTRACT}", $ENV{SOCKET}) {
  socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un($name)); listen($s, 64); push @kept, $s }
socket(my $log, AF_UNIX, SOCK_DGRAM, 0); bind($log, pack_sockaddr_un($ENV{LOG}));
socket(my $s, AF_INET, SOCK_STREAM, 0); bind($s, pack_sockaddr_in(0, inet_aton("127.0.0.1"))); listen($s, 64);
print((unpack_sockaddr_in(getsockname($s)))[0]); print "\\n"; sleep`

const children: Array<ChildProcess> = []
const clients: Array<Client> = []

const firstLine = async (child: ChildProcess): Promise<string> => {
  children.push(child)
  const line = once(child.stdout as NodeJS.EventEmitter, "data")
  const [bytes] = (await Promise.race([line, once(child, "close")])) as [unknown]
  return String(bytes).trim()
}

const serve = async (name: string, env: Readonly<Record<string, string>>, flags: ReadonlyArray<string>) => {
  const [program, ...main] = command
  const audit = at(`${name}.jsonl`)
  const args = [...main, "serve", "--listen", "ws://127.0.0.1:0", "--audit", audit, ...flags]
  const server = spawn(program, args, { cwd: places.OUTSIDE, stdio: ["ignore", "pipe", "inherit"] })
  const client = await connect({ url: await firstLine(server) }, { reconnect: false })
  clients.push(client)
  return { client, env: { ...env, AUDIT: audit, SERVER: String(server.pid) } }
}

/** Starts both servers; the first one is confined to WORK, without SECRET. */
export const open = async (): Promise<{ readonly confined: Place; readonly free: Place }> => {
  for (const folder of [places.WORK, places.OUTSIDE, places.SECRET]) fs.mkdirSync(folder)
  fs.symlinkSync(places.OUTSIDE, join(places.WORK, "link"))
  fs.symlinkSync(places.SECRET, join(places.WORK, "secret"))
  const env = { ...places, ABSTRACT: `procwire-${process.pid}`, PATH: process.env["PATH"] ?? "" }
  const other = () => spawn("perl", ["-e", listener], { env, stdio: ["ignore", "pipe", "inherit"] })
  const PORT = hasPerl ? await firstLine(other()) : ""
  const flags = ["--confine", `workspace:${places.WORK}`, "--confine", `deny:${places.SECRET}`]
  const confined = await serve("confined", { ...env, PORT }, flags)
  return { confined, free: await serve("free", { ...env, PORT }, []) }
}

/** Ends everything. */
export const close = async () => {
  for (const client of clients) await client.close()
  for (const child of children) child.kill("SIGKILL")
  fs.rmSync(base, { recursive: true, force: true })
}

/** Makes the files as they were, so that an escape finds nothing of the one before. */
export const reset = () => {
  const script = "rm -rf outside/[!s]* work/[!ls]* work/swap; mkdir -p elsewhere work/inside"
  execFileSync("/bin/sh", ["-c", script], { cwd: base })
  for (const name of ["file", "remove"]) fs.writeFileSync(join(places.OUTSIDE, name), "")
  fs.writeFileSync(join(places.SECRET, "key"), "the key\n")
}

/** The URI of a path. */
export const uri = (path: string): string => `file://${path}`

const root = (access: string) => ({ path: { type: "special", value: { kind: "root" } }, access })
const entry = (path: string, access: string) => ({ path: { type: "path", path: uri(path) }, access })
const sandboxOf = (file_system: object) =>
  ({
    permissions: { type: "managed", file_system, network: "enabled" },
    windowsSandboxLevel: "disabled",
    windowsSandboxProxySettingsMode: null,
  }) as never

/** The param `sandbox` of requests that ask for everything, in several ways. */
export const wide: ReadonlyArray<{ readonly sandbox?: never }> = [
  {},
  { sandbox: sandboxOf({ type: "unrestricted" }) },
  { sandbox: sandboxOf({ type: "restricted", entries: [root("write")] }) },
  // More than the floor beside less of it, so that it is confined twice.
  { sandbox: sandboxOf({ type: "restricted", entries: [root("write"), entry(at("elsewhere"), "none")] }) },
]

/** The same of a request that asks to write this place of WORK, and to read everything. */
export const toWrite = (name: string): { readonly sandbox: never } => {
  const entries = [root("read"), entry(join(places.WORK, name), "write")]
  return { sandbox: sandboxOf({ type: "restricted", entries }) }
}
