/**
 * The server of one's own: one for each user, at a unix socket in a folder that no other user may enter. The first
 * command that needs it starts it, in the background; exactly one starts, however many commands come at once.
 *
 * It is `procwire serve`. It keeps the output of every process in files, and lets whoever may open its socket see and
 * control the processes of all clients.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Platform } from "../../Platform.ts"
import * as OsError from "../../host/OsError.ts"
import type { ConfigurationError } from "../Flags.ts"
import * as UnixSocketFile from "../../transport/UnixSocketFile.ts"
import { Unable } from "./Unable.ts"
import * as OwnFolder from "./OwnFolder.ts"
import * as LostProcesses from "./LostProcesses.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import * as FileLock from "../../process/FileLock.ts"
import * as ProcessBegin from "../../process/ProcessBegin.ts"

/** Its address; `started`: by this call. */
export interface OwnServer {
  readonly url: string
  readonly started: boolean
}

/** The flags of `procwire serve` beside its address. */
export const flags = (env: OwnFolder.Env): ReadonlyArray<string> => [
  "--list-sessions=all",
  `--history-bytes=${64 * 1024 * 1024}`,
  `--history-dir=${OwnFolder.historiesPath(env)}`,
  "--grace-ms=5000",
]

/**
 * The flags for the page. Other users of this machine can reach its port, so clients that come without a link are asked
 * for a token there: there is none with this digest.
 */
const pageFlags = [
  "--listen=ws://127.0.0.1:0",
  "--web",
  "--ws-auth=capability-token",
  `--ws-token-sha256=${"0".repeat(64)}`,
]

/** The longest time until a server listens, or until it prints a link. */
const startMillis = 60_000

/** The pause between two looks. */
const lookMillis = 10

export const socketIn = (folder: string): string => join(folder, "server.sock")

export const logIn = (folder: string): string => join(folder, "server.log")

/** The address of a server that listens; undefined without one. */
export const find = (env: OwnFolder.Env): Effect.Effect<string | undefined, Unable> => {
  const path = socketIn(OwnFolder.runtimePath(env))
  return Effect.map(isServed(path), (served) => (served ? `unix:${path}` : undefined))
}

/** The address of the server, which is started if none listens there. */
export const ensure = (
  platform: Platform,
  env: OwnFolder.Env,
): Effect.Effect<OwnServer, Unable | ConfigurationError> =>
  Effect.gen(function* () {
    const folder = yield* OwnFolder.make(env)
    const path = socketIn(folder)
    const url = `unix:${path}`
    if (yield* isServed(path)) return { url, started: false }
    yield* FileLock.take(join(folder, "lock"), platform.openFfi)
    return { url, started: yield* startOnce(folder, env) }
  }).pipe(Effect.scoped)

/** The server of one's own with its page, and a new one-time link to that. */
export interface OwnPage extends OwnServer {
  readonly link: string
}

/** The same with the page. A server that runs without it is left as it is, and is an error. */
export const ensurePage = (
  platform: Platform,
  env: OwnFolder.Env,
): Effect.Effect<OwnPage, Unable | ConfigurationError> =>
  Effect.gen(function* () {
    const folder = yield* OwnFolder.make(env)
    // Without the lock, two commands could take the same link.
    yield* FileLock.take(join(folder, "lock"), platform.openFfi)
    const started = yield* startOnce(folder, env, pageFlags)
    if (!started) yield* askForLink(folder)
    return { url: `unix:${socketIn(folder)}`, started, link: yield* printedLink(folder) }
  }).pipe(Effect.scoped)

const askForLink = (folder: string): Effect.Effect<void, Unable> =>
  Effect.suspend(() => {
    const url = `unix:${socketIn(folder)}`
    const pid = OwnFolder.readPid(folder)
    if (pid === undefined) return failed(`${notOurs(url)}; procwire up --web then starts one with the page`)
    // Without a page the signal would end it.
    if (!OwnFolder.hasPage(folder)) {
      return failed(
        `the server of your own runs without the page: ${url}; procwire down ends it and all its processes, and ` +
          "procwire up --web then starts it with the page",
      )
    }
    // A link is there already if the command that had asked for it was interrupted.
    OwnFolder.takeLink(folder)
    return Effect.ignore(Effect.try(() => process.kill(pid, "SIGUSR2")))
  })

const printedLink = (folder: string): Effect.Effect<string, Unable> =>
  takeLink(folder).pipe(
    Effect.timeoutOrElse({
      duration: startMillis,
      orElse: () =>
        new Unable({
          message: `the server of your own has printed no link within ${startMillis / 1000} s; see ${logIn(folder)}`,
        }),
    }),
  )

/** Completes when the file has a link, and takes it. */
const takeLink = (folder: string): Effect.Effect<string> =>
  Effect.suspend(() => {
    const link = OwnFolder.takeLink(folder)
    return link === undefined ? Effect.delay(takeLink(folder), lookMillis) : Effect.succeed(link)
  })

/** True if somebody accepts connections there. */
const isServed = (path: string): Effect.Effect<boolean, Unable> =>
  Effect.matchEffect(UnixSocketFile.connects(path), {
    onSuccess: () => Effect.succeed(true),
    onFailure: (error) =>
      error.code === "ENOENT" || error.code === "ECONNREFUSED"
        ? Effect.succeed(false)
        : failed(`cannot connect to unix:${path}: ${OsError.fromUnknown(error).message}`),
  })

