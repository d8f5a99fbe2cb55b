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
import type * as FileSystem from "../features/fs/wire.ts"
import type { Call, Tell } from "./Calls.ts"
import { ClientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import * as FileBlocks from "./FileBlocks.ts"
import { names } from "./FileOptions.ts"
import type * as Options from "./FileOptions.ts"
import type * as FileWatch from "./FileWatch.ts"
import * as Glob from "./Glob.ts"
import * as OptionNames from "./OptionNames.ts"
import * as RemotePath from "./RemotePath.ts"
import { lacking } from "./StartOptions.ts"
import { isMissing, named, toNamed } from "./SystemFailure.ts"

export type {
  CopyOptions,
  FolderOptions,
  GlobOptions,
  LinkOptions,
  MkdirOptions,
  RemoveOptions,
  RenameOptions,
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

/** The effect of a call on files. */
export type Done<A = void> = Effect.Effect<A, ClientError>

/**
 * The files of the server's host. Refusals of the server have the reason `Server`; the error has the `method`,
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
  /**
   * True if a path exists. A symbolic link counts as what it leads to. Fails if that cannot be known: a directory on
   * the way that may not be searched (`EACCES`).
   */
  readonly exists: (path: string) => Done<boolean>
  /** Creates a directory, with its parents; one that is there is no failure. */
  readonly createDirectory: (path: string, options?: Options.FolderOptions) => Done
  /** Creates a directory as in Node: without `recursive`, not its parents, and one that is there fails (`EEXIST`). */
  readonly mkdir: (path: string, options?: Options.MkdirOptions) => Done
  /** The entries of a directory. Names that are not UTF-8 have U+FFFD. */
  readonly readDirectory: (path: string) => Done<ReadonlyArray<FileSystem.DirectoryEntry>>
  /** The entries below a directory. */
  readonly walk: (path: string, options?: Options.WalkOptions) => Done<Walked>
  /**
   * The files that match a pattern, or one of several, as absolute paths in the order of their bytes. `*` stands for
   * any part of a name, `?` for one character, `[a-z]` and `[!a]` for one of a set, `**` for any number of directories,
   * `{a,b}` for alternatives; a backslash takes their meaning from them. Symbolic links below the first wildcard are
   * neither found nor followed, and directories that cannot be read are left out.
   */
  readonly glob: (
    patterns: string | ReadonlyArray<string>,
    options?: Options.GlobOptions,
  ) => Done<ReadonlyArray<string>>
  /** The absolute path without symbolic links; the file must exist. */
  readonly canonicalize: (path: string) => Done<string>
  /** Removes a file or directory. */
  readonly remove: (path: string, options?: Options.RemoveOptions) => Done
  /** Copies a file, or a directory with its content; a directory needs `recursive`, which is the default. */
  readonly copy: (source: string, destination: string, options?: Options.CopyOptions) => Done
  /**
   * Moves a file, a symbolic link itself, or a directory, in one step. The destination must not exist (`EEXIST`),
   * unless `overwrite` says that it is replaced. It is on the same file system (`EXDEV`): `copy` and `remove` go
   * further. Needs the capability `fsChange`.
   */
  readonly rename: (source: string, destination: string, options?: Options.RenameOptions) => Done
  /** Sets the permission bits, such as `0o755`, of what the path leads to. Needs the capability `fsChange`. */
  readonly chmod: (path: string, mode: number, options?: Options.LinkOptions) => Done
  /**
   * Makes a symbolic link at `path`, where nothing may be. The target is kept as it is, need not exist, and is relative
   * to the directory of the link unless it is absolute. Needs the capability `fsChange`.
   */
  readonly symlink: (target: string, path: string, options?: Options.LinkOptions) => Done
  /** Reads the content in blocks of up to 1 MiB, for each run of the stream; a loop over it may be left at any time. */
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
      call("fs/walk", { path: uri(path), options: { ...Glob.widest, ...options } }),
      ({ entries, errors, truncated }) => ({
        entries: entries.map(({ path, kind }) => ({ path: native(path), kind })),
        errors: errors.map(({ path, message }) => ({ path: native(path), message })),
        truncated,
      }),
    )

  /** A call with options that are checked. */
  const checked = <O, A>(
    method: string,
    table: OptionNames.Names<O>,
    options: O | undefined,
    use: (options: Partial<O>) => Effect.Effect<A, ClientError>,
  ) => OptionNames.checked(`fs.${method}`, table, use)(options)

  /** The same, whose errors name the path. */
  const on = <O, A>(
    method: string,
    path: string,
    table: OptionNames.Names<O>,
    options: O | undefined,
    use: (options: Partial<O>) => Effect.Effect<A, ClientError>,
  ) => named({ method, path })(checked(method, table, options, use))

  /** A call that needs the capability `fsChange`. */
  const changing = <O>(
    method: string,
    table: OptionNames.Names<O>,
    options: O | undefined,
    use: (options: Partial<O>) => Done,
  ) =>
    checked(method, table, options, (given) =>
      info().capabilities?.fsChange === true ? use(given) : Effect.fail(lacking(`fs.${method}`, "fsChange")),
    )

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
            ? blocks.write(uri(path), Stream.succeed(bytes))
            : done(call("fs/writeFile", { path: uri(path), dataBase64: toBase64(bytes), followSymlinks })),
        ),
      ),
    stat: (path, options) =>
      on("stat", path, names.link, options, ({ followSymlinks = true }) =>
        call("fs/getMetadata", { path: uri(path), followSymlinks }),
      ),
    exists: (path) =>
      named({ method: "exists", path })(call("fs/getMetadata", { path: uri(path) })).pipe(
        Effect.as(true),
        Effect.catchIf(isMissing, () => Effect.succeed(false)),
      ),
    mkdir: (path, options) =>
      on("mkdir", path, names.mkdir, options, ({ recursive = false, ...given }) =>
        done(call("fs/createDirectory", { path: uri(path), recursive, ...given })),
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
    glob: (patterns, options) =>
      checked("glob", names.glob, options, (given) => Glob.glob(call, info(), patterns, given)),
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
    rename: (source, destination, options) =>
      named({ method: "rename", path: source, place: `${source} to ${destination}` })(
        changing("rename", names.rename, options, (given) =>
          done(call("fs/rename", { sourcePath: uri(source), destinationPath: uri(destination), ...given })),
        ),
      ),
    chmod: (path, mode, options) =>
      named({ method: "chmod", path })(
        changing("chmod", names.link, options, (given) =>
          isMode(mode)
            ? done(call("fs/setMode", { path: uri(path), mode, ...given }))
            : Effect.fail(
                OptionNames.invalid(`fs.chmod takes a mode of 0 to 0o7777, not ${OptionNames.shown(mode)}`),
              ),
        ),
      ),
    symlink: (target, path, options) =>
      named({ method: "symlink", path, place: `${target} at ${path}` })(
        changing("symlink", names.link, options, (given) =>
          done(call("fs/createSymlink", { target, path: uri(path), ...given })),
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

/** Programs in JavaScript may pass any value. */
const isMode = (mode: unknown): boolean =>
  Number.isInteger(mode) && Number(mode) >= 0 && Number(mode) <= 0o7777
