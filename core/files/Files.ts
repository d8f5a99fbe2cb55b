/**
 * The seam to a file system: what an operating system can do with one path or one open file.
 *
 * Paths are absolute and native (see `NativePath`). Rules, limits and ordering are above this seam. Every
 * implementation guarantees:
 * - No call waits for a peer: a FIFO or a device is opened without blocking.
 * - A call that has begun is completed even if its fiber is interrupted, and leaks no descriptor.
 * - No call blocks the event loop for longer than it takes to read or write one block of a file.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Confinement } from "../protocol/Confinement.ts"
import type { Block, FileCalls } from "./FileCalls.ts"
import { FileError } from "./FileError.ts"

/** The kind of a file; `other` is a FIFO or a device, and in the list of a folder also a socket. */
export type Kind = "file" | "directory" | "link" | "socket" | "other"

/** The result of `stat`. */
export interface FileInfo {
  /** The kind of what the path leads to. */
  readonly kind: Kind
  /** In bytes. */
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Milliseconds since 1970; 0 where the file system does not know. */
  readonly createdMs: number
  /** Milliseconds since 1970. */
  readonly modifiedMs: number
  /** Equal for two paths if and only if both lead to the same file. */
  readonly identity: string
  /** Differs after each change of content or attributes. */
  readonly version: string
}

/** A name in a folder and the kind of the entry itself: links are not followed. */
export interface Entry {
  /** The name without the path of the folder. */
  readonly name: string
  /** The entry's own kind. */
  readonly kind: Kind
}

/** Options of `open`. */
export interface OpenOptions {
  /** The access mode of the descriptor. */
  readonly access: "read" | "write"
  /** Creates a missing file with these permission bits, less the umask. Absent means that it must exist. */
  readonly create?: number
  /** False fails for a symbolic link. */
  readonly follow: boolean
}

/** An open file. */
export interface OpenFile extends Block {
  /** `fstat`. */
  readonly info: Effect.Effect<FileInfo, FileError>
  /** Truncates the file to no bytes. */
  readonly empty: Effect.Effect<void, FileError>
  /** `fchmod`: permission bits. */
  readonly setMode: (mode: number) => Effect.Effect<void, FileError>
}

/** A file system. */
export interface FilesService {
  /** False if every call is refused. */
  readonly available: boolean
  /** True if `watch` works. */
  readonly watches: boolean
  /** `stat`, or `lstat` with `follow: false`. */
  readonly info: (path: string, options: { readonly follow: boolean }) => Effect.Effect<FileInfo, FileError>
  /** The entries of a folder, in no order. */
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<Entry>, FileError>
  /** The same path without symbolic links. */
  readonly canonicalize: (path: string) => Effect.Effect<string, FileError>
  /** `mkdir`. */
  readonly makeFolder: (path: string) => Effect.Effect<void, FileError>
  /** `rmdir`. */
  readonly removeFolder: (path: string) => Effect.Effect<void, FileError>
  /** `unlink`: anything but a folder. */
  readonly removeFile: (path: string) => Effect.Effect<void, FileError>
  /**
   * `rename` within one file system: a link itself, not its target. Without `overwrite` it fails for a destination that
   * exists, and never replaces one that comes into being meanwhile.
   */
  readonly rename: (
    source: string,
    destination: string,
    options: { readonly overwrite: boolean },
  ) => Effect.Effect<void, FileError>
  /** `chmod`: permission bits. With `follow: false` it fails for a symbolic link. */
  readonly setMode: (
    path: string,
    mode: number,
    options: { readonly follow: boolean },
  ) => Effect.Effect<void, FileError>
  /** The target of a symbolic link. */
  readonly readLink: (path: string) => Effect.Effect<string, FileError>
  /** Creates a symbolic link. */
  readonly makeLink: (target: string, path: string) => Effect.Effect<void, FileError>
  /** Opens a file. It is closed with the scope. */
  readonly open: (path: string, options: OpenOptions) => Effect.Effect<OpenFile, FileError, Scope.Scope>
  /**
   * Makes `bytes` the content of a file, new or existing: all of it or nothing, wherever that is possible without
   * changing what the file is (its mode, its owner, its other names).
   */
  readonly save: (
    path: string,
    bytes: Uint8Array,
    options: { readonly follow: boolean },
  ) => Effect.Effect<void, FileError>
  /**
   * A path that leads to this folder until the scope closes, even if the folder is renamed. Fails for a symbolic link.
   * If the operating system has no such paths, it returns the same path after a check.
   */
  readonly hold: (folder: string) => Effect.Effect<string, FileError, Scope.Scope>
  /** Calls `changed` after each change in the folder, with the name that changed if it is known. */
  readonly watch: (
    folder: string,
    changed: (name: string | undefined) => void,
  ) => Effect.Effect<void, FileError, Scope.Scope>
  /** The calls under a confinement, usable until the scope closes; absent where nothing can confine. */
  readonly confined?: (confinement: Confinement) => Effect.Effect<FileCalls, FileError, Scope.Scope>
}

/** The file system of a server. */
export class Files extends Context.Service<Files, FilesService>()("procwire/Files") {}

const refused = Effect.fail(
  new FileError({ reason: "Unsupported", message: "this server has no access to files" }),
)

/** A file system that refuses every call, for a server without file methods. */
export const none: FilesService = {
  available: false,
  watches: false,
  info: () => refused,
  list: () => refused,
  canonicalize: () => refused,
  makeFolder: () => refused,
  removeFolder: () => refused,
  removeFile: () => refused,
  rename: () => refused,
  setMode: () => refused,
  readLink: () => refused,
  makeLink: () => refused,
  open: () => refused,
  save: () => refused,
  hold: () => refused,
  watch: () => refused,
}

/** The layer of `none`. */
export const layerNone: Layer.Layer<Files> = Layer.succeed(Files, none)