/** Starts the server, for which the lock is held, if none listens there: another command may have done so. */
const startOnce = (folder: string, env: OwnFolder.Env, more: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    if (yield* isServed(socketIn(folder))) return false
    yield* OwnFolder.make(env, OwnFolder.historiesPath(env))
    yield* LostProcesses.keep(env)
    return yield* start(folder, [...flags(env), ...more])
  })

/** Starts the server and returns when it listens; false if another one has come first. */
const start = (folder: string, more: ReadonlyArray<string>): Effect.Effect<boolean, Unable> =>
  Effect.gen(function* () {
    const path = socketIn(folder)
    const denial = ProcessBegin.denial()
    if (denial !== undefined)
      return yield* failed(`a server of your own could not be ended again from here: ${denial}`)
    const log = logIn(folder)
    const before = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0
    const printed = OwnFolder.unfinishedIn(folder)
    const pid = yield* launch(
      OwnProgram.argv(["serve", `--listen=unix:${path}`, ...more]),
      printed,
      log,
    ).pipe(
      Effect.tap((pid) =>
        Effect.sync(() => {
          if (pid === undefined) return
          OwnFolder.writePid(folder, pid)
          fs.renameSync(printed, OwnFolder.printedIn(folder))
        }),
      ),
      Effect.ensuring(Effect.sync(() => fs.rmSync(printed, { force: true }))),
    )
    if (pid !== undefined) return true
    if (yield* isServed(path)) return false
    const said = fs.readFileSync(log).subarray(before).toString().trim() || "it ended without a word"
    return yield* failed(`the server of your own did not start: ${said}; see ${log}`)
  })

/** The pid of a server that listens; undefined if it has ended before. */
const launch = (
  argv: ReadonlyArray<string>,
  printed: string,
  log: string,
): Effect.Effect<number | undefined, Unable> =>
  Effect.suspend(() => {
    // A process that had the same pid may have left it.
    fs.rmSync(printed, { force: true })
    const files = [printed, log].map((file) => fs.openSync(file, "a", 0o600))
    // Through the shell, which is all that Deno's permissions let a command start.
    const child = spawn("/bin/sh", ["-c", 'exec "$@"', "sh", ...argv], {
      cwd: homedir(),
      detached: true,
      stdio: ["ignore", ...files],
      env: withoutOwn(process.env),
    })
    for (const file of files) fs.closeSync(file)
    const closed = once(child, "close")
    const ends = Effect.tryPromise({
      try: () => closed,
      catch: (error) =>
        new Unable({ message: `cannot start a server of your own: ${OsError.fromUnknown(error).message}` }),
    })
    const listens = Effect.sync(() => OwnFolder.isBegun(printed)).pipe(
      Effect.repeat({ until: (begun) => begun, schedule: Schedule.spaced(lookMillis) }),
      Effect.map(() => {
        child.unref()
        return child.pid
      }),
    )
    return Effect.raceFirst(Effect.as(ends, undefined), listens).pipe(
      Effect.onInterrupt(() => Effect.sync(() => void child.kill("SIGKILL"))),
    )
  }).pipe(
    Effect.timeoutOrElse({
      duration: startMillis,
      orElse: () =>
        new Unable({
          message: `the server of your own did not start within ${startMillis / 1000} s; see ${log}`,
        }),
    }),
  )

/** Variables that name a server do not configure one. */
const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  PROCWIRE_SERVER: undefined,
  PROCWIRE_LISTEN: undefined,
})

const failed = (message: string) => Effect.fail(new Unable({ message }))

const notOurs = (url: string): string =>
  `the server at ${url} was not started by procwire: end it where it was started, such as with systemctl --user stop ` +
  "procwire.socket procwire.service"

/** The longest time for the end of a server: its processes have 5 seconds of it. */
const endMillis = 30_000

/** Ends the server with all its processes, and returns when it is gone; its pid, or undefined where none listens. */
export const stop = (env: OwnFolder.Env): Effect.Effect<number | undefined, Unable> =>
  Effect.gen(function* () {
    const folder = OwnFolder.runtimePath(env)
    const path = socketIn(folder)
    if (!(yield* isServed(path))) return undefined
    const pid = OwnFolder.readPid(folder)
    if (pid === undefined) return yield* failed(notOurs(`unix:${path}`))
    // It may have ended since.
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGTERM")))
    yield* ended(folder, pid)
    return pid
  })

/** Completes when the server is gone, which closes its socket before it ends its processes. */
const ended = (folder: string, pid: number): Effect.Effect<void, Unable> =>
  Effect.sync(() => OwnFolder.readPid(folder) === pid).pipe(
    Effect.repeat({ while: (lives) => lives, schedule: Schedule.spaced(lookMillis) }),
    Effect.timeoutOrElse({
      duration: endMillis,
      orElse: () =>
        new Unable({
          message: `the server at unix:${socketIn(folder)} has not ended within ${endMillis / 1000} s of SIGTERM`,
        }),
    }),
  )
