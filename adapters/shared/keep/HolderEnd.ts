/** Ends the holder of a state folder that no server uses: its processes get SIGTERM, and time to end by themselves. */
import * as fs from "node:fs"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Drain from "../../../core/spawn/Drain.ts"
import type { SpawnEvents } from "../../../core/spawn/Spawner.ts"
import * as FileLock from "../process/FileLock.ts"
import * as UnixSocketFile from "../transport/UnixSocketFile.ts"
import * as HeldSpawner from "./HeldSpawner.ts"
import * as HolderPlace from "./HolderPlace.ts"
import * as HolderProcess from "./HolderProcess.ts"
import { KeepProblem } from "./KeepProblem.ts"

/** Options of `end`. */
export interface Options extends Pick<HolderProcess.Options, "folder" | "openFfi"> {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMillis: number
}

/** The pause between two looks, in milliseconds. */
const lookMillis = 10

/** The longest time until a holder without processes is gone, in milliseconds. */
const goneMillis = 30_000

/**
 * Ends the holder, and succeeds with the number of its processes when it is gone with its files; 0 where none runs. One
 * that speaks a newer protocol ends by SIGTERM, without the time for its processes.
 */
export const end = ({ graceMillis, ...options }: Options): Effect.Effect<number, KeepProblem> =>
  Effect.gen(function* () {
    const place = HolderPlace.find(options.folder)
    if (place === undefined) return 0
    const pid = HolderPlace.noted(place)
    yield* clearNext(place)
    if (pid === undefined) return yield* Effect.as(clear(place, options), 0)
    const count = yield* drain(options, graceMillis).pipe(
      Effect.catch((problem) => {
        if (problem.reason === "Absent") return Effect.succeed(0)
        if (problem.reason !== "Newer") return Effect.fail(problem)
        return Effect.as(Effect.ignore(Effect.try(() => process.kill(pid, "SIGTERM"))), 0)
      }),
    )
    yield* gone(place, pid)
    return count
  })

/** Ends the processes, which leaves nothing to hold; succeeds with their number. */
const drain = (options: HolderProcess.Options, graceMillis: number): Effect.Effect<number, KeepProblem> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { keeper, spawner } = yield* HeldSpawner.make({ ...options, starts: false, ttlMillis: 0 })
      const { drain, watch } = Drain.make(spawner)
      const left = yield* watch(keeper).left
      // One that has ended meanwhile is gone already.
      for (const { adopt } of left) yield* Effect.ignore(adopt(deaf, () => {}))
      yield* drain(graceMillis)
      return left.length
    }),
  )

const deaf: SpawnEvents = { output: () => {}, end: () => {}, exit: () => {} }

/** Completes when the holder is gone. */
const gone = (place: HolderPlace.HolderPlace, pid: number): Effect.Effect<void, KeepProblem> =>
  Effect.sync(() => HolderPlace.noted(place) === pid).pipe(
    Effect.repeat({ while: (lives) => lives, schedule: Schedule.spaced(lookMillis) }),
    Effect.timeoutOrElse({
      duration: goneMillis,
      orElse: () =>
        new KeepProblem({
          reason: "Unknown",
          message: `the holder of processes (pid ${pid}) has not ended within ${goneMillis / 1000} s`,
        }),
    }),
  )

/** Removes what a holder has left that was killed. */
const clear = (place: HolderPlace.HolderPlace, options: HolderProcess.Options): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!fs.existsSync(place.socket)) return
      yield* FileLock.take(place.lock, options.openFfi)
      const state = yield* HolderProcess.probe(place, options)
      if (state.kind === "alive") state.socket.destroy()
      if (state.kind === "dead")
        for (const file of [place.socket, place.identity]) fs.rmSync(file, { force: true })
    }),
  )

/** Removes the socket of a server that was killed. */
const clearNext = ({ next }: HolderPlace.HolderPlace): Effect.Effect<void> =>
  Effect.matchEffect(UnixSocketFile.connects(next), {
    onSuccess: () => Effect.void,
    onFailure: ({ code }) =>
      Effect.sync(() => {
        if (code === "ECONNREFUSED") fs.rmSync(next, { force: true })
      }),
  })
