/// <reference lib="esnext.disposable" preserve="true" />
/** `RemoteFiles` for programs without Effect: promises and async iterables. Failures are thrown as `ClientError`. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { OpenMode } from "../protocol/FileSystem.ts"
import { boundary } from "./CallSite.ts"
import type { CallOptions } from "./GivingUp.ts"
import { type Step, stepped, unwrapScoped } from "./EventStreams.ts"
import type { WatchOptions } from "./FileOptions.ts"
import { invalid, shown } from "./OptionNames.ts"
import { ending, promise, scoped, steps } from "./Promises.ts"
import type { RemoteFile } from "./FileBlocks.ts"
import type { RemoteFiles } from "./RemoteFiles.ts"

/** The functions of an interface, with promises in place of effects; the last argument says how they are given up. */
type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer P) => Effect.Effect<infer A, infer _E>
    ? (...args: [...P, how?: CallOptions]) => Promise<A>
    : never
}

/** Content in pieces of any size. Strings are written as UTF-8. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** An open file. `await using` closes it. */
export interface ClientFile extends Promised<RemoteFile>, AsyncDisposable {
  /** Closes the file; may be called twice. */
  readonly close: (how?: CallOptions) => Promise<void>
}

/** A watch for missing files. */
export interface ClientWatch {
  /** False if there is nothing to watch: something exists already, or the server cannot watch. */
  readonly watching: boolean
  /** Resolves to true at the first change, to false if not `watching` or if another watch replaced this one. */
  changed(how?: CallOptions): Promise<boolean>
}

/**
 * The files of the server's host. Paths are native (absolute, or relative to the server's directory) or `file:` URIs.
 */
export interface ClientFiles extends Promised<
  Omit<RemoteFiles, "readStream" | "write" | "open" | "watchMissing">
> {
  /** Reads the content in blocks of up to 1 MiB. The loop may be left at any time; `how` is for all of it. */
  readonly readStream: (path: string, how?: CallOptions) => AsyncIterable<Uint8Array>
  /** Creates a file or replaces its content, writing blocks as the pieces arrive. */
  readonly write: (path: string, pieces: Pieces, how?: CallOptions) => Promise<void>
  /** Opens a file for blocks in any order. Default mode: `read`. */
  readonly open: (path: string, mode?: OpenMode, how?: CallOptions) => Promise<ClientFile>
  /** See `RemoteFiles.watchMissing`. */
  readonly watchMissing: (
    missing: ReadonlyArray<string>,
    options?: WatchOptions,
    how?: CallOptions,
  ) => Promise<ClientWatch>
}

/**
 * `ExecClient.fs` as promises.
 * @internal
 */
export const make = (files: RemoteFiles): ClientFiles => boundary(promises(files))

const promises = (files: RemoteFiles): ClientFiles => ({
  readFile: (path, options, how) => promise(files.readFile(path, options), how),
  readTextFile: (path, options, how) => promise(files.readTextFile(path, options), how),
  writeFile: (path, data, options, how) => promise(files.writeFile(path, data, options), how),
  stat: (path, options, how) => promise(files.stat(path, options), how),
  exists: (path, how) => promise(files.exists(path), how),
  mkdir: (path, options, how) => promise(files.mkdir(path, options), how),
  createDirectory: (path, options, how) => promise(files.createDirectory(path, options), how),
  readDirectory: (path, how) => promise(files.readDirectory(path), how),
  walk: (path, options, how) => promise(files.walk(path, options), how),
  glob: (patterns, options, how) => promise(files.glob(patterns, options), how),
  canonicalize: (path, how) => promise(files.canonicalize(path), how),
  remove: (path, options, how) => promise(files.remove(path, options), how),
  copy: (source, destination, options, how) => promise(files.copy(source, destination, options), how),
  rename: (source, destination, options, how) => promise(files.rename(source, destination, options), how),
  chmod: (path, mode, options, how) => promise(files.chmod(path, mode, options), how),
  symlink: (target, path, options, how) => promise(files.symlink(target, path, options), how),
  watchMissing: async (missing, options, how) => {
    const { watching, changed } = await promise(files.watchMissing(missing, options), how)
    return boundary({ watching, changed: (how?: CallOptions) => promise(changed, how) })
  },
  readStream: (path, how) => readStream(files, path, how),
  write: (path, pieces, how) => promise(files.write(path, streamOf(toAsync(pieces))), how),
  open: (path, mode, how) => open(files, path, mode, how),
})

const open = async (
  files: RemoteFiles,
  path: string,
  mode: OpenMode | undefined,
  how: CallOptions | undefined,
): Promise<ClientFile> => {
  const [file, close] = await scoped(files.open(path, mode), how)
  return boundary<ClientFile>({
    read: (offset, length, how) => promise(file.read(offset, length), how),
    write: (offset, bytes, how) => promise(file.write(offset, bytes), how),
    close,
    [Symbol.asyncDispose]: () => close(),
  })
}

async function* readStream(
  files: RemoteFiles,
  path: string,
  how: CallOptions | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const step = steps(how)
  const scope = await promise(Scope.make())
  try {
    const file = await step(Scope.extend(files.open(path), scope))
    for (let offset = 0; ;) {
      const { chunk, eof } = await step(file.read(offset))
      if (chunk.length > 0) yield chunk
      if (eof) return
      offset += chunk.length
    }
  } finally {
    await ending(Scope.close(scope, Exit.void), how).catch(() => {})
  }
}

/** The pieces as a stream, which ends the generator. */
const streamOf = <A>(pieces: AsyncGenerator<A, void, void>): Stream.Stream<A, unknown> =>
  unwrapScoped(
    Effect.map(
      Effect.acquireRelease(Effect.succeed(pieces), (pieces) => Effect.promise(() => pieces.return())),
      (pieces) =>
        stepped<A, unknown>(
          () => pieces.next() as Promise<Step<A>>,
          (cause) => cause,
        ),
    ),
  )

async function* toAsync(pieces: Pieces): AsyncGenerator<string | Uint8Array, void, void> {
  const iterable: object = Object(pieces)
  if (!(Symbol.asyncIterator in iterable || Symbol.iterator in iterable))
    throw invalid(`fs.write takes an iterable of strings and Uint8Arrays, not ${shown(pieces)}`)
  yield* pieces
}
