/**
 * The files of the server's host.
 *
 * Paths are native (absolute, or relative to the server's directory) or `file:` URIs. Returned paths are native, and
 * name the same file when passed back, even if their bytes are not UTF-8. Content that does not fit one message is
 * transferred in blocks of 1 MiB.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { toBase64, utf8Decoder } from "../protocol/Bytes.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type * as FileSystem from "../protocol/FileSystem.ts"
import type { Call, Tell } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import * as FileBlocks from "./FileBlocks.ts"
import { checked, names } from "./FileOptions.ts"
import type * as Options from "./FileOptions.ts"
import type * as FileWatch from "./FileWatch.ts"
import type * as OptionNames from "./OptionNames.ts"
import * as RemotePath from "./RemotePath.ts"
import { named, toNamed } from "./SystemFailure.ts"

export type {
  CopyOptions,
  FolderOptions,
  LinkOptions,
  RemoveOptions,
  WalkOptions,
  WatchOptions,
} from "./FileOptions.ts"

/** The result of `walk`. */
export interface Walked {
  /** Breadth first, the names of a directory ordered by their bytes. */
  readonly entries: ReadonlyArray<{ readonly path: string; readonly kind: "file" | "directory" }>
  /** The directories that could not be read. */
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** True if a limit other than the depth was reached. */
  readonly truncated: boolean
}

/** What a call on files returns. */
export type Done<A = void> = Effect.Effect<A, ClientError>

/**
 * The files of the server's host. What the server refuses fails with the reason `Server`; the error has the `method`,
 * the `path`, and as `code` the name of the failure (`ENOENT`), or else what `rpcCode` is: -32004 (not found), -32600
 * (not permitted or not valid) or -32603 (anything else). A lost connection fails with `Disconnected`.
 */
export interface RemoteFiles {
  /** Reads a whole file. More than 32 MiB is read in blocks. */
  readonly readFile: (path: string, options?: Options.LinkOptions) => Done<Uint8Array>
  /** Reads a whole file as UTF-8; malformed bytes become U+FFFD. */
  readonly readTextFile: (path: string, options?: Options.LinkOptions) => Done<string>
  /**
   * Creates a file or replaces its content. Up to 32 MiB, a procwire server does that atomically; more is written in
   * blocks.
   */
  readonly writeFile: (path: string, data: string | Uint8Array, options?: Options.LinkOptions) => Done
  /** Type, size in bytes, and times of a path. */
  readonly stat: (path: string, options?: Options.LinkOptions) => Done<FileSystem.Metadata>
  /** Creates a directory. */
  readonly createDirectory: (path: string, options?: Options.FolderOptions) => Done
  /** The entries of a directory. Names that are not UTF-8 have U+FFFD. */
  readonly readDirectory: (path: string) => Done<ReadonlyArray<FileSystem.DirectoryEntry>>
  /** The entries below a directory. */
  readonly walk: (path: string, options?: Options.WalkOptions) => Done<Walked>
  /** The absolute path without symbolic links; the file must exist. */
  readonly canonicalize: (path: string) => Done<string>
  /** Removes a file or directory. */
  readonly remove: (path: string, options?: Options.RemoveOptions) => Done
  /** Copies a file, or a directory with its content; a directory needs `recursive`, which is the default. */
  readonly copy: (source: string, destination: string, options?: Options.CopyOptions) => Done
  /** Reads the content in blocks of up to 1 MiB, for each run of the stream. */
  readonly readStream: (path: string) => Stream.Stream<Uint8Array, ClientError>
  /** Creates a file or replaces its content, writing blocks as the pieces arrive. */
  readonly write: <E>(
    path: string,
    pieces: Stream.Stream<string | Uint8Array, E>,
  ) => Effect.Effect<void, ClientError | E>
  /** Opens a file for blocks in any order. Default mode: `read`. The end of the scope closes it. */
  readonly open: (
    path: string,
    mode?: FileSystem.OpenMode,
  ) => Effect.Effect<FileBlocks.RemoteFile, ClientError, Scope.Scope>
  /**
   * Watches for one of the missing paths to appear, or for `present` to change. A client has one watch at a time: a new
   * one replaces it. Needs the capability `fsWatchMissing`.
   */
  readonly watchMissing: (
    missing: ReadonlyArray<string>,
    options?: Options.WatchOptions,
  ) => Done<FileWatch.Watch>
}

/**
 * The longest content that is sent in one message: 32 MiB. As base64 it takes 43 MiB, and a server accepts messages of
 * 64 MiB by default.
 */
export const maxWhole = 32 * 1024 * 1024

/**
 * `ExecClient.fs`.
 * @internal
 */
