/**
 * Finds the holder of a state folder, or starts it: a process in a session of its own, which outlives whoever has
 * started it. Of servers that start at once one starts it.
 *
 * A look for a holder has three answers. Only if the system refuses the connection, and the process that was
 * noted is gone, is it dead and is another one started. Whatever else is in the way, nothing is touched.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { ProcessEvidence } from "../../../core/spawn/ProcessEvidence.ts"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as OwnProgram from "../confine/OwnProgram.ts"
import * as KernelFiles from "../host/KernelFiles.ts"
import * as OsError from "../host/OsError.ts"
import * as SearchPath from "../host/SearchPath.ts"
import type * as Containment from "../process/contain/Containment.ts"
import * as FileLock from "../process/FileLock.ts"
import type { Ffi } from "../process/posix/Ffi.ts"
import * as Holder from "./Holder.ts"
import * as HolderPlace from "./HolderPlace.ts"
import { KeepProblem } from "./KeepProblem.ts"

export { self } from "./HolderPlace.ts"

/** The place of the holder, and the way of its start. */
export interface Options {
  /** The state folder. */
  readonly folder: string
  /** Calls the C library; throws where that is impossible. */
  readonly openFfi: () => Ffi
  /** False: where no holder is there, none is started; the default is true. */
  readonly starts?: boolean
  /** The containment of a holder that is started; the default is `auto`. */
  readonly contain?: Containment.Choice | undefined
  /** The command line of the program procwire with these arguments; the default is that of this process. */
  readonly program?: (args: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The longest time of a start, in milliseconds; the default is 60,000. */
  readonly startMillis?: number
  /** The longest time for a connection, and for the end of a holder that ends, in milliseconds; the default is 5,000. */
  readonly connectMillis?: number
}

/** The pause between two looks, in milliseconds. */
const lookMillis = 10

/** Connects to the holder, which is started if none is there. */
export const connect = (options: Options): Effect.Effect<net.Socket, KeepProblem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const place = yield* HolderPlace.make(options.folder)
      const found = yield* Effect.option(open(place, options))
      if (found._tag === "Some") return found.value
      yield* FileLock.take(place.lock, options.openFfi)
      const state = yield* probe(place, options)
      if (state.kind === "alive") return state.socket
      if (state.kind === "dead" && options.starts === false)
        return yield* failed("Absent", `no holder is at ${place.socket}`)
      if (state.kind === "dead") return yield* start(place, options)
      return yield* failed(
        "Unknown",
        `cannot tell whether the holder at ${place.socket} is there: ${state.why}; nothing was touched`,
      )
    }),
  )

/** False on Bun, where every failed connection to what is there counts as refused, also that to a full queue. */
const tellsRefusals = !("Bun" in globalThis)

/** The state of a holder. */
export type Probed =
  | { readonly kind: "alive"; readonly socket: net.Socket }
  | { readonly kind: "dead" }
  | { readonly kind: "unknown"; readonly why: string }

/** Looks for the holder. One that is about to end has its time for that. */
export const probe = (
  place: HolderPlace.HolderPlace,
  options: Pick<Options, "connectMillis">,
): Effect.Effect<Probed> =>
  Effect.suspend(() => {
    const until = performance.now() + (options.connectMillis ?? 5000)
    const look: Effect.Effect<Probed> = Effect.matchEffect(open(place, options), {
      onSuccess: (socket) => Effect.succeed({ kind: "alive", socket } as const),
      onFailure: (error) => {
        const refused = error.code === "ENOENT" || error.code === "ECONNREFUSED"
        const pid = HolderPlace.noted(place)
        if (refused && pid === undefined && (tellsRefusals || HolderPlace.isToldOf(place)))
          return Effect.succeed({ kind: "dead" } as const)
        // A queue that is full, and a holder that ends, are so for a moment.
        if (performance.now() < until) return Effect.delay(look, lookMillis)
        const why =
          pid !== undefined && refused
            ? `its process ${pid} runs, but does not listen`
            : OsError.fromUnknown(error).message
        return Effect.succeed({ kind: "unknown", why } as const)
      },
    })
    return look
  })

/** A connection. */
const open = (
  { socket: path }: HolderPlace.HolderPlace,
  { connectMillis = 5000 }: Pick<Options, "connectMillis">,
): Effect.Effect<net.Socket, NodeJS.ErrnoException> =>
  Effect.callback<net.Socket, NodeJS.ErrnoException>((resume) => {
    const socket = net.connect({ path })
    const fail = (error: NodeJS.ErrnoException) => resume(Effect.fail(error))
    socket.once("error", fail)
    socket.once("connect", () => {
      socket.off("error", fail)
      socket.on("error", () => {})
      // Frames wait until somebody listens.
      socket.pause()
      resume(Effect.succeed(socket))
    })
    return Effect.sync(() => {
      socket.on("error", () => {})
      socket.destroy()
    })
  }).pipe(
    Effect.timeoutOrElse({
      duration: connectMillis,
      orElse: () =>
        Effect.fail(new Error(`no connection within ${connectMillis} ms`) as NodeJS.ErrnoException),
    }),
  )

