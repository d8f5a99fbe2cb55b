/**
 * The file watch of one connection: fires once, when a missing file appears or a present one changes.
 *
 * For each missing path it watches the nearest existing folder, and fires when the next name of the path appears in it
 * or when that folder is removed. There is one watch at a time: a request with a greater id replaces it, any other id
 * is refused. A path that leads through a symbolic link is not watched: what it leads to may change elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { maxWatched } from "../features/fs/FileBounds.ts"
import * as Turn from "../protocol/Turn.ts"
import type { FileError } from "./FileError.ts"
import type { FilesService } from "./Files.ts"
import { join, split } from "./Paths.ts"

export interface WatchRequest {
  /** Must be greater than 0 and than the id of every earlier request. */
  readonly id: bigint
  /** Native paths of files that do not exist; at most 64. */
  readonly missing: ReadonlyArray<string>
  /** Native path of a file that exists. */
  readonly present: string | undefined
}

export interface MissingWatch {
  /**
   * Starts watching; `changed` is called at most once. Returns false if it does not watch: the id is old, the request
   * does not match the file system, or this host cannot watch.
   */
  readonly watch: (request: WatchRequest, changed: () => void) => Effect.Effect<boolean>
}

/** A folder that exists, and the name that has to appear in it. */
interface Place {
  readonly folder: string
  readonly name: string
}

/** Watching ends with the scope. */
export const make = (
  files: FilesService,
  outer: Scope.Scope,
  fork: (effect: Effect.Effect<void>) => unknown,
): MissingWatch => {
  const turn = Turn.make()
  let latest = 0n
  let live: Scope.Closeable | undefined

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
      const scope = yield* Scope.fork(outer)
      live = scope
      const fire = () => {
        if (live !== scope) return
        live = undefined
        changed()
        fork(Effect.uninterruptible(Scope.close(scope, Exit.void)))
      }
      const look = (found: Effect.Effect<boolean>) =>
        void fork(Effect.map(found, (now) => (now ? fire() : undefined)))
      const armed = yield* arm(files, missing, present, look).pipe(
        Scope.provide(scope),
        Effect.orElseSucceed(() => false),
      )
      if (!armed) yield* end
      return armed
    }).pipe(Effect.uninterruptible, turn)

  return { watch }
}

/**
 * Has `look` find out, after each change, whether to fire. Returns false if a file that should be missing exists, or
 * the present one does not. Fails if that is unknown.
 */
const arm = (
  files: FilesService,
  missing: ReadonlyArray<string>,
  present: string | undefined,
  look: (found: Effect.Effect<boolean>) => void,
): Effect.Effect<boolean, FileError, Scope.Scope> =>
  Effect.gen(function* () {
    const version = present === undefined ? undefined : yield* versionOf(files, present)
    if (present !== undefined && (version === undefined || (yield* isLinked(files, present)))) return false
    const places = new Map<string, Set<string>>()
    const add = ({ folder, name }: Place) => places.set(folder, (places.get(folder) ?? new Set()).add(name))
    for (const path of missing) {
      if (yield* isThere(files, path)) return false
      const place = yield* nextMissing(files, path)
      if (yield* isLinked(files, place.folder)) return false
      add(place)
    }

    /** Looks whether to fire: an event of the file system may be old or spurious. */
    const changed = Effect.gen(function* () {
      for (const [folder, names] of places) {
        if (!(yield* exists(files, folder))) return true
        for (const name of names) if (yield* exists(files, join(folder, name))) return true
      }
      return present !== undefined && (yield* versionOf(files, present)) !== version
    })
    const folders = new Set(places.keys())
    if (present !== undefined) folders.add(split(present)[0])
    for (const folder of folders) yield* files.watch(folder, () => look(changed))
    // A change between the first look and the start of the watch has raised no event.
    return !(yield* changed)
  })

/** Fails if the host cannot tell: the path is too long, a folder on it is no folder or cannot be searched. */
const isThere = (files: FilesService, path: string) =>
  files.info(path, { follow: false }).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ reason }) => reason === "NotFound",
      () => Effect.succeed(false),
    ),
  )

/** True if a component of an existing path is a symbolic link. */
const isLinked = (files: FilesService, path: string) =>
  Effect.map(files.canonicalize(path), (canonical) => canonical !== path)

const exists = (files: FilesService, path: string) =>
  files.info(path, { follow: false }).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
  )

/** Identity and state of a file; of a folder only its attributes, because its times change with its entries. */
const versionOf = (files: FilesService, path: string) =>
  files.info(path, { follow: true }).pipe(
    Effect.map(({ kind, identity, mode, version }): string | undefined =>
      kind === "directory" ? `${identity} ${mode}` : `${identity} ${version}`,
    ),
    Effect.orElseSucceed(() => undefined),
  )

/** The nearest folder of the path that exists, and the next name of the path. */
const nextMissing = (files: FilesService, path: string): Effect.Effect<Place, FileError> =>
  Effect.suspend(() => {
    const [folder, name] = split(path)
    return Effect.flatMap(isThere(files, folder), (there) =>
      there || name === "" ? Effect.succeed({ folder, name }) : nextMissing(files, folder),
    )
  })
