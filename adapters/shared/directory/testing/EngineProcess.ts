/**
 * A server of another project as a process of a test: in a folder of its own, as a plain user where the test runs as
 * root, ready when it says so, and stopped, thawed or killed with all of its children.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

const nobody = 65_534

/** True if the test runs as root, which some servers refuse. */
const isRoot = process.getuid?.() === 0

/** A new folder that belongs to the user of the server. */
export const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-engine-"))
  if (isRoot) chownSync(folder, nobody, nobody)
  return folder
}

/** Removes a folder with all that is in it. */
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** The command as a plain user, who ends with the test. */
const asUser = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] => {
  const user = isRoot ? [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : []
  return ["setpriv", ["--pdeathsig", "SIGQUIT", ...user, command, ...args]]
}

/** Runs a command to its end. Rejects with its output if that is not 0. */
export const run = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program, words] = asUser(command, args)
    const child = spawn(program, [...words], { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command}: ${code}\n${output}`)),
    )
  })

/** A server that runs. */
export interface EngineProcess {
  /** Stops every process of it: connections stay, and nothing is answered. */
  readonly freeze: () => void
  /** Lets them go on. */
  readonly thaw: () => void
  /** Ends it with a signal, and waits for that. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>
  /** SIGKILL to all of them, in the middle of everything, and waits for that. */
  readonly kill: () => Promise<void>
}

/** Starts a server; it is ready when a line of its stderr contains `ready`. */
export const start = async (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  ready: string,
): Promise<EngineProcess> => {
  const [program, words] = asUser(command, args)
  const child = spawn(program, [...words], { cwd, stdio: ["ignore", "ignore", "pipe"] })
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const lines: Array<string> = []
    child.on("error", reject)
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line)
      if (line.includes(ready)) resolve()
    })
    void ended.then(() => reject(new Error(`${command} has ended:\n${lines.join("\n")}`)))
  })
  const pid = pidOf(child)
  const everybody = (signal: NodeJS.Signals) => {
    for (const one of [pid, ...childrenOf(pid)]) tell(one, signal)
  }
  return {
    freeze: () => {
      everybody("SIGSTOP")
      while ([pid, ...childrenOf(pid)].some(runs));
    },
    thaw: () => everybody("SIGCONT"),
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(pid, signal)
      await ended
    },
    kill: async () => {
      const children = childrenOf(pid)
      everybody("SIGKILL")
      await ended
      while (children.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 2))
    },
  }
}

/** Sends a signal. A child may end at any time, and those of a server that is killed do. */
const tell = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** The state of a process or thread, as /proc has it: R, S, T, Z; undefined if it has ended. */
const stateOf = (path: string): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`${path}/status`, "utf8"))?.[1]
  } catch {
    return undefined
  }
}

/** The threads of a process; none if it has ended. */
const threadsOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** A signal stops the threads of a process one after the other. */
const runs = (pid: number): boolean =>
  threadsOf(pid).some((thread) => !["T", "Z", undefined].includes(stateOf(`/proc/${pid}/task/${thread}`)))

/** False for a zombie, too. */
const isAlive = (pid: number): boolean => !["Z", undefined].includes(stateOf(`/proc/${pid}`))

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error("the server has no pid")
  return pid
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)
