/**
 * The server of one's own: one for each user, at a unix socket in a folder that no other user may enter. The first
 * command that needs it starts it, in the background; exactly one starts, however many commands come at once.
 *
 * It is `procwire serve`. It keeps the output of every process in files, lets whoever may open its socket see and
 * control the processes of all clients, and has a holder, so that processes outlive it: whoever needs it next starts
 * another one, which has them.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { Platform } from "../../Platform.ts"
import * as OsError from "../../host/OsError.ts"
import type { ConfigurationError } from "../Flags.ts"
import * as HolderPlace from "../../keep/HolderPlace.ts"
import type { KeepProblem } from "../../keep/KeepProblem.ts"
import * as UnixSocketFile from "../../transport/UnixSocketFile.ts"
import { unable, type Unable } from "./Unable.ts"
import * as OwnFolder from "./OwnFolder.ts"
import * as LostProcesses from "./LostProcesses.ts"
import * as OwnProgram from "../../confine/OwnProgram.ts"
import * as FileLock from "../../process/FileLock.ts"
import * as ProcessBegin from "../../process/ProcessBegin.ts"

const { env } = process

/** Its address; `started`: by this call; `kept`: its processes outlive it. */
export interface OwnServer {
  readonly url: string
  readonly started: boolean
  readonly kept: boolean
  /** The reason why they do not, where this call has found it. */
  readonly unkept?: string | undefined
}

/** The time that processes have to end after SIGTERM, in milliseconds. */
const graceMillis = 5000

/** The flags of `procwire serve` beside its address. */
export const flags = (): ReadonlyArray<string> => [
  "--list-sessions=all",
  `--history-bytes=${64 * 1024 * 1024}`,
  `--history-dir=${OwnFolder.historiesPath(env)}`,
  `--grace-ms=${graceMillis}`,
]

/** The flags by which its processes outlive it. */
export const keepFlags = (): ReadonlyArray<string> => ["--keep", `--keep-dir=${OwnFolder.keepPath(env)}`]

/** Variables of the server, as for every option, that exclude those flags. */
const excluding = ["PROCWIRE_SPAWNER", "PROCWIRE_JOIN"]

/** The reason why processes are not to outlive the server; undefined if they are. */
const unwanted = (): string | undefined =>
  env["PROCWIRE_KEEP"] === "false"
    ? "the variable PROCWIRE_KEEP is false"
    : excluding.filter((name) => env[name]).map((name) => `the variable ${name} excludes that`)[0]

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

/** An answer about the server, or the reason why there is none. */
type Answer<A> = Effect.Effect<A, Unable | ConfigurationError>

/** The address of a server that listens; undefined without one. */
export const find: Effect.Effect<string | undefined, Unable> = Effect.suspend(() => {
  const path = socketIn(OwnFolder.runtimePath(env))
  return Effect.map(isServed(path), (served) => (served ? `unix:${path}` : undefined))
})

/** The folder of the server, whose lock is held until the scope closes: no other command starts or ends one. */
const locked = ({ openFfi }: Platform) =>
  Effect.tap(OwnFolder.make(env), (folder) => FileLock.take(join(folder, "lock"), openFfi))

/** The same, where one is started for processes that another one has left. */
export const revive = (platform: Platform): Answer<string | undefined> =>
  Effect.gen(function* () {
    const url = yield* find
    if (url !== undefined || !isHeld()) return url
    yield* locked(platform)
    // Meanwhile they may have been ended.
    return isHeld() ? (yield* startOnce(platform)).url : yield* find
  }).pipe(Effect.scoped)

/** True if a holder runs. */
const isHeld = (): boolean => {
  const place = HolderPlace.find(OwnFolder.keepPath(env))
  return place !== undefined && HolderPlace.noted(place) !== undefined
}

/** The address of the server, which is started if none listens there. */
export const ensure = (platform: Platform): Answer<OwnServer> =>
  Effect.gen(function* () {
    const path = socketIn(yield* OwnFolder.make(env))
    if (yield* isServed(path)) return { url: `unix:${path}`, started: false, kept: isHeld() }
    yield* locked(platform)
    return yield* startOnce(platform)
  }).pipe(Effect.scoped)

