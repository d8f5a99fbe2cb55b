/**
 * An audit log in a file, a line of JSON for each event.
 *
 * The file is opened once, to append; one that is created can be read and written by its owner only. It is not opened
 * again: to rotate it, copy and truncate it (`copytruncate` of logrotate). A pipe is refused, because it cannot tell
 * a reader that is slow from a disk that is broken; stderr may be one.
 */
import * as fs from "node:fs"
import process from "node:process"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { Event } from "../../../core/server/audit/AuditEvent.ts"
import { AuditError, type AuditLog, toTime } from "../../../core/server/audit/AuditLog.ts"
import * as OsError from "../host/OsError.ts"
import * as LineFile from "./LineFile.ts"

export interface Options {
  /** A file or a device; `-` is stderr. */
  readonly path: string
  /** Events that cannot be written are counted, and the request goes on. */
  readonly bestEffort: boolean
  /** Written in the first line. */
  readonly version: string
  /** So many events are lost. */
  readonly lost: (events: number) => void
}

/** The file cannot be opened. */
export class OpenError extends Data.TaggedError("OpenError")<{
  readonly message: string
}> {}

/** Opens the log until the scope closes. A file that opens and cannot be written is no failure here. */
export const make = (options: Options): Effect.Effect<AuditLog, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    const { path, bestEffort, version } = options
    const descriptor = yield* open(path)
    const clock = yield* Clock.Clock
    const now = () => toTime(clock.currentTimeMillisUnsafe())
    const named = path === "-" ? "the audit log on stderr" : `the audit log ${path}`
    const effect = bestEffort ? "events will be missing from it" : "nothing is started until it can be"
    let lost = 0
    yield* Effect.addFinalizer(() =>
      lost === 0 ? Effect.void : Effect.logError(`${named} lacks ${lost} events that could not be written`),
    )
    const file: LineFile.LineFile = yield* LineFile.make(descriptor, {
      failed: (error) => Effect.logError(`${named} cannot be written: ${reasonOf(error)}; ${effect}`),
      recovered: Effect.suspend(() => {
        const lines = lost
        lost = 0
        if (lines > 0) note({ event: "audit.lost", time: now(), lines })
        return Effect.logWarning(`${named} can be written again; ${lines} events are missing from it`)
      }),
      lost: (lines) => {
        lost += lines
        options.lost(lines)
      },
    })
    const note = (event: Event) => file.append(JSON.stringify(event))
    note({ event: "server.start", time: now(), version, pid: process.pid })
    return {
      note,
      admit: (event) => {
        const committed = file.commit(JSON.stringify(event))
        if (!bestEffort) return Effect.mapError(committed, toAuditError)
        const noted = Effect.sync(() => note(event))
        return Effect.suspend(() => (file.failing() ? noted : Effect.catch(committed, () => noted)))
      },
    }
  })

const toAuditError = (error: LineFile.LineError) =>
  new AuditError({
    reason: error.reason,
    message:
      `the audit log of this server cannot be written: ${reasonOf(error)}; until it can be, the server starts ` +
      "nothing, changes no file and sends no HTTP request (unless it runs with --audit-best-effort)",
    cause: error.cause,
  })

const reasonOf = ({ reason, cause }: LineFile.LineError): string =>
  reason === "Timeout"
    ? `it took longer than ${LineFile.deadlineMillis} ms`
    : OsError.fromUnknown(cause).message

const stderr = 2

const open = (path: string): Effect.Effect<LineFile.Descriptor, OpenError, Scope.Scope> =>
  Effect.gen(function* () {
    if (path === "-") return { write: write(stderr), sync: Effect.void, torn: false }
    const fd = yield* Effect.acquireRelease(
      Effect.try({
        try: () => openFile(path),
        catch: (error) =>
          new OpenError({ message: `cannot open --audit ${path}: ${OsError.fromUnknown(error).message}` }),
      }),
      (fd) => Effect.sync(() => fs.closeSync(fd)),
    )
    const isFile = fs.fstatSync(fd).isFile()
    return { write: write(fd), sync: isFile ? sync(fd) : Effect.void, torn: isFile && endsWithin(fd) }
  })

const openFile = (path: string): number => {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  // Opening a pipe would wait for its reader.
  if (found?.isFIFO() === true) throw new Error("it is a pipe; give a file, or - for stderr")
  return fs.openSync(path, found === undefined || found.isFile() ? "a+" : "a", 0o600)
}

/** True if a file ends without a newline, as after a server that was killed while it wrote. */
const endsWithin = (fd: number): boolean => {
  const { size } = fs.fstatSync(fd)
  const last = Buffer.alloc(1)
  return size > 0 && fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
}

/** Pause before the next try where a non-blocking pipe is full. */
const retryPause = "10 millis"

const write =
  (fd: number) =>
  (bytes: Uint8Array): Effect.Effect<number, unknown> =>
    Effect.callback<number, NodeJS.ErrnoException>((resume) => {
      fs.write(fd, bytes, (error, written) =>
        resume(error === null ? Effect.succeed(written) : Effect.fail(error)),
      )
    }).pipe(Effect.retry({ while: ({ code }) => code === "EAGAIN", schedule: Schedule.spaced(retryPause) }))

const sync = (fd: number): Effect.Effect<void, unknown> =>
  Effect.callback((resume) => {
    fs.fdatasync(fd, (error) => resume(error === null ? Effect.void : Effect.fail(error)))
  })
