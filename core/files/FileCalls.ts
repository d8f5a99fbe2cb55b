/**
 * The methods about files as calls: everything that one request may ask for, over some `Files`.
 *
 * This is where a request is confined: a server gives each request its calls according to its `sandbox`. Those for
 * no sandbox are `make(files)`; others may carry the same calls to a server that is confined.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as FileSystem from "../protocol/FileSystem.ts"
import * as Changing from "./Changing.ts"
import * as Copying from "./Copying.ts"
import type { FileError } from "./FileError.ts"
import type { FilesService } from "./Files.ts"
import type { Block } from "./Handles.ts"
import * as Reading from "./Reading.ts"
import * as Walk from "./Walk.ts"

/** Paths are native; `follow` is false if no component may be a link. */
export interface FileCalls {
  readonly readFile: (path: string, follow: boolean) => Effect.Effect<Uint8Array, FileError>
  readonly writeFile: (path: string, bytes: Uint8Array, follow: boolean) => Effect.Effect<void, FileError>
  readonly createDirectory: (
    path: string,
    recursive: boolean,
    follow: boolean,
  ) => Effect.Effect<void, FileError>
  readonly getMetadata: (path: string, follow: boolean) => Effect.Effect<FileSystem.Metadata, FileError>
  readonly canonicalize: (path: string) => Effect.Effect<string, FileError>
  readonly readDirectory: (path: string) => Effect.Effect<ReadonlyArray<FileSystem.DirectoryEntry>, FileError>
  readonly walk: (
    path: string,
    options: FileSystem.WalkOptions,
  ) => Effect.Effect<FileSystem.WalkResult, FileError>
  readonly remove: (path: string, options: Changing.RemoveOptions) => Effect.Effect<void, FileError>
  readonly copy: (source: string, destination: string, recursive: boolean) => Effect.Effect<void, FileError>
  /** The end of the scope closes the file. */
  readonly open: (path: string, mode: FileSystem.OpenMode) => Effect.Effect<Block, FileError, Scope.Scope>
}

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
