/// <reference lib="esnext.disposable" />
/** The files of a client for programs without Effect: promises and async iterables over `RemoteFiles`. */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OpenMode } from "../protocol/FileSystem.ts"
import { promise, scoped } from "./Promises.ts"
import type { RemoteFile } from "./FileBlocks.ts"
import type { RemoteFiles } from "./RemoteFiles.ts"

/** Functions that give promises where the others give effects. */
type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer P) => Effect.Effect<infer A, infer _E>
    ? (...args: P) => Promise<A>
    : never
}

/** Pieces of content, however they come. */
export type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** An open file. `close` closes it, and so does `await using`. */
export interface ClientFile extends Promised<RemoteFile>, AsyncDisposable {
  readonly close: () => Promise<void>
}

/** A watch that has begun. */
export interface ClientWatch {
  readonly watching: boolean
  /** Resolves to true once it has come true, to false where it cannot, or another one took its place. */
  changed(): Promise<boolean>
}

export interface ClientFiles extends Promised<
  Omit<RemoteFiles, "readStream" | "write" | "open" | "watchMissing">
> {
  /** The content in blocks of up to 1 MiB. The loop may be left at any time. */
  readonly readStream: (path: string) => AsyncIterable<Uint8Array>
  /** Creates a file or replaces its content, block by block, as the pieces come. */
  readonly write: (path: string, pieces: Pieces) => Promise<void>
  readonly open: (path: string, mode?: OpenMode) => Promise<ClientFile>
  /** See `RemoteFiles.watchMissing`. */
  readonly watchMissing: (...args: Parameters<RemoteFiles["watchMissing"]>) => Promise<ClientWatch>
}

export const make = (files: RemoteFiles): ClientFiles => ({
  readFile: (...args) => promise(files.readFile(...args)),
  readTextFile: (...args) => promise(files.readTextFile(...args)),
  writeFile: (...args) => promise(files.writeFile(...args)),
  stat: (...args) => promise(files.stat(...args)),
  createDirectory: (...args) => promise(files.createDirectory(...args)),
  readDirectory: (...args) => promise(files.readDirectory(...args)),
  walk: (...args) => promise(files.walk(...args)),
  canonicalize: (...args) => promise(files.canonicalize(...args)),
  remove: (...args) => promise(files.remove(...args)),
  copy: (...args) => promise(files.copy(...args)),
  watchMissing: async (...args) => {
    const { watching, changed } = await promise(files.watchMissing(...args))
    return { watching, changed: () => promise(changed) }
  },
  readStream: (path) => readStream(files, path),
  write: (path, pieces) =>
    promise(
      files.write(
        path,
        Stream.fromAsyncIterable(toAsync(pieces), (error) => error),
      ),
    ),
  open: (path, mode) => open(files, path, mode),
})

const open = async (files: RemoteFiles, path: string, mode?: OpenMode): Promise<ClientFile> => {
  const [file, close] = await scoped(files.open(path, mode))
  return {
    read: (...args) => promise(file.read(...args)),
    write: (...args) => promise(file.write(...args)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function* readStream(files: RemoteFiles, path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(files, path)
  try {
    for (let offset = 0; ;) {
      const { chunk, eof } = await file.read(offset)
      if (chunk.length > 0) yield chunk
      if (eof) return
      offset += chunk.length
    }
  } finally {
    await file.close()
  }
}

async function* toAsync(pieces: Pieces): AsyncGenerator<string | Uint8Array, void, void> {
  yield* pieces
}
