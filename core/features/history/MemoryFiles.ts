/** Histories in memory, for tests and simulations: a disk with a size, which can be taken away from its writer. */
import * as Effect from "effect/Effect"
import { type Folder, HistoryError, type HistoryFilesService, portableIndexOf } from "./HistoryFiles.ts"

export interface MemoryFiles extends HistoryFilesService {
  /** The folders that are there, by their names, and the files in each. */
  readonly folders: ReadonlyMap<string, Map<string, Uint8Array>>
  /** The folder of that name, as one that was left behind. */
  readonly left: (name: string) => Folder
  /** Bytes in all files. */
  readonly size: () => number
}

/** The behaviour of a disk. */
export interface Options {
  /** Bytes that fit on it. Default: any number. */
  readonly capacity?: () => number
  /** Stands before each write, as a slow disk does. Default: a turn of the other fibers. */
  readonly beforeWrite?: Effect.Effect<void>
}

/** Writes bytes into a file. Open readers no longer see the bytes that are written over. */
const put = (before: Uint8Array, at: number, bytes: Uint8Array): Uint8Array => {
  const isLonger = at + bytes.length > before.length
  const after = isLonger ? new Uint8Array(at + bytes.length) : before
  if (isLonger) after.set(before)
  after.set(bytes, at)
  return after
}

const gone = new HistoryError({ reason: "Gone", message: "no such file" })

export const make = ({
  capacity = () => Infinity,
  beforeWrite = Effect.yieldNow,
}: Options = {}): MemoryFiles => {
  const folders = new Map<string, Map<string, Uint8Array>>()
  const size = () =>
    [...folders.values()].flatMap((files) => [...files.values()]).reduce((sum, { length }) => sum + length, 0)
  let names = 0

  const folder = (name: string): Folder => {
    const files = () => folders.get(name)
    const find = (file: string) =>
      Effect.suspend(() => {
        const bytes = files()?.get(file)
        return bytes === undefined ? Effect.fail(gone) : Effect.succeed(bytes)
      })
    const written = (file: string, at = 0) => ({
      append: (bytes: Uint8Array) =>
        Effect.gen(function* () {
          yield* beforeWrite
          const before = yield* find(file)
          const room = Math.max(0, Math.min(bytes.length, capacity() - size() + before.length - at))
          files()?.set(file, put(before, at, bytes.subarray(0, room)))
          at += room
          if (room < bytes.length)
            return yield* new HistoryError({ reason: "Full", message: "no space left on device" })
        }),
      truncate: (size: number) =>
        Effect.map(find(file), (bytes) => {
          at = Math.min(at, size)
          files()?.set(file, bytes.slice(0, size))
        }),
      close: Effect.void,
    })
    return {
      name,
      create: (file) =>
        Effect.suspend(() => {
          if (files() === undefined) return Effect.fail(gone)
          files()?.set(file, new Uint8Array(0))
          return Effect.succeed(written(file))
        }),
      reuse: (file, as) =>
        Effect.map(find(file), (bytes) => {
          files()?.delete(file)
          files()?.set(as, bytes)
          return written(as)
        }),
      reopen: (file) => Effect.as(find(file), written(file)),
      // A file that is open can be read after its removal.
      open: (file) =>
        Effect.map(find(file), (opened) => ({
          read: (position, into) =>
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => {
                const part = (files()?.get(file) ?? opened).subarray(position, position + into.length)
                into.set(part)
                return part.length
              }),
            ),
        })),
      list: Effect.sync(() => [...(files() ?? [])].map(([name, { length }]) => ({ name, size: length }))),
      remove: (file) => Effect.sync(() => void files()?.delete(file)),
    }
  }

  const acquire = Effect.sync(() => {
    const name = `history-${(names += 1)}`
    folders.set(name, new Map())
    return folder(name)
  })
  let isLeft = false
  const release = ({ name }: Folder) => Effect.sync(() => void (isLeft || folders.delete(name)))
  return {
    available: true,
    make: Effect.acquireRelease(acquire, release),
    adopt: (name) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          isLeft = false
          return folders.has(name) ? Effect.succeed(folder(name)) : Effect.fail(gone)
        }),
        release,
      ),
    leave: Effect.sync(() => void (isLeft = true)),
    indexOf: portableIndexOf,
    folders,
    left: folder,
    size,
  }
}
