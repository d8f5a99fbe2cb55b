/**
 * File calls in the audit log. A call that changes something has a line before it and one after it; one that only looks
 * has the second. An open file has its bytes on a line of their own, when it is closed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Block, FileCalls } from "../../files/FileCalls.ts"
import { FileError } from "../../files/FileError.ts"
import type { SandboxedFiles } from "../../features/fs/SandboxedFiles.ts"
import type { Said, Scribe } from "./AuditScribe.ts"

/** The same calls, audited. */
export const make = (files: SandboxedFiles, scribe: Scribe): SandboxedFiles => ({
  calls: (sandbox) => Effect.map(files.calls(sandbox), (calls) => audited(calls, scribe)),
})

interface About {
  readonly method: string
  readonly path: string
  readonly destination?: string
  readonly mode?: number
  readonly target?: string
}

type Bytes<A> = (result: A) => number | undefined

/** One operation in the log: `before` is its line before it begins, `after` the one behind it. */
const operation = (scribe: Scribe, about: About) => {
  const said = { event: "file", operation: scribe.nextOperation(), ...about } as const
  const before = Effect.mapError(
    scribe.admit({ ...said, outcome: "begun" } satisfies Said),
    ({ message, cause }) => new FileError({ reason: "Unaudited", message, cause }),
  )
  const after = (exit: Exit.Exit<unknown, FileError>, bytes?: number) => {
    if (Exit.isSuccess(exit)) return scribe.note({ ...said, outcome: "done", bytes })
    const failure = Cause.findErrorOption(exit.cause)
    const reason = Option.match(failure, { onNone: () => "Interrupted", onSome: ({ reason }) => reason })
    scribe.note({ ...said, outcome: "failed", reason })
  }
  return { before, after }
}

const audited = (calls: FileCalls, scribe: Scribe): FileCalls => {
  const look = <A, R>(
    about: About,
    call: Effect.Effect<A, FileError, R>,
    bytes: Bytes<A> = () => undefined,
  ) =>
    Effect.suspend(() => {
      const { after } = operation(scribe, about)
      return Effect.onExit(call, (exit) =>
        Effect.sync(() => after(exit, Exit.isSuccess(exit) ? bytes(exit.value) : undefined)),
      )
    })
  const change = <A, R>(about: About, call: Effect.Effect<A, FileError, R>, bytes?: number) =>
    Effect.suspend(() => {
      const { before, after } = operation(scribe, about)
      return Effect.andThen(
        before,
        Effect.onExit(call, (exit) => Effect.sync(() => after(exit, bytes))),
      )
    })

  return {
    readFile: (path, follow) =>
      look({ method: "fs/readFile", path }, calls.readFile(path, follow), ({ length }) => length),
    writeFile: (path, bytes, follow) =>
      change({ method: "fs/writeFile", path }, calls.writeFile(path, bytes, follow), bytes.length),
    createDirectory: (path, recursive, follow) =>
      change({ method: "fs/createDirectory", path }, calls.createDirectory(path, recursive, follow)),
    getMetadata: (path, follow) => look({ method: "fs/getMetadata", path }, calls.getMetadata(path, follow)),
    canonicalize: (path) => look({ method: "fs/canonicalize", path }, calls.canonicalize(path)),
    readDirectory: (path) => look({ method: "fs/readDirectory", path }, calls.readDirectory(path)),
    walk: (path, options) => look({ method: "fs/walk", path }, calls.walk(path, options)),
    remove: (path, options) => change({ method: "fs/remove", path }, calls.remove(path, options)),
    copy: (path, destination, recursive) =>
      change({ method: "fs/copy", path, destination }, calls.copy(path, destination, recursive)),
    rename: (path, destination, options) =>
      change({ method: "fs/rename", path, destination }, calls.rename(path, destination, options)),
    setMode: (path, mode, follow) =>
      change({ method: "fs/setMode", path, mode }, calls.setMode(path, mode, follow)),
    createSymlink: (target, path, follow) =>
      change({ method: "fs/createSymlink", path, target }, calls.createSymlink(target, path, follow)),
    open: (path, mode) => {
      const about = { method: "fs/open", path }
      const opened =
        mode === "read" ? look(about, calls.open(path, mode)) : change(about, calls.open(path, mode))
      return Effect.flatMap(opened, (block) => counted(block, path, scribe))
    },
  }
}

/** Counts the bytes of an open file and says how many they were when it is closed. */
const counted = (block: Block, path: string, scribe: Scribe) =>
  Effect.gen(function* () {
    const { after } = operation(scribe, { method: "fs/close", path })
    let bytes = 0
    yield* Effect.addFinalizer(() => Effect.sync(() => after(Exit.void, bytes)))
    const count = (length: number) =>
      Effect.sync(() => {
        bytes += length
      })
    const counting: Block = {
      read: (offset, length) => Effect.tap(block.read(offset, length), (read) => count(read.length)),
      write: (offset, written) => Effect.tap(block.write(offset, written), count(written.length)),
    }
    return counting
  })
