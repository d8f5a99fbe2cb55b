/** Paths as text: joining, parents, and paths that no link can bend. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileError } from "./FileError.ts"
import type { FilesService } from "./Files.ts"

export const join = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`

/** The folder that a path lies in and its name there; of the root, the root and nothing. */
export const split = (path: string): readonly [folder: string, name: string] => {
  const slash = path.lastIndexOf("/")
  const folder = path.slice(0, slash)
  return [/^([A-Za-z]:)?$/.test(folder) ? `${folder}/` : folder, path.slice(slash + 1)]
}

/**
 * A path to the same thing through the folders that are there now, none of which was reached over a link. Only its
 * last component can still be one. Good until the scope ends.
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

/** The root of a path, and the names on the way. */
const ancestors = (folder: string): ReadonlyArray<string> => {
  const [, root = "/", rest = ""] = /^((?:[A-Za-z]:)?\/)(.*)$/s.exec(folder) ?? []
  return [root, ...rest.split("/").filter((name) => name !== "")]
}
