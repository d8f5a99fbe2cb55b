/** What is below a folder: listed, and copied where it is not yet. */
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import type { RemoteFiles } from "../../../core/client/RemoteFiles.ts"
import { at, isMissing } from "./Failure.ts"

type Done<A = void> = Effect.Effect<A, PlatformError>

const module = "FileSystem"

export interface FileTree {
  /** Paths below `folder`, relative to it and each behind `below`; no link is followed. */
  readonly list: (folder: string, below: string, recursive: boolean) => Done<ReadonlyArray<string>>
  /** Copies what is not there yet; files that are there stay as they are. */
  readonly copyMissing: (from: string, to: string) => Done
}

/** A name in a folder; without a name the folder, without a folder the name. */
export const join = (folder: string, name: string): string =>
  name === "" || folder === "" ? `${folder}${name}` : `${folder.replace(/\/$/, "")}/${name}`

export const make = (fs: RemoteFiles): FileTree => {
  const place = (method: string, path: string) => at({ module, method, pathOrDescriptor: path })
  const stat = (method: string, path: string) => place(method, path)(fs.stat(path))
  const entries = (method: string, path: string) => place(method, path)(fs.readDirectory(path))

  const list = (folder: string, below: string, recursive: boolean): Done<ReadonlyArray<string>> =>
    Effect.flatMap(entries("readDirectory", join(folder, below)), (found) =>
      Effect.map(
        Effect.forEach(found, ({ fileName, isDirectory }) => {
          const path = join(below, fileName)
          const itself = Effect.succeed([path])
          if (!recursive || !isDirectory) return itself
          const inner = Effect.flatMap(stat("readDirectory", join(folder, path)), ({ isSymlink }) =>
            isSymlink ? Effect.succeed([]) : list(folder, path, true),
          )
          return Effect.zipWith(itself, inner, (one, rest) => [...one, ...rest])
        }),
        (lists) => lists.flat(),
      ),
    )

  const copyMissing = (from: string, to: string): Done =>
    Effect.gen(function* () {
      const there = yield* Effect.catchIf(stat("copy", to), isMissing, () => Effect.succeed(undefined))
      if (there === undefined) return yield* place("copy", from)(fs.copy(from, to))
      const source = yield* stat("copy", from)
      if (!source.isDirectory || !there.isDirectory) return
      for (const { fileName } of yield* entries("copy", from)) {
        yield* copyMissing(join(from, fileName), join(to, fileName))
      }
    })

  return { list, copyMissing }
}