/** Starts a holder, for which the lock is held, outside of the service of systemd in which this process may be. */
const start = (place: HolderPlace.HolderPlace, options: Options): Effect.Effect<net.Socket, KeepProblem> =>
  Effect.gen(function* () {
    const { contain = "auto", folder, program = OwnProgram.argv } = options
    const argv = program(["hold", `--folder=${folder}`, `--contain=${contain}`])
    const before = fs.statSync(place.log, { throwIfNoEntry: false })?.size ?? 0
    const words = placeOfItsOwn()?.words ?? []
    for (const prefix of words.length === 0 ? [words] : [words, []]) {
      const socket = yield* launch([...prefix, ...argv], place, options)
      if (socket !== undefined) return socket
    }
    const said = KernelFiles.node.read(place.log).slice(before).trim() || "it ended without a word"
    return yield* failed("Start", `the holder of processes did not start: ${said}; see ${place.log}`)
  })

/**
 * The place of a holder that outlives this process, and the words before its command that bring it there: a session, or
 * a scope in a service, whose end would end it. Undefined where a holder would end with the service.
 */
export const placeOfItsOwn = ():
  | { readonly kind: "session" | "scope"; readonly words: ReadonlyArray<string> }
  | undefined => {
  if (!/\.service$/m.test(KernelFiles.node.read("/proc/self/cgroup"))) return { kind: "session", words: [] }
  const found = SearchPath.find("systemd-run", process.env["PATH"], fs.existsSync)
  if (found === undefined) return undefined
  const user = process.geteuid?.() === 0 ? [] : ["--user"]
  return { kind: "scope", words: [found, ...user, "--scope", "--quiet", "--collect", "--"] }
}

/** A connection to a holder that listens; undefined if it has ended before, and no other one listens. */
const launch = (
  argv: ReadonlyArray<string>,
  place: HolderPlace.HolderPlace,
  options: Options,
): Effect.Effect<net.Socket | undefined, KeepProblem> =>
  Effect.suspend(() => {
    const log = fs.openSync(place.log, "a", 0o600)
    // Through the shell, which is all that Deno's permissions let a command start.
    const child = spawn("/bin/sh", ["-c", 'exec "$@"', "sh", ...argv], {
      cwd: "/",
      detached: true,
      stdio: ["ignore", "ignore", log],
    })
    fs.closeSync(log)
    child.unref()
    const ended = Effect.tryPromise({
      try: () => once(child, "close"),
      catch: (error) =>
        new KeepProblem({
          reason: "Start",
          message: `cannot start a holder of processes: ${OsError.fromUnknown(error).message}`,
        }),
    })
    const opened = Effect.option(open(place, options))
    const listens: Effect.Effect<net.Socket> = Effect.flatMap(opened, (found) =>
      found._tag === "Some" ? Effect.succeed(found.value) : Effect.delay(listens, lookMillis),
    )
    // Without a lock another holder may have come first.
    const either = Effect.raceFirst(Effect.as(ended, undefined), listens)
    const whichever = Effect.flatMap(either, (socket) =>
      socket === undefined
        ? Effect.map(opened, (found) => (found._tag === "Some" ? found.value : undefined))
        : Effect.succeed(socket),
    )
    return Effect.onInterrupt(whichever, () => Effect.sync(() => void child.kill("SIGKILL")))
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.startMillis ?? 60_000,
      orElse: () => failed("Start", `the holder of processes does not listen; see ${place.log}`),
    }),
  )

const failed = (reason: KeepProblem["reason"], message: string) =>
  Effect.fail(new KeepProblem({ reason, message }))

/** Is the holder of a state folder, until it has nothing to hold any more. */
export const hold = (
  folder: string,
  spawner: Spawner.SpawnerService,
): Effect.Effect<void, KeepProblem | TransportError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* HolderPlace.make(folder)
    const evidence = yield* ProcessEvidence
    yield* Effect.addFinalizer(() => Effect.sync(() => HolderPlace.clear(place)))
    yield* Holder.run({
      path: place.socket,
      self: HolderPlace.self(),
      spawner,
      evidence,
      listening: () => HolderPlace.note(place),
    })
  })
