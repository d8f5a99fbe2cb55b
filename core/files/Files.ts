/**
 * The seam to a file system: what an operating system can do with one path or one open file.
 *
 * Paths are absolute and native, as `NativePath` has them. Rules, limits and orders are above it. What every
 * implementation guarantees:
 * - nothing here waits for a peer: a pipe or a device is opened without waiting.
 * - whatever has begun is finished, also when its fiber is interrupted, and no descriptor is left behind.
 * - nothing blocks the program's other work for longer than one block of a file takes.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Confinement } from "../protocol/Confinement.ts"
import type { FileCalls } from "./FileCalls.ts"
import { FileError } from "./FileError.ts"

export type Kind = "file" | "directory" | "link" | "other"

export interface FileInfo {
  readonly kind: Kind
  readonly size: number
  /** Permission bits. */
  readonly mode: number
  /** Milliseconds since 1970; 0 where the file system does not know. */
  readonly createdMs: number
  readonly modifiedMs: number
  /** The same for two paths if and only if both lead to the same thing. */
  readonly identity: string
  /** Another one after each change of content or attributes. */
  readonly version: string
}

/** A name in a folder and what it is itself, links not followed. */
export interface Entry {
  readonly name: string
  readonly kind: Kind
}

export interface OpenOptions {
  readonly access: "read" | "write"
  /** Permission bits of a file that does not exist, which is then created, less the umask. */
  readonly create?: number
  /** False fails for a symbolic link. */
  readonly follow: boolean
}

export interface OpenFile {
  readonly info: Effect.Effect<FileInfo, FileError>
  /** Fewer bytes than `length` only at the end of the file. */
  readonly read: (offset: bigint, length: number) => Effect.Effect<Uint8Array, FileError>
  readonly write: (offset: bigint, bytes: Uint8Array) => Effect.Effect<void, FileError>
  /** Cuts it to nothing. */
  readonly empty: Effect.Effect<void, FileError>
  readonly setMode: (mode: number) => Effect.Effect<void, FileError>
}

export interface FilesService {
  /** False for none at all. */
  readonly available: boolean
  /** True if `watch` works. */
  readonly watches: boolean
  readonly info: (path: string, options: { readonly follow: boolean }) => Effect.Effect<FileInfo, FileError>
  readonly list: (folder: string) => Effect.Effect<ReadonlyArray<Entry>, FileError>
  /** The same path without links in it. */
  readonly canonicalize: (path: string) => Effect.Effect<string, FileError>
  readonly makeFolder: (path: string) => Effect.Effect<void, FileError>
  readonly removeFolder: (path: string) => Effect.Effect<void, FileError>
  /** Anything but a folder. */
  readonly removeFile: (path: string) => Effect.Effect<void, FileError>
  readonly readLink: (path: string) => Effect.Effect<string, FileError>
  readonly makeLink: (target: string, path: string) => Effect.Effect<void, FileError>
  /** The end of the scope closes it. */
  readonly open: (path: string, options: OpenOptions) => Effect.Effect<OpenFile, FileError, Scope.Scope>
  /**
   * Makes `bytes` the content of a file, new or not: all of it or nothing, wherever that can be done without
   * changing what the file is (its mode, its owner, its other names).
   */
  readonly save: (
    path: string,
    bytes: Uint8Array,
    options: { readonly follow: boolean },
  ) => Effect.Effect<void, FileError>
  /**
   * A path to the folder that stays the same folder until the scope ends, whatever becomes of its names. Fails for
   * a link. Where the operating system has no such paths, the same path, looked at.
   */
  readonly hold: (folder: string) => Effect.Effect<string, FileError, Scope.Scope>
  /** Calls back after each change in the folder, with the name that changed if it is known. */
  readonly watch: (
    folder: string,
    changed: (name: string | undefined) => void,
  ) => Effect.Effect<void, FileError, Scope.Scope>
  /** The calls of who is confined, usable until the scope ends; absent where nothing can confine. */
  readonly confined?: (confinement: Confinement) => Effect.Effect<FileCalls, FileError, Scope.Scope>
}

export class Files extends Context.Tag("procwire/Files")<Files, FilesService>() {}

const refused = Effect.fail(
  new FileError({ reason: "Unsupported", message: "this server has no access to files" }),
)

/** For a server that keeps its files to itself. */
export const none: FilesService = {
  available: false,
  watches: false,
  info: () => refused,
  list: () => refused,
  canonicalize: () => refused,
  makeFolder: () => refused,
  removeFolder: () => refused,
  removeFile: () => refused,
  readLink: () => refused,
  makeLink: () => refused,
  open: () => refused,
  save: () => refused,
  hold: () => refused,
  watch: () => refused,
}

export const layerNone: Layer.Layer<Files> = Layer.succeed(Files, none)
