/// <reference lib="esnext.disposable" preserve="true" />
/** `RemoteFiles` for programs without Effect: promises and async iterables. Failures are thrown as `ClientError`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OpenMode } from "../features/fs/wire.ts"
import { boundary } from "./CallSite.ts"
import type { CallOptions } from "./GivingUp.ts"
import { type Step, stepped } from "./EventFeed.ts"
import type { WatchOptions } from "./FileOptions.ts"
import { invalid, shown } from "./OptionNames.ts"
import { type ByArity, ending, promise, type Promised, promised, scoped } from "./Promises.ts"
import type { RemoteFile } from "./FileBlocks.ts"
import type { Watch } from "./FileWatch.ts"
import type { RemoteFiles } from "./RemoteFiles.ts"

/** The functions on files that are the same as promises, with how many arguments each takes. */
const calls = {
  readFile: 2,
  readTextFile: 2,
  writeFile: 3,
  stat: 2,
  exists: 1,
  createDirectory: 2,
  mkdir: 2,
  readDirectory: 1,
  walk: 2,
  glob: 2,
  canonicalize: 1,
  remove: 2,
  copy: 3,
  rename: 3,
  chmod: 3,
  symlink: 3,
  readStream: 1,
} as const

/** Content in pieces of any size. Strings are written as UTF-8. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** An open file. `await using` closes it. */
export interface ClientFile extends Promised<RemoteFile>, AsyncDisposable {
  /** Closes the file; may be called twice. */
  readonly close: (how?: CallOptions) => Promise<void>
}

/** A watch for missing files. */
export interface ClientWatch extends Pick<Watch, "watching">, Promised<Pick<Watch, "changed">> {}

/**
 * The files of the server's host. Paths are native (absolute, or relative to the server's directory) or `file:` URIs.
 */
export interface ClientFiles extends ByArity<RemoteFiles, typeof calls> {
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
  ...promised(files, calls, {}),
  watchMissing: async (missing, options, how) => {
    const watch = await promise(files.watchMissing(missing, options), how)
    return boundary(promised(watch, { changed: 0 }, { watching: watch.watching }))
  },
  write: (path, pieces, how) => promise(files.write(path, streamOf(toAsync(pieces))), how),
  open: (path, mode, how) => open(files, path, mode, how),
})

const open = async (
  files: RemoteFiles,
  path: string,
  mode: OpenMode | undefined,
  how: CallOptions | undefined,
): Promise<ClientFile> => {
  const [file, end] = await promise(scoped(files.open(path, mode)), how)
  const close = (how?: CallOptions) => ending(end, how)
  return boundary(promised(file, { read: 2, write: 2 }, { close, [Symbol.asyncDispose]: () => close() }))
}

/** The pieces as a stream, which ends the generator. */
const streamOf = <A>(pieces: AsyncGenerator<A, void, void>): Stream.Stream<A, unknown> =>
  Stream.unwrap(
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
