/** Native paths as text, and paths that are protected against links. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type FileError, invalid } from "./FileError.ts"
import type { FilesService } from "./Files.ts"

export const join = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`

/** The parent folder of a path and its last component; for the root, the root and an empty name. */
export const split = (path: string): readonly [folder: string, name: string] => {
  const slash = path.lastIndexOf("/")
  const folder = path.slice(0, slash)
  return [/^([A-Za-z]:)?$/.test(folder) ? `${folder}/` : folder, path.slice(slash + 1)]
}

/**
 * The same path with every folder held, none of which is a link, so that a link which is put there later is not
 * followed. Only the last component may be a link. Valid until the scope closes.
 */
export const pin = (files: FilesService, path: string): Effect.Effect<string, FileError, Scope.Scope> =>
  Effect.gen(function* () {
    const [folder, name] = split(path)
    if (name === "") return path
    const [root = "/", ...names] = ancestors(folder)
    let held = yield* files.hold(root)
    for (const next of names) held = yield* files.hold(join(held, next))
    return join(held, name)
  })

/** The same for a path that may not be the root, which is no entry of a folder. */
export const pinEntry = (files: FilesService, path: string) =>
  Effect.suspend(() => (split(path)[1] === "" ? noEntry : pin(files, path)))

const noEntry = Effect.fail(invalid("path must name an entry"))

/** The root of a path, then its components. */
const ancestors = (folder: string): ReadonlyArray<string> => {
  const [, root = "/", rest = ""] = /^((?:[A-Za-z]:)?\/)(.*)$/s.exec(folder) ?? []
  return [root, ...rest.split("/").filter((name) => name !== "")]
}