/** Has another server take the place of the one that runs, with its processes; starts one if none runs. */
export const restart = (platform: Platform): Answer<OwnServer> =>
  Effect.gen(function* () {
    const folder = yield* locked(platform)
    const path = socketIn(folder)
    const url = `unix:${path}`
    if (!(yield* isServed(path))) return yield* startOnce(platform)
    const pid = OwnFolder.readPid(folder)
    if (pid === undefined) return yield* unable(notOurs(url))
    if (!isHeld()) {
      return yield* unable(
        "the server of your own has no holder, so its processes end with it: procwire down ends them, and procwire up " +
          "then starts another one",
      )
    }
    const page = OwnFolder.hasPage(folder) ? pageFlags : []
    const log = logIn(folder)
    const said = wordsOf(log)
    const begun = yield* Effect.result(start(folder, [...flags(), ...page, ...keepFlags(), "--take-over"]))
    if (Result.isSuccess(begun) && begun.success) return { url, started: true, kept: true }
    // The one before needs a moment to have its processes again.
    const isBack = yield* Effect.isSuccess(within(endMillis, isServed(path), ""))
    const rest = isBack ? `the one before goes on (pid ${pid})` : "the one before is gone, too"
    return yield* unable(`the new server has not taken over: ${said()}; ${rest}; see ${log}`)
  }).pipe(Effect.scoped)

/** The server of one's own with its page, and a new one-time link to that. */
export interface OwnPage extends OwnServer {
  readonly link: string
}

/** The same with the page. A server that runs without it is left as it is, and is an error. */
export const ensurePage = (platform: Platform): Answer<OwnPage> =>
  Effect.gen(function* () {
    // Without the lock, two commands could take the same link.
    const folder = yield* locked(platform)
    const server = yield* startOnce(platform, pageFlags)
    if (!server.started) yield* askForLink(folder)
    const late = `the server of your own has printed no link within ${startMillis / 1000} s; see ${logIn(folder)}`
    let link = ""
    const printed = Effect.sync(() => (link = OwnFolder.takeLink(folder) ?? "") !== "")
    yield* within(startMillis, printed, late)
    return { ...server, link }
  }).pipe(Effect.scoped)

const askForLink = (folder: string): Effect.Effect<void, Unable> =>
  Effect.suspend(() => {
    const url = `unix:${socketIn(folder)}`
    const pid = OwnFolder.readPid(folder)
    if (pid === undefined) return unable(`${notOurs(url)}; procwire up --web then starts one with the page`)
    // Without a page the signal would end it.
    if (!OwnFolder.hasPage(folder)) {
      return unable(
        `the server of your own runs without the page: ${url}; procwire down ends it and all its processes, and ` +
          "procwire up --web then starts it with the page",
      )
    }
    // A link is there already if the command that had asked for it was interrupted.
    OwnFolder.takeLink(folder)
    return Effect.ignore(Effect.try(() => process.kill(pid, "SIGUSR2")))
  })

/** Looks again and again until that is so; fails with `late` after so many milliseconds. */
const within = (millis: number, isSo: Effect.Effect<boolean, Unable>, late: string) =>
  isSo.pipe(
    Effect.repeat({ until: (so) => so, schedule: Schedule.spaced(lookMillis) }),
    Effect.timeoutOrElse({ duration: millis, orElse: () => unable(late) }),
  )

/** True if somebody accepts connections there. */
const isServed = (path: string): Effect.Effect<boolean, Unable> =>
  Effect.matchEffect(UnixSocketFile.connects(path), {
    onSuccess: () => Effect.succeed(true),
    onFailure: (error) =>
      error.code === "ENOENT" || error.code === "ECONNREFUSED"
        ? Effect.succeed(false)
        : unable(`cannot connect to unix:${path}: ${OsError.fromUnknown(error).message}`),
  })

/** Starts the server, for which the lock is held, if none listens there: another command may have done so. */
const startOnce = (platform: Platform, more: ReadonlyArray<string> = []): Answer<OwnServer> =>
  Effect.gen(function* () {
    const folder = OwnFolder.runtimePath(env)
    const url = `unix:${socketIn(folder)}`
    if (yield* isServed(socketIn(folder))) return { url, started: false, kept: isHeld() }
    yield* OwnFolder.make(env, OwnFolder.historiesPath(env))
    yield* LostProcesses.keep(env)
    const plain = [...flags(), ...more]
    let unkept = unwanted()
    if (unkept === undefined) {
      // Side by side: a server waits for its holder.
      const [begun, problem] = yield* Effect.all(
        [Effect.result(start(folder, [...plain, ...keepFlags()])), warm(platform)],
        { concurrency: "unbounded" },
      )
      if (Result.isSuccess(begun)) return { url, started: begun.success, kept: true }
      if (problem?.reason !== "Start" && problem?.reason !== "Folder") return yield* begun.failure
      unkept = problem.message
    }
    return { url, started: yield* start(folder, plain), kept: false, unkept }
  })

