/**
 * Histories in files of this host, over `node:fs`, for Node, Bun and Deno.
 *
 * A server has a folder of its own in the folder that it is given, or in the one for temporary files: it is made with
 * the first history, and removed with the server. Folders have the mode 0700, files 0600. Nothing is synced: what was
 * appended survives the death of the server, not that of the machine.
 */
import * as fs from "node:fs"
import * as promises from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import {
  type Folder,
  HistoryError,
  HistoryFiles,
  type HistoryFilesService,
  type WrittenFile,
} from "../../../core/features/history/HistoryFiles.ts"
import * as HistoryFolders from "./HistoryFolders.ts"
import * as OsError from "./OsError.ts"

/**
 * The service; `root` is the folder that is given, and must be a path; `keep` is the state folder of the holder, if the
 * server has one.
 */
export const layer = (root?: string, keep?: string): Layer.Layer<never> =>
  Layer.effect(HistoryFiles, make(root, keep))

/** The service, whose folder is removed with the scope. */
export const make = (root?: string, keep?: string): Effect.Effect<HistoryFilesService, never, Scope.Scope> =>
  Effect.gen(function* () {
    let own: Promise<string> | undefined
    let isLeft = false
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => own !== undefined && !isLeft && HistoryFolders.remove(await own)),
    )
    const make = () => {
      // A folder that could not be made may be possible later.
      const made = (own ??= HistoryFolders.make(root, keep))
      return made.then(
        (folder) => promises.mkdtemp(join(folder, HistoryFolders.ofProcess)),
        (error: unknown) => {
          own = undefined
          throw error
        },
      )
    }
    const held = (folder: () => Promise<string>) =>
      Effect.acquireRelease(
        Effect.map(Effect.tryPromise({ try: folder, catch: toError }), toFolder),
        ({ name }) => Effect.promise(async () => isLeft || HistoryFolders.remove(name)),
      )
    return {
      available: true,
      make: held(make),
      adopt: (left) =>
        held(async () => {
          if (!HistoryFolders.isLeft(left))
            throw new Error(`${left} is not the history of a server that has ended`)
          const name = await make()
          await promises.rename(left, name)
          return name
        }),
      leave: Effect.promise(async () => {
        isLeft = true
        if (own !== undefined) await HistoryFolders.leave(await own)
      }),
      indexOf: (bytes, needle, from) =>
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(needle, from),
    }
  })

/** The file with the facts of the process: a row of `process/list` without its session, as JSON. */
export const factsName = "process.json"

/** A folder that is there: of a process that runs, or that a server has left behind. */
export const toFolder = (name: string): Folder => {
  const path = (file: string) => join(name, file)
  let noted = Promise.resolve()
  return {
    name,
    create: (file) => Effect.map(opened(path(file), "wx"), toWritten),
    reuse: (file, as) =>
      Effect.andThen(
        calling((done) => fs.rename(path(file), path(as), done)),
        Effect.map(opened(path(as), "r+"), toWritten),
      ),
    reopen: (file) => Effect.map(opened(path(file), "r+"), toWritten),
    open: (file) =>
      Effect.map(
        Effect.acquireRelease(opened(path(file), "r"), (fd) => closed(fd)),
        (fd) => ({ read: (position, into) => filled(fd, position, into) }),
      ),
    list: Effect.tryPromise({
      try: async () => {
        const names = await promises.readdir(name)
        return Promise.all(
          names.map(async (each) => ({ name: each, size: (await promises.stat(path(each))).size })),
        )
      },
      catch: toError,
    }),
    remove: (file) => Effect.promise(() => promises.rm(path(file), { force: true }).catch(() => undefined)),
    note: (facts) =>
      Effect.promise(
        () => (noted = noted.then(() => replace(path(factsName), `${JSON.stringify(facts)}\n`))),
      ),
  }
}

/** An unwritable path counts as absent. */
const replace = async (path: string, text: string): Promise<void> => {
  try {
    await promises.writeFile(`${path}.new`, text, { mode: 0o600 })
    await promises.rename(`${path}.new`, path)
  } catch {
    // Not reported, like a history without room.
  }
}

/** Rejects if there can be no histories in that folder, which it makes. */
export const probe = async (root: string): Promise<void> =>
  HistoryFolders.remove(await HistoryFolders.make(root))

const toWritten = (fd: number): WrittenFile => {
  let isOpen = true
  // The offset of the descriptor stays behind the cut.
  let at = 0
  return {
    append: (bytes) =>
      Effect.uninterruptible(
        Effect.map(written(fd, bytes, at), () => {
          at += bytes.length
        }),
      ),
    truncate: (size) =>
      Effect.map(
        calling((done) => fs.ftruncate(fd, size, done)),
        () => {
          at = Math.min(at, size)
        },
      ),
    close: Effect.suspend(() => {
      if (!isOpen) return Effect.void
      isOpen = false
      return closed(fd)
    }),
  }
}

/** A write may take less than all, as the last one before the disk is full does. */
const written = (fd: number, bytes: Uint8Array, at: number): Effect.Effect<void, HistoryError> =>
  bytes.length === 0
    ? Effect.void
    : Effect.flatMap(
        calling<number>((done) => fs.write(fd, bytes, 0, bytes.length, at, done)),
        (count) => written(fd, bytes.subarray(count), at + count),
      )

const filled = (
  fd: number,
  position: number,
  into: Uint8Array,
  have = 0,
): Effect.Effect<number, HistoryError> =>
  Effect.flatMap(
    calling<number>((done) => fs.read(fd, into, have, into.length - have, position + have, done)),
    (count) =>
      count === 0 || have + count === into.length
        ? Effect.succeed(have + count)
        : filled(fd, position, into, have + count),
  )

const opened = (path: string, flags: string): Effect.Effect<number, HistoryError> =>
  calling<number>((done) => fs.open(path, flags, 0o600, done))

const closed = (fd: number): Effect.Effect<void> => Effect.ignore(calling((done) => fs.close(fd, done)))

/** Goes on until the call is done: a file must not be closed under it. */
const calling = <A = void>(
  call: (done: (error: unknown, value?: A) => void) => void,
): Effect.Effect<A, HistoryError> =>
  Effect.uninterruptible(
    Effect.callback<A, HistoryError>((resume) =>
      call((error, value) =>
        resume(error == null ? Effect.succeed(value as A) : Effect.fail(toError(error))),
      ),
    ),
  )

const toError = (error: unknown): HistoryError => {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = OsError.isFull(error) ? "Full" : code === "ENOENT" ? "Gone" : "Failed"
  return new HistoryError({ reason, message: String(message) })
}
