/**
 * "Tell me once when one of these missing files appears, or this present one changes": the watch of a connection.
 *
 * Of each missing path the nearest folder that exists is watched; the watch comes true when the next name on the way
 * appears in it, or when that folder goes away. One watch lives at a time: a greater id replaces it, another one is
 * refused.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { maxWatched } from "../protocol/FileSystem.ts"
import type { FileError } from "./FileError.ts"
import type { FilesService } from "./Files.ts"
import { join, split } from "./Paths.ts"

export interface Request {
  readonly id: bigint
  /** Native paths. */
  readonly missing: ReadonlyArray<string>
  readonly present: string | undefined
}

export interface MissingWatch {
  /** Watches for `changed`, which is called at most once. False if there is nothing to watch. */
  readonly watch: (request: Request, changed: () => void) => Effect.Effect<boolean>
}

interface Place {
  readonly folder: string
  readonly name: string
}

/** The end of the scope ends the watch. */
export const make = (files: FilesService): Effect.Effect<MissingWatch, never, Scope.Scope> =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const turn = Effect.unsafeMakeSemaphore(1)
    let latest = -1n
    let live: Scope.CloseableScope | undefined

    const end = Effect.suspend(() => {
      const scope = live
      live = undefined
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })

    const watch: MissingWatch["watch"] = (request, changed) =>
      Effect.gen(function* () {
        if (request.id <= latest) return false
        latest = request.id
        yield* end
        const { missing, present } = request
        if (!files.watches || missing.length === 0 || missing.length > maxWatched) return false
        const scope = yield* Scope.fork(outer, { _tag: "Sequential" })
        live = scope
        const armed = yield* arm(files, missing, present, () => {
          if (live !== scope) return
          live = undefined
          changed()
          Effect.runFork(Scope.close(scope, Exit.void))
        }).pipe(
          Scope.extend(scope),
          Effect.orElseSucceed(() => false),
        )
        if (!armed) yield* end
        return armed
      }).pipe(Effect.uninterruptible, turn.withPermits(1))

    return { watch }
  })

/** False if what should be missing is there, or what should be there is missing. */
const arm = (
  files: FilesService,
  missing: ReadonlyArray<string>,
  present: string | undefined,
  fire: () => void,
): Effect.Effect<boolean, FileError, Scope.Scope> =>
  Effect.gen(function* () {
    const version = present === undefined ? undefined : yield* versionOf(files, present)
    if (present !== undefined && version === undefined) return false
    const places = new Map<string, Set<string>>()
    const add = ({ folder, name }: Place) => places.set(folder, (places.get(folder) ?? new Set()).add(name))
    for (const path of missing) {
      if (yield* exists(files, path)) return false
      add(yield* nextOnTheWay(files, path))
    }

    /** What is true now; a change that was seen is only a reason to look. */
    const come = Effect.gen(function* () {
      for (const [folder, names] of places) {
        if (!(yield* exists(files, folder))) return true
        for (const name of names) if (yield* exists(files, join(folder, name))) return true
      }
      return present !== undefined && (yield* versionOf(files, present)) !== version
    })
    const look = () => void Effect.runFork(Effect.map(come, (now) => (now ? fire() : undefined)))

    const folders = new Set(places.keys())
    if (present !== undefined) folders.add(split(present)[0])
    for (const folder of folders) yield* files.watch(folder, look)
    // What came between the first look and the watch has made no noise.
    return !(yield* come)
  })

const exists = (files: FilesService, path: string) =>
  files.info(path, { follow: false }).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
  )

const versionOf = (files: FilesService, path: string) =>
  files.info(path, { follow: true }).pipe(
    Effect.map(({ version, identity }): string | undefined => `${identity} ${version}`),
    Effect.orElseSucceed(() => undefined),
  )

/** The nearest folder that exists, and the name in it that leads to the path. */
const nextOnTheWay = (files: FilesService, path: string): Effect.Effect<Place> =>
  Effect.suspend(() => {
    const [folder, name] = split(path)
    return Effect.flatMap(exists(files, folder), (there) =>
      there || name === "" ? Effect.succeed({ folder, name }) : nextOnTheWay(files, folder),
    )
  })