/** Starts the holder, if none runs; succeeds with what keeps it from that. */
const warm = (platform: Platform): Effect.Effect<KeepProblem | undefined> =>
  Effect.gen(function* () {
    const { connect } = yield* Effect.promise(() => import("../../keep/HolderProcess.ts"))
    const socket = yield* connect({ folder: OwnFolder.keepPath(env), openFfi: platform.openFfi })
    socket.destroy()
    return undefined
  }).pipe(Effect.catch(Effect.succeed))

/** Starts the server and returns when it listens; false if another one has come first. */
const start = (folder: string, more: ReadonlyArray<string>): Effect.Effect<boolean, Unable> =>
  Effect.gen(function* () {
    const path = socketIn(folder)
    const denial = ProcessBegin.denial()
    if (denial !== undefined)
      return yield* unable(`a server of your own could not be ended again from here: ${denial}`)
    const log = logIn(folder)
    const said = wordsOf(log)
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
    return yield* unable(`the server of your own did not start: ${said()}; see ${log}`)
  })

/** The words that a server logs from now on. */
const wordsOf = (log: string): (() => string) => {
  const before = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0
  return () => fs.readFileSync(log).subarray(before).toString().trim() || "it ended without a word"
}

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
    const kill = Effect.sync(() => void child.kill("SIGKILL"))
    const ends = Effect.tryPromise({
      try: () => closed,
      catch: (error) => unable(`cannot start a server of your own: ${OsError.fromUnknown(error).message}`),
    })
    const late = `the server of your own did not start within ${startMillis / 1000} s; see ${log}`
    const begun = Effect.sync(() => OwnFolder.isBegun(printed))
    const listens = Effect.map(within(startMillis, begun, late), () => {
      child.unref()
      return child.pid
    })
    return Effect.raceFirst(Effect.as(ends, undefined), listens).pipe(
      Effect.tapError(() => kill),
      Effect.onInterrupt(() => kill),
    )
  })

/** Variables that name a server do not configure one. */
const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  PROCWIRE_KEEP: undefined,
  PROCWIRE_KEEP_DIR: undefined,
  PROCWIRE_SERVER: undefined,
  PROCWIRE_LISTEN: undefined,
})

const notOurs = (url: string): string =>
  `the server at ${url} was not started by procwire: end it where it was started, such as with systemctl --user stop ` +
  "procwire.socket procwire.service"

/** The longest time for the end of a server: its processes have 5 seconds of it. */
const endMillis = 30_000

/** A server that was ended, and the processes of one that had ended before. */
export interface Stopped {
  /** The pid of the server; undefined where none listened. */
  readonly pid: number | undefined
  /** The number of processes that no server had. */
  readonly left: number
}

/** Ends the server with all its processes and their holder, and returns when they are gone. */
export const stop = (platform: Platform): Answer<Stopped> =>
  Effect.gen(function* () {
    if (!fs.existsSync(OwnFolder.runtimePath(env))) return { pid: undefined, left: 0 }
    // No command may start another one for the processes that are ended.
    const folder = yield* locked(platform)
    const path = socketIn(folder)
    let pid: number | undefined
    if (yield* isServed(path)) {
      pid = OwnFolder.readPid(folder)
      if (pid === undefined) return yield* unable(notOurs(`unix:${path}`))
      yield* signalEnd(pid, isHeld())
      // It closes its socket before it ends its processes.
      const gone = Effect.sync(() => OwnFolder.readPid(folder) !== pid)
      yield* within(
        endMillis,
        gone,
        `the server at unix:${path} has not ended within ${endMillis / 1000} s of SIGTERM`,
      )
    }
    const { end } = yield* Effect.promise(() => import("../../keep/HolderEnd.ts"))
    const place = { folder: OwnFolder.keepPath(env), openFfi: platform.openFfi }
    const left = yield* Effect.mapError(end({ ...place, graceMillis }), ({ message }) => unable(message))
    return { pid, left }
  }).pipe(Effect.scoped)

/** Asks a server to end with its processes; it may have ended since. */
const signalEnd = (pid: number, held: boolean) =>
  Effect.ignore(Effect.try(() => process.kill(pid, held ? "SIGQUIT" : "SIGTERM")))
