/**
 * Temporary files and folders on the server's host, in its folder for them. Who may read them is what the server's
 * umask says: the wire has no modes.
 */
import type * as PlatformFileSystem from "@effect/platform/FileSystem"
import type { PlatformError } from "@effect/platform/Error"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ExecClient } from "../../../core/client/ExecClient.ts"
import * as RemotePath from "../../../core/client/RemotePath.ts"
import { at } from "./Failure.ts"

type Names = "makeTempDirectory" | "makeTempDirectoryScoped" | "makeTempFile" | "makeTempFileScoped"

/** The methods for temporary files. */
export const make = (client: ExecClient): Pick<PlatformFileSystem.FileSystem, Names> => {
  const directory = (method: Names, options: PlatformFileSystem.MakeTempDirectoryOptions = {}) =>
    Effect.suspend(() => {
      const path = `${options.directory ?? folderOf(client)}/${options.prefix ?? ""}${random()}`
      const made = client.fs.createDirectory(path, { recursive: false })
      return Effect.as(at({ module: "FileSystem", method, pathOrDescriptor: path })(made), path)
    })

  const file = (method: Names, options: PlatformFileSystem.MakeTempFileOptions = {}) =>
    Effect.flatMap(directory(method, options), (folder) => {
      const path = `${folder}/${random()}${options.suffix ?? ""}`
      const made = client.fs.writeFile(path, "")
      return Effect.as(at({ module: "FileSystem", method, pathOrDescriptor: path })(made), { path, folder })
    })

  const removed = <A>(
    make: Effect.Effect<A, PlatformError>,
    folderOf: (made: A) => string,
  ): Effect.Effect<A, PlatformError, Scope.Scope> =>
    Effect.acquireRelease(make, (made) => Effect.ignore(client.fs.remove(folderOf(made))))

  return {
    makeTempDirectory: (options) => directory("makeTempDirectory", options),
    makeTempDirectoryScoped: (options) =>
      removed(directory("makeTempDirectoryScoped", options), (path) => path),
    makeTempFile: (options) => Effect.map(file("makeTempFile", options), ({ path }) => path),
    makeTempFileScoped: (options) =>
      Effect.map(
        removed(file("makeTempFileScoped", options), ({ folder }) => folder),
        ({ path }) => path,
      ),
  }
}

const random = () => globalThis.crypto.randomUUID()

const folderOf = ({ environmentInfo }: ExecClient): string => {
  const { tempDir, temporaryDirectories } = environmentInfo
  return RemotePath.toNative(tempDir ?? temporaryDirectories?.[0] ?? "file:///tmp", environmentInfo)
}