export const make = (
  call: Call,
  tell: Tell,
  info: () => EnvironmentInfo,
  watches: FileWatch.FileWatch,
): RemoteFiles => {
  const uri = (path: string) => RemotePath.toUri(path, info())
  const native = (path: string) => RemotePath.toNative(path, info())
  const blocks = FileBlocks.make(call, tell)
  const done = <A>(effect: Effect.Effect<A, ClientError>) => Effect.asVoid(effect)

  const readFile = (path: string, followSymlinks: boolean) =>
    Effect.gen(function* () {
      const at = { path: uri(path), followSymlinks }
      const { size } = yield* call("fs/getMetadata", at)
      if (size > maxWhole && followSymlinks) return yield* blocks.readAll(at.path, size)
      return (yield* call("fs/readFile", at)).dataBase64
    })

  const write: RemoteFiles["write"] = (path, pieces) =>
    Effect.mapError(blocks.write(uri(path), pieces), (error) =>
      error instanceof ClientError ? toNamed({ method: "write", path }, error) : error,
    )

  const walk = (path: string, options: Options.WalkOptions) =>
    Effect.map(
      call("fs/walk", { path: uri(path), options: { ...walkOptions, ...options } }),
      ({ entries, errors, truncated }) => ({
        entries: entries.map(({ path, kind }) => ({ path: native(path), kind })),
        errors: errors.map(({ path, message }) => ({ path: native(path), message })),
        truncated,
      }),
    )

  /** A call with options that are checked, whose errors name the path. */
  const on = <O, A>(
    method: string,
    path: string,
    table: OptionNames.Names<O>,
    options: O | undefined,
    use: (options: Partial<O>) => Effect.Effect<A, ClientError>,
  ) => named({ method, path })(checked(method, table, options, use))

  return {
    readFile: (path, options) =>
      on("readFile", path, names.link, options, ({ followSymlinks = true }) =>
        readFile(path, followSymlinks),
      ),
    readTextFile: (path, options) =>
      on("readTextFile", path, names.link, options, ({ followSymlinks = true }) =>
        Effect.map(readFile(path, followSymlinks), (bytes) => utf8Decoder().decode(bytes)),
      ),
    writeFile: (path, data, options) =>
      on("writeFile", path, names.link, options, ({ followSymlinks = true }) =>
        Content.use("fs.writeFile", data, (bytes) =>
          bytes.length > maxWhole && followSymlinks
            ? blocks.write(uri(path), Stream.make(bytes))
            : done(call("fs/writeFile", { path: uri(path), dataBase64: toBase64(bytes), followSymlinks })),
        ),
      ),
    stat: (path, options) =>
      on("stat", path, names.link, options, ({ followSymlinks = true }) =>
        call("fs/getMetadata", { path: uri(path), followSymlinks }),
      ),
    createDirectory: (path, options) =>
      on("createDirectory", path, names.folder, options, (given) =>
        done(call("fs/createDirectory", { path: uri(path), ...given })),
      ),
    readDirectory: (path) =>
      named({ method: "readDirectory", path })(
        Effect.map(call("fs/readDirectory", { path: uri(path) }), ({ entries }) => entries),
      ),
    walk: (path, options) => on("walk", path, names.walk, options, (given) => walk(path, given)),
    canonicalize: (path) =>
      named({ method: "canonicalize", path })(
        Effect.map(call("fs/canonicalize", { path: uri(path) }), (found) => native(found.path)),
      ),
    remove: (path, options) =>
      on("remove", path, names.remove, options, (given) =>
        done(call("fs/remove", { path: uri(path), ...given })),
      ),
    copy: (source, destination, options) =>
      named({ method: "copy", path: source, place: `${source} to ${destination}` })(
        checked("copy", names.copy, options, ({ recursive = true }) =>
          done(call("fs/copy", { sourcePath: uri(source), destinationPath: uri(destination), recursive })),
        ),
      ),
    readStream: (path) =>
      Stream.mapError(
        Stream.suspend(() => blocks.read(uri(path))),
        (error) => toNamed({ method: "readStream", path }, error),
      ),
    write,
    open: (path, mode = "read") =>
      Effect.map(named({ method: "open", path })(blocks.open(uri(path), mode)), ({ read, write }) => ({
        read: (offset, length) => named({ method: "read", path })(read(offset, length)),
        write: (offset, bytes) => named({ method: "write", path })(write(offset, bytes)),
      })),
    watchMissing: (missing, options) =>
      checked("watchMissing", names.watch, options, ({ present }) =>
        watches.watch(
          Array.isArray(missing) ? missing.map(uri) : missing,
          present === undefined ? null : uri(present),
        ),
      ),
  }
}

const walkOptions = {
  maxDepth: 64,
  maxDirectories: 10_000,
  maxEntries: 50_000,
  followDirectorySymlinks: false,
}
