/**
 * The files on the other side of the wire.
 *
 * Paths are native (absolute, or relative to the server's directory) or `file:` URIs. What comes back is native, and
 * names the same file when it is given again, also where its bytes are no UTF-8. Content that is too long for one
 * message goes in blocks of 1 MiB.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { toBase64, utf8, utf8Decoder } from "../protocol/Bytes.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type * as FileSystem from "../protocol/FileSystem.ts"
import type { Call, Encoded } from "./Calls.ts"
import type { ClientError } from "./ClientError.ts"
import * as FileBlocks from "./FileBlocks.ts"
import type * as FileWatch from "./FileWatch.ts"
import * as RemotePath from "./RemotePath.ts"

export interface LinkOptions {
  /** False: no component of the path may be a symbolic link. */
  readonly followSymlinks?: boolean
}

export interface FolderOptions extends LinkOptions {
  /** Default: true. */
  readonly recursive?: boolean
}

export interface RemoveOptions extends FolderOptions {
  /** Something missing is fine. Default: true. */
  readonly force?: boolean
}

/** The server's own limits where nothing is said: 64 levels, 10,000 folders, 50,000 entries. */
export type WalkOptions = Partial<Encoded<"fs/walk">["options"]>

export interface Walked {
  /** Breadth first, names of a folder in the order of their bytes; paths are native. */
  readonly entries: ReadonlyArray<{ readonly path: string; readonly kind: "file" | "directory" }>
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** True if a limit other than the depth left something out. */
  readonly truncated: boolean
}

type Done<A = void> = Effect.Effect<A, ClientError>

export interface RemoteFiles {
  readonly readFile: (path: string, options?: LinkOptions) => Done<Uint8Array>
  /** As UTF-8; what is none becomes U+FFFD. */
  readonly readTextFile: (path: string, options?: LinkOptions) => Done<string>
  /**
   * Creates a file or replaces its content. Up to 32 MiB a server of this project does that as a whole or not at all;
   * what is longer is written in blocks.
   */
  readonly writeFile: (path: string, data: string | Uint8Array, options?: LinkOptions) => Done
  readonly stat: (path: string, options?: LinkOptions) => Done<FileSystem.Metadata>
  readonly createDirectory: (path: string, options?: FolderOptions) => Done
  readonly readDirectory: (path: string) => Done<ReadonlyArray<FileSystem.DirectoryEntry>>
  readonly walk: (path: string, options?: WalkOptions) => Done<Walked>
  readonly canonicalize: (path: string) => Done<string>
  readonly remove: (path: string, options?: RemoveOptions) => Done
  readonly copy: (source: string, destination: string, options?: { readonly recursive?: boolean }) => Done
  /** The content in blocks of up to 1 MiB, for each run of the stream. */
  readonly readStream: (path: string) => Stream.Stream<Uint8Array, ClientError>
  /** Creates a file or replaces its content, block by block, as the pieces come. */
  readonly write: <E>(
    path: string,
    pieces: Stream.Stream<string | Uint8Array, E>,
  ) => Effect.Effect<void, ClientError | E>
  /** An open file, for blocks in any order. */
  readonly open: (
    path: string,
    mode?: FileSystem.OpenMode,
  ) => Effect.Effect<FileBlocks.RemoteFile, ClientError, Scope.Scope>
  /**
   * Waits for one of the missing paths to appear or for `present` to change. One watch at a time: the next takes its
   * place. With the capability `fsWatchMissing`.
   */
  readonly watchMissing: (
    missing: ReadonlyArray<string>,
    options?: { readonly present?: string },
  ) => Done<FileWatch.Watch>
}

/** The longest content that goes in one message, which a server takes up to 64 MiB of by default. */
export const maxWhole = 32 * 1024 * 1024

export const make = (call: Call, info: EnvironmentInfo, watches: FileWatch.FileWatch): RemoteFiles => {
  const uri = (path: string) => RemotePath.toUri(path, info)
  const native = (path: string) => RemotePath.toNative(path, info)
  const blocks = FileBlocks.make(call)
  const done = <A>(effect: Effect.Effect<A, ClientError>) => Effect.asVoid(effect)

  const readFile: RemoteFiles["readFile"] = (path, { followSymlinks = true } = {}) =>
    Effect.gen(function* () {
      const at = { path: uri(path), followSymlinks }
      const { size } = yield* call("fs/getMetadata", at)
      if (size > maxWhole && followSymlinks) return yield* blocks.readAll(at.path, size)
      return (yield* call("fs/readFile", at)).dataBase64
    })

  const write: RemoteFiles["write"] = (path, pieces) => blocks.write(uri(path), pieces)

  return {
    readFile,
    readTextFile: (path, options) =>
      Effect.map(readFile(path, options), (bytes) => utf8Decoder().decode(bytes)),
    writeFile: (path, data, { followSymlinks = true } = {}) => {
      const bytes = typeof data === "string" ? utf8.encode(data) : data
      if (bytes.length > maxWhole && followSymlinks) return write(path, Stream.make(bytes))
      const params = () => ({ path: uri(path), dataBase64: toBase64(bytes), followSymlinks })
      return done(Effect.suspend(() => call("fs/writeFile", params())))
    },
    stat: (path, { followSymlinks = true } = {}) =>
      call("fs/getMetadata", { path: uri(path), followSymlinks }),
    createDirectory: (path, options) => done(call("fs/createDirectory", { path: uri(path), ...options })),
    readDirectory: (path) =>
      Effect.map(call("fs/readDirectory", { path: uri(path) }), ({ entries }) => entries),
    walk: (path, options) =>
      Effect.map(
        call("fs/walk", { path: uri(path), options: { ...walkOptions, ...options } }),
        ({ entries, errors, truncated }) => ({
          entries: entries.map(({ path, kind }) => ({ path: native(path), kind })),
          errors: errors.map(({ path, message }) => ({ path: native(path), message })),
          truncated,
        }),
      ),
    canonicalize: (path) =>
      Effect.map(call("fs/canonicalize", { path: uri(path) }), (found) => native(found.path)),
    remove: (path, options) => done(call("fs/remove", { path: uri(path), ...options })),
    copy: (source, destination, { recursive = true } = {}) =>
      done(call("fs/copy", { sourcePath: uri(source), destinationPath: uri(destination), recursive })),
    readStream: (path) => Stream.suspend(() => blocks.read(uri(path))),
    write,
    open: (path, mode = "read") => blocks.open(uri(path), mode),
    watchMissing: (missing, { present } = {}) =>
      watches.watch(missing.map(uri), present === undefined ? null : uri(present)),
  }
}

const walkOptions = {
  maxDepth: 64,
  maxDirectories: 10_000,
  maxEntries: 50_000,
  followDirectorySymlinks: false,
}
