/** Writing, creating, renaming and removing. */
import * as Effect from "effect/Effect"
import type { RemoveOptions, RenameOptions } from "./FileCalls.ts"
import * as ErrorText from "../protocol/ErrorText.ts"
import { FileError, invalid } from "./FileError.ts"
import type { FilesService } from "./Files.ts"
import { join, pin, pinEntry, split } from "./Paths.ts"
import { containsLink } from "./Reading.ts"

/** Creates a file or replaces its content. */
export const writeFile = (files: FilesService, path: string, bytes: Uint8Array, follow: boolean) =>
  follow
    ? files.save(path, bytes, { follow })
    : Effect.scoped(Effect.flatMap(pinEntry(files, path), (place) => files.save(place, bytes, { follow })))

/** Creates a folder; with `recursive` its parents too, and an existing folder is no failure. */
export const createDirectory = (
  files: FilesService,
  path: string,
  recursive: boolean,
  follow: boolean,
): Effect.Effect<void, FileError> => {
  if (path === "/" && !recursive && !follow) return Effect.fail(rootExists)
  const make = follow
    ? files.makeFolder(path)
    : Effect.scoped(Effect.flatMap(pin(files, path), files.makeFolder))
  if (!recursive) return make
  return Effect.catch(make, (error): Effect.Effect<void, FileError> => {
    const [folder, name] = split(path)
    if (error.reason === "AlreadyExists" || name === "") return mustBeFolder(files, path, follow, error)
    if (error.reason !== "NotFound") return Effect.fail(error)
    return Effect.andThen(
      createDirectory(files, folder, recursive, follow),
      secondTry(make, files, path, follow),
    )
  })
}

/** The root is no entry of a folder, so no system call is made that would say so, as by the peer. */
const rootExists = new FileError({ reason: "AlreadyExists", message: "directory already exists" })

/** The second attempt, after the parents were made. Another program may have made the folder meanwhile. */
const secondTry = (
  make: Effect.Effect<void, FileError>,
  files: FilesService,
  path: string,
  follow: boolean,
) =>
  Effect.catch(make, (error) =>
    error.reason === "AlreadyExists" ? mustBeFolder(files, path, follow, error) : Effect.fail(error),
  )

const mustBeFolder = (files: FilesService, path: string, follow: boolean, otherwise: FileError) =>
  follow
    ? Effect.flatMap(
        Effect.mapError(files.info(path, { follow }), () => otherwise),
        ({ kind }) => (kind === "directory" ? Effect.void : Effect.fail(otherwise)),
      )
    : Effect.scoped(Effect.asVoid(Effect.flatMap(pin(files, path), files.hold)))

/** Removes the last component of the path itself: a link, not its target. */
export const remove = (files: FilesService, path: string, options: RemoveOptions) => {
  const { recursive, force, follow } = options
  if (recursive && !follow) return unsupported
  const all = Effect.gen(function* () {
    const place = follow ? path : yield* pinEntry(files, path)
    const { kind } = yield* files.info(place, { follow: false })
    if (kind === "link" && !follow) return yield* containsLink
    if (kind !== "directory") return yield* files.removeFile(place)
    if (recursive) yield* emptyFolder(files, place)
    yield* files.removeFolder(place)
  })
  return Effect.scoped(
    force
      ? Effect.catchIf(
          all,
          ({ reason }) => reason === "NotFound",
          () => Effect.void,
        )
      : all,
  )
}

const unsupported = Effect.fail(
  new FileError({ reason: "Unsupported", message: ErrorText.of("recursiveNoFollow") }),
)

/** Removes everything in a folder. If the folder is replaced by a link meanwhile, the link is not followed. */
const emptyFolder = (files: FilesService, folder: string): Effect.Effect<void, FileError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const held = yield* files.hold(folder)
      const entries = yield* files.list(held)
      yield* Effect.forEach(
        entries.filter(({ kind }) => kind !== "directory"),
        ({ name }) => gone(files.removeFile(join(held, name))),
        { concurrency: 16, discard: true },
      )
      for (const { name, kind } of entries) {
        if (kind !== "directory") continue
        const inner = join(held, name)
        yield* gone(Effect.andThen(emptyFolder(files, inner), files.removeFolder(inner)))
      }
    }),
  )

/** Treats a file that another program has removed meanwhile as removed. */
const gone = (removal: Effect.Effect<void, FileError>) =>
  Effect.catchIf(
    removal,
    ({ reason }) => reason === "NotFound",
    () => Effect.void,
  )

/** Moves what the last component of `source` names: a link, not its target. */
export const rename = (
  files: FilesService,
  source: string,
  destination: string,
  { overwrite, follow }: RenameOptions,
): Effect.Effect<void, FileError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const from = follow ? source : yield* pinUnlinked(files, source)
      const to = follow ? destination : yield* pinUnlinked(files, destination)
      yield* files.rename(from, to, { overwrite })
    }),
  )

/** The path with every folder held. Fails if its last component is a link; it need not exist. */
const pinUnlinked = (files: FilesService, path: string) =>
  Effect.gen(function* () {
    const place = yield* pinEntry(files, path)
    const isLink = files.info(place, { follow: false }).pipe(
      Effect.map(({ kind }) => kind === "link"),
      Effect.orElseSucceed(() => false),
    )
    return (yield* isLink) ? yield* containsLink : place
  })

export const setMode = (files: FilesService, path: string, mode: number, follow: boolean) =>
  follow
    ? files.setMode(path, mode, { follow })
    : Effect.scoped(
        Effect.flatMap(pinUnlinked(files, path), (place) => files.setMode(place, mode, { follow })),
      )

/** Makes a link. Its target is a text: it is not looked at, and may not exist. */
export const createSymlink = (files: FilesService, target: string, path: string, follow: boolean) => {
  if (target === "" || target.includes("\0")) return badTarget(target)
  return follow
    ? files.makeLink(target, path)
    : Effect.scoped(Effect.flatMap(pinEntry(files, path), (place) => files.makeLink(target, place)))
}

const badTarget = (target: string) =>
  Effect.fail(
    invalid(
      target === ""
        ? ErrorText.of("emptyTarget")
        : ErrorText.of("nulInTarget", { target: JSON.stringify(target) }),
    ),
  )
