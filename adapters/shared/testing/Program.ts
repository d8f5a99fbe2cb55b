/** The program `procwire` with folders of its own, so that its server, contexts and files are those of one test. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, rmSync } from "node:fs"
import process from "node:process"
import { onTestFinished } from "vitest"
import { unboundCommand } from "../../testing/Runtime.ts"
import * as OwnFolder from "../cli/server/OwnFolder.ts"
import * as HolderPlace from "../keep/HolderPlace.ts"
import * as Folder from "./Folder.ts"

/** The output of a call, and its exit code; null if a signal has ended it. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The program. */
export interface Program {
  /** The folder of its files, which is its working directory as well. */
  readonly folder: Folder.Folder
  /** Its environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Starts it. */
  readonly start: (...args: ReadonlyArray<string>) => ChildProcess
  /** Runs it to its end, with an empty stdin. */
  readonly call: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** The same with a text on its stdin. */
  readonly feed: (input: string, ...args: ReadonlyArray<string>) => Promise<Ended>
}

const pidIn = (file: string): number | undefined =>
  existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) : undefined

const kill = (pid: number, signal: NodeJS.Signals = "SIGKILL"): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

/** Everything of it ends with the test, its server, too; `command` is what runs it. */
export const make = (
  more: Readonly<Record<string, string | undefined>> = {},
  command: readonly [string, ...ReadonlyArray<string>] = unboundCommand,
): Program => {
  const folder = Folder.make("mkdir -m 700 run config home")
  const env = {
    ...process.env,
    XDG_RUNTIME_DIR: folder.at("run"),
    XDG_CONFIG_HOME: folder.at("config"),
    XDG_STATE_HOME: folder.at("state"),
    PROCWIRE_SERVER: undefined,
    // A holder takes as long to start as a server.
    PROCWIRE_KEEP: "false",
    NO_COLOR: "1",
    ...more,
  }
  const [program, ...main] = command
  const started = new Set<ChildProcess>()
  const start: Program["start"] = (...args) => {
    const child = spawn(program, [...main, ...args], { cwd: folder.path, env })
    started.add(child)
    child.once("close", () => started.delete(child))
    return child
  }
  const feed: Program["feed"] = async (input, ...args) => {
    const child = start(...args)
    let [stdout, stderr] = ["", ""]
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.stdin?.on("error", () => {}).end(input)
    const [code] = (await once(child, "close")) as [number | null]
    return { code, stdout, stderr }
  }
  onTestFinished(() => {
    for (const child of started) child.kill("SIGKILL")
    const pid = pidIn(folder.at("run/procwire/server.pid"))
    if (pid !== undefined) kill(pid)
    const place = HolderPlace.find(OwnFolder.keepPath(env))
    const holder = place && HolderPlace.noted(place)
    // It ends its processes, and removes its files.
    if (holder !== undefined) kill(holder, "SIGTERM")
    rmSync(OwnFolder.historiesPath(env), { recursive: true, force: true })
  })
  return { folder, env, start, feed, call: (...args) => feed("", ...args) }
}
