/**
 * A server that the suite has started: its streams and its exit.
 *
 * Guarantee: after `kill` the server and every process below it or marked by it is dead. Without /proc, marked
 * processes that have left the tree are not found.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { within } from "../Deadline.ts"
import { CheckFailure, fail } from "../Check.ts"
import { clip } from "../Json.ts"
import * as ProcessTree from "./ProcessTree.ts"

/** The end of a server. */
export interface Exit {
  /** The exit code; null for death by a signal. */
  readonly code: number | null
  /** The signal that killed it; null for an exit. */
  readonly signal: string | null
  /** The error of its start; only if it could not be started. */
  readonly notStarted?: string
}

/** A server that the suite has started. */
export interface ServerProcess {
  /** Its pid; -1 if it could not be started. */
  readonly pid: number
  /** Its streams and events. */
  readonly child: ChildProcessWithoutNullStreams
  /** True once it has ended. */
  readonly exited: () => boolean
  /** Resolves when it has ended; never rejects. */
  readonly exit: Promise<Exit>
  /** The standard error of the server, at most about 20,000 characters. */
  readonly errors: () => string
  /** Sends a signal to the server alone, if it still runs. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Kills it and every process below it or marked by it. */
  readonly kill: () => void
}

/** The start of a server. */
export interface LaunchOptions {
  /** The program and its arguments. */
  readonly argv: ReadonlyArray<string>
  /** Added to the environment of the suite. */
  readonly env: { readonly [name: string]: string }
  /** The value of {@link marker} for this server and every process below it. */
  readonly token: string
}

/** The environment variable that marks every process that a case starts. */
export const marker = "PROCWIRE_CASE"

/** Starts a server; waits for nothing. */
export const launch = (options: LaunchOptions): ServerProcess => {
  const [program, ...args] = options.argv
  if (program === undefined) return fail("the command of the server is empty")
  const child = spawn(program, args, {
    stdio: "pipe",
    env: { ...process.env, ...options.env, [marker]: options.token },
  })
  let exited = false
  let errors = ""
  const exit = new Promise<Exit>((resolve) => {
    child.once("error", (error) => {
      exited = true
      errors += `\n${error.message}`
      resolve({ code: null, signal: null, notStarted: error.message })
    })
    child.once("exit", (code, signal) => {
      exited = true
      resolve({ code, signal })
    })
  })
  child.stdin.on("error", () => undefined)
  child.stderr.on("data", (bytes: Buffer) => {
    if (errors.length < 20_000) errors += bytes.toString("utf8")
  })
  const pid = child.pid ?? -1
  return {
    pid,
    child,
    exited: () => exited,
    exit,
    errors: () => errors.trim(),
    signal: (name) => {
      if (!exited) child.kill(name)
    },
    kill: () => {
      const below = pid > 0 && !exited ? ProcessTree.descendants(pid) : []
      if (!exited) child.kill("SIGKILL")
      ProcessTree.killAll([...below, ...ProcessTree.marked(`${marker}=${options.token}`)])
    },
  }
}

/** The early end of a server in a sentence, with the end of its standard error. */
export const describe = (exit: Exit, before: string, errors: string): string => {
  if (exit.notStarted !== undefined) return `the server could not be started: ${exit.notStarted}`
  const how = exit.signal === null ? `ended with exit code ${exit.code}` : `was killed by ${exit.signal}`
  const last = errors.trim().split("\n").at(-1) ?? ""
  return `the server ${how} before ${before}${last === "" ? "" : `: ${clip(last, 300)}`}`
}

/** Waits for the end of the server. */
export const awaitExit = (server: ServerProcess, ms: number): Promise<Exit> =>
  within(server.exit, ms, "the server process to end")

/** Reads the first line of stdout. */
export const firstLine = (server: ServerProcess, ms: number): Promise<string> => {
  const line = new Promise<string>((resolve, reject) => {
    let seen = ""
    server.child.stdout.on("data", (bytes: Buffer) => {
      seen += bytes.toString("utf8")
      const end = seen.indexOf("\n")
      if (end >= 0) resolve(seen.slice(0, end))
    })
    server.exit.then(
      (exit) => reject(new CheckFailure(describe(exit, "its first line of output", server.errors()), "gone")),
      reject,
    )
  })
  return within(line, ms, "the first line on the standard output of the server")
}
