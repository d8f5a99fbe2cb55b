/**
 * The file methods as calls on native paths: everything that one request may do.
 *
 * This interface is where requests are confined. A server picks the calls of a request by its `sandbox`: without one
 * they work on the server's own files (`UnconfinedCalls`), with one they may be carried to a confined server.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as FileSystem from "../features/fs/wire.ts"
import type { FileError } from "./FileError.ts"

/** The content of an open file. Offsets and lengths are bytes. */
export interface Block {
  /** Returns fewer bytes than `length` only at the end of the file. */
  readonly read: (offset: bigint, length: number) => Effect.Effect<Uint8Array, FileError>
  /** Writes all of `bytes`. */
  readonly write: (offset: bigint, bytes: Uint8Array) => Effect.Effect<void, FileError>
}

/** Options of `remove`. */
export interface RemoveOptions {
  /** A folder is removed with its content. */
  readonly recursive: boolean
  /** A missing path is no failure. */
  readonly force: boolean
  /** False if no component of the path may be a symbolic link. */
  readonly follow: boolean
}

/** Options of `rename`. */
export interface RenameOptions {
  /** True: the destination is replaced, unless it is a folder that is not empty. */
  readonly overwrite: boolean
  /** False if no component of either path may be a symbolic link. */
  readonly follow: boolean
}

/** Paths are absolute and native (see `NativePath`). `follow: false` fails if a component of the path is a link. */
export interface FileCalls {
  /** The whole content of a regular file. */
  readonly readFile: (path: string, follow: boolean) => Effect.Effect<Uint8Array, FileError>
  /** Creates a file or replaces its content. */
  readonly writeFile: (path: string, bytes: Uint8Array, follow: boolean) => Effect.Effect<void, FileError>
  /** Creates a folder; with `recursive` its parents too, and an existing folder is no failure. */
  readonly createDirectory: (
    path: string,
    recursive: boolean,
    follow: boolean,
  ) => Effect.Effect<void, FileError>
  /** Kind, size and times. */
  readonly getMetadata: (path: string, follow: boolean) => Effect.Effect<FileSystem.Metadata, FileError>
  /** The same path without symbolic links. */
  readonly canonicalize: (path: string) => Effect.Effect<string, FileError>
  /** The entries of a folder, in no order. */
  readonly readDirectory: (path: string) => Effect.Effect<ReadonlyArray<FileSystem.DirectoryEntry>, FileError>
  /** The tree below a folder, breadth first, within the limits of `options`. */
  readonly walk: (
    path: string,
    options: FileSystem.WalkOptions,
  ) => Effect.Effect<FileSystem.WalkResult, FileError>
  /** Removes a file, a link or a folder. */
  readonly remove: (path: string, options: RemoveOptions) => Effect.Effect<void, FileError>
  /** Copies a file or a link; with `recursive` a folder too. */
  readonly copy: (source: string, destination: string, recursive: boolean) => Effect.Effect<void, FileError>
  /** Moves a file, a link or a folder within its file system. */
  readonly rename: (
    source: string,
    destination: string,
    options: RenameOptions,
  ) => Effect.Effect<void, FileError>
  /** Sets the permission bits of a file or a folder. */
  readonly setMode: (path: string, mode: number, follow: boolean) => Effect.Effect<void, FileError>
  /** Makes a symbolic link with the text `target` at `path`. */
  readonly createSymlink: (target: string, path: string, follow: boolean) => Effect.Effect<void, FileError>
  /** Opens a file. It is closed with the scope. */
  readonly open: (path: string, mode: FileSystem.OpenMode) => Effect.Effect<Block, FileError, Scope.Scope>
}
