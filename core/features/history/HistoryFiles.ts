/**
 * The storage of histories of output, as a service: files of the host, which adapters bring, or memory in tests.
 * Without one there are no histories.
 *
 * A process has a folder of its own, without other readers, which is removed with its scope. Files in it are written
 * from begin to end. Bytes from before the death of a server stay, in the order of the writes; the end of what it was
 * writing may be torn.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** A file of a history that could not be written or read. */
export class HistoryError extends Data.TaggedError("HistoryError")<{
  /** `Full`: there is no room. `Gone`: it was removed meanwhile. `Failed`: anything else. */
  readonly reason: "Full" | "Gone" | "Failed"
  /** The message of the host. */
  readonly message: string
}> {}

/** The end of a history whose process had more output. */
export interface Ended {
  /** That of the failure. */
  readonly reason: HistoryError["reason"]
  /** The message of the host. */
  readonly message: string
  /** Its end, in bytes of the output. */
  readonly byte: number
}

/** Output that a history does not have, since its disk was full. */
export interface Lost {
  /** Bytes of output. */
  readonly bytes: number
  /** The message of the host. */
  readonly message: string
}

/** A file that is written. Operations on it come one after the other. */
export interface WrittenFile {
  /** Writes all of the bytes behind those before, which must not change until then; a failure may have written some. */
  readonly append: (bytes: Uint8Array) => Effect.Effect<void, HistoryError>
  /** Cuts off what is behind so many bytes; what is appended next follows there. */
  readonly truncate: (size: number) => Effect.Effect<void, HistoryError>
  /** Nothing more is written. Idempotent. */
  readonly close: Effect.Effect<void>
}

/** A file that is read. */
export interface ReadFile {
  /** Fills `into` with the bytes from `position` on; returns how many there are. */
  readonly read: (position: number, into: Uint8Array) => Effect.Effect<number, HistoryError>
}

/** The files of one history. */
export interface Folder {
  /** The name of the folder on its host. */
  readonly name: string
  /** Creates an empty file; there must be none of that name. */
  readonly create: (name: string) => Effect.Effect<WrittenFile, HistoryError>
  /** Gives a file another name, of which there must be none, and opens it to be written from its begin. */
  readonly reuse: (name: string, as: string) => Effect.Effect<WrittenFile, HistoryError>
  /** Opens a file for cutting it. */
  readonly reopen: (name: string) => Effect.Effect<WrittenFile, HistoryError>
  /** Opens a file; it stays readable to the end of the scope, also if it is removed. */
  readonly open: (name: string) => Effect.Effect<ReadFile, HistoryError, Scope.Scope>
  /** The files, in any order. */
  readonly list: Effect.Effect<ReadonlyArray<{ readonly name: string; readonly size: number }>, HistoryError>
  /** Removes a file, if it is there. */
  readonly remove: (name: string) => Effect.Effect<void>
  /**
   * Keeps the facts of the process beside its output, in the place of earlier ones, for a finder of the folder of a
   * server that has died. Facts that cannot be written are not there. Absent if such a folder is never found.
   */
  readonly note?: (facts: object) => Effect.Effect<void>
}

/** The service. */
export interface HistoryFilesService {
  /** False if nothing can be kept here. */
  readonly available: boolean
  /** Makes a folder, which is removed with the scope. */
  readonly make: Effect.Effect<Folder, HistoryError, Scope.Scope>
  /** Takes over the folder of a server that has ended, by its name; it is removed with the scope. */
  readonly adopt?: (name: string) => Effect.Effect<Folder, HistoryError, Scope.Scope>
  /** The server ends and leaves its folders to the next one: no scope removes one from now on. */
  readonly leave?: Effect.Effect<void>
  /** The index of `needle` in `bytes`, at `from` or behind; -1 if there is none. */
  readonly indexOf: (bytes: Uint8Array, needle: Uint8Array, from: number) => number
}

/** Looks for the first byte of `needle`, and compares there. */
export const portableIndexOf: HistoryFilesService["indexOf"] = (bytes, needle, from) => {
  const first = needle[0] ?? 0
  const last = bytes.length - needle.length
  for (let at = bytes.indexOf(first, from); at !== -1 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let same = 1
    while (same < needle.length && bytes[at + same] === needle[same]) same += 1
    if (same === needle.length) return at
  }
  return -1
}

/** Nothing is kept. */
export const none: HistoryFilesService = {
  available: false,
  make: Effect.fail(new HistoryError({ reason: "Failed", message: "this server keeps no histories" })),
  indexOf: portableIndexOf,
}

/** The service; the default is `none`. */
export const HistoryFiles = Context.Reference("procwire/HistoryFiles", {
  defaultValue: (): HistoryFilesService => none,
})
