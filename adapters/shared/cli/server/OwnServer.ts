/**
 * The server of one's own: one for each user, at a unix socket in a folder that nobody else may enter. The first
 * command that needs it starts it, in the background; exactly one starts, however many commands come at once.
 *
 * It is `procwire serve`. It keeps the output of every process in files, and lets whoever may open its socket see and
 * control the processes of all clients.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Platform } from "../../Platform.ts"
import * as OsError from "../../host/OsError.ts"
import type { ConfigurationError } from "../Flags.ts"
import * as FileLock from "./FileLock.ts"
import * as LostProcesses from "./LostProcesses.ts"
import * as OwnFolder from "./OwnFolder.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import * as PidFile from "./PidFile.ts"
import * as ProcessBegin from "../../process/ProcessBegin.ts"

/** The server of one's own cannot be started, reached or ended. */
export class OwnServerError extends Data.TaggedError("OwnServerError")<{
  readonly reason: "Start" | "Connect" | "Stop"
  readonly message: string
}> {}

/** Where it is, and whether this call has started it. */
export interface OwnServer {
  readonly url: string
  readonly started: boolean
}

/** What it is told beside its address: the flags of `procwire serve`. */
export const flags = (env: OwnFolder.Env): ReadonlyArray<string> => [
  "--list-sessions=all",
  `--history-bytes=${64 * 1024 * 1024}`,
  `--history-dir=${OwnFolder.historiesPath(env)}`,
  "--grace-ms=5000",
]

/** How long a server may take until it listens. */
const startMillis = 60_000

/** The socket. */
export const socketIn = (folder: string): string => join(folder, "server.sock")

/** What the server writes to stderr. */
export const logIn = (folder: string): string => join(folder, "server.log")

/** The address where somebody listens; undefined if nobody does. */
export const find = (env: OwnFolder.Env): Effect.Effect<string | undefined, OwnServerError> => {
  const path = socketIn(OwnFolder.runtimePath(env))
  return Effect.map(isServed(path), (served) => (served ? `unix:${path}` : undefined))
}

/** The address of the server, which is started if nobody listens there. */
export const ensure = (
  platform: Platform,
  env: OwnFolder.Env,
): Effect.Effect<OwnServer, OwnServerError | ConfigurationError> =>
  Effect.gen(function* () {
    const folder = yield* OwnFolder.make(env)
    const path = socketIn(folder)
    const url = `unix:${path}`
    if (yield* isServed(path)) return { url, started: false }
    yield* FileLock.take(join(folder, "lock"), platform.openFfi)
    // Another command may have started it while this one waited for the lock.
    if (yield* isServed(path)) return { url, started: false }
    yield* OwnFolder.make(env, OwnFolder.historiesPath(env))
    yield* LostProcesses.keep(env)
    return { url, started: yield* start(folder, env) }
  }).pipe(Effect.scoped)

/** True if somebody accepts connections there. */
const isServed = (path: string): Effect.Effect<boolean, OwnServerError> =>
  Effect.async((resume) => {
    const socket = net.connect({ path })
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.succeed(true))
    })
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED") return resume(Effect.succeed(false))
      const message = `cannot connect to unix:${path}: ${OsError.fromUnknown(error).message}`
      resume(Effect.fail(new OwnServerError({ reason: "Connect", message })))
    })
    return Effect.sync(() => socket.destroy())
  })

/** Starts the server and returns when it listens; false if another one has come first. */
const start = (folder: string, env: OwnFolder.Env): Effect.Effect<boolean, OwnServerError> =>
  Effect.gen(function* () {
    const path = socketIn(folder)
    const denial = ProcessBegin.denial()
    if (denial !== undefined)
      return yield* failed("Start", `a server of your own could not be ended again from here: ${denial}`)
    const log = logIn(folder)
    const before = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0
    const pid = yield* launch(OwnProgram.argv(["serve", `--listen=unix:${path}`, ...flags(env)]), log)
    if (pid !== undefined) {
      PidFile.write(folder, pid)
      return true
    }
    if (yield* isServed(path)) return false
    const told = fs.readFileSync(log).subarray(before).toString().trim() || "it ended without a word"
    return yield* failed("Start", `the server of your own did not start: ${told}; see ${log}`)
  })

/** The pid of a server that listens; undefined if it has ended before. */
const launch = (
  argv: ReadonlyArray<string>,
  log: string,
): Effect.Effect<number | undefined, OwnServerError> =>
  Effect.async<number | undefined, OwnServerError>((resume) => {
    const stderr = fs.openSync(log, "a", 0o600)
    // Through the shell, which is all that Deno's permissions let a command start.
    const child = spawn("/bin/sh", ["-c", 'exec "$@"', "sh", ...argv], {
      cwd: homedir(),
      detached: true,
      stdio: ["ignore", "pipe", stderr],
      env: withoutOwn(process.env),
    })
    fs.closeSync(stderr)
    child.once("error", ({ message }) =>
      resume(failed("Start", `cannot start a server of your own: ${message}`)),
    )
    child.once("close", () => resume(Effect.succeed(undefined)))
    child.stdout?.once("data", () => {
      child.stdout?.destroy()
      child.unref()
      resume(Effect.succeed(child.pid))
    })
    return Effect.sync(() => void child.kill("SIGKILL"))
  }).pipe(
    Effect.timeoutFail({
      duration: startMillis,
      onTimeout: () =>
        new OwnServerError({
          reason: "Start",
          message: `the server of your own did not start within ${startMillis / 1000} s; see ${log}`,
        }),
    }),
  )

/** What says where a server is does not configure one. */
const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  PROCWIRE_SERVER: undefined,
  PROCWIRE_LISTEN: undefined,
})

const failed = (reason: OwnServerError["reason"], message: string) =>
  Effect.fail(new OwnServerError({ reason, message }))

/** How long the end of a server may take: its processes have 5 seconds of it. */
const endMillis = 30_000

/** Ends the server with all its processes, and returns when it is gone; its pid, or undefined where nobody listens. */
export const stop = (env: OwnFolder.Env): Effect.Effect<number | undefined, OwnServerError> =>
  Effect.gen(function* () {
    const folder = OwnFolder.runtimePath(env)
    const path = socketIn(folder)
    if (!(yield* isServed(path))) return undefined
    const pid = PidFile.read(folder)
    if (pid === undefined)
      return yield* failed(
        "Stop",
        `the server at unix:${path} was not started by procwire: end it where it was started, such as with ` +
          "systemctl --user stop procwire.socket procwire.service",
      )
    // It may have ended since.
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGTERM")))
    yield* ended(folder, pid)
    return pid
  })

/** How often the end of a server is looked for. */
const lookMillis = 10

/** Completes when the server is gone, which closes its socket before it ends its processes. */
const ended = (folder: string, pid: number): Effect.Effect<void, OwnServerError> =>
  Effect.sync(() => PidFile.read(folder) === pid).pipe(
    Effect.repeat({ while: (lives) => lives, schedule: Schedule.spaced(lookMillis) }),
    Effect.timeoutFail({
      duration: endMillis,
      onTimeout: () =>
        new OwnServerError({
          reason: "Stop",
          message: `the server at unix:${socketIn(folder)} has not ended within ${endMillis / 1000} s of SIGTERM`,
        }),
    }),
  )
