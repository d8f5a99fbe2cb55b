/** The calls of a request without a sandbox: straight to a file system. */
import * as Effect from "effect/Effect"
import * as Changing from "./Changing.ts"
import * as Copying from "./Copying.ts"
import type { FileCalls } from "./FileCalls.ts"
import type { FilesService } from "./Files.ts"
import * as Reading from "./Reading.ts"
import * as Walk from "./Walk.ts"

/** Calls that may reach every file that the server's user may. */
export const make = (files: FilesService): FileCalls => ({
  readFile: (path, follow) => Reading.readFile(files, path, follow),
  writeFile: (path, bytes, follow) => Changing.writeFile(files, path, bytes, follow),
  createDirectory: (path, recursive, follow) => Changing.createDirectory(files, path, recursive, follow),
  getMetadata: (path, follow) => Reading.getMetadata(files, path, follow),
  canonicalize: files.canonicalize,
  readDirectory: (path) => Reading.readDirectory(files, path),
  walk: (path, options) => Walk.walk(files, path, options),
  remove: (path, options) => Changing.remove(files, path, options),
  copy: (source, destination, recursive) => Copying.copy(files, source, destination, recursive),
  rename: (source, destination, options) => Changing.rename(files, source, destination, options),
  setMode: (path, mode, follow) => Changing.setMode(files, path, mode, follow),
  createSymlink: (target, path, follow) => Changing.createSymlink(files, target, path, follow),
  open: (path, mode) => (mode === "read" ? openToRead(files, path) : openToReplace(files, path)),
})

const openToRead = (files: FilesService, path: string) =>
  Effect.map(Reading.openFile(files, path, true), ({ file }) => file)

const openToReplace = (files: FilesService, path: string) =>
  Effect.gen(function* () {
    const file = yield* files.open(path, { access: "write", create: 0o666, follow: true })
    yield* Reading.mustBeFile(path, true, yield* file.info)
    yield* file.empty
    return file
  })
