/** A process in the audit log: before it is spawned, when it runs, and when it is closed or its child is released. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AroundSpawn } from "../../process/Lifecycle.ts"
import type { Process } from "../../process/Process.ts"
import { SpawnError } from "../../spawn/SpawnError.ts"
import type { SpawnSpec } from "../../spawn/Spawner.ts"
import { toTime } from "./AuditLog.ts"
import type { Scribe } from "./AuditScribe.ts"

/** The wrap around the spawn of a process with this spec. */
export const around =
  (connection: Scribe, { argv, arg0, cwd, stdio, confinement }: SpawnSpec): AroundSpawn =>
  (process, spawn) =>
    Effect.gen(function* () {
      const { id: processId } = process
      const scribe = connection.inSession()
      const failed = (reason: string) => scribe.note({ event: "process.failed", processId, reason })
      const start = scribe.now()
      yield* scribe
        .admit({
          event: "process.start",
          processId,
          argv,
          arg0,
          cwd,
          tty: stdio.kind === "pty",
          confined: confinement !== undefined,
        })
        .pipe(
          Effect.tapError(() => Effect.sync(() => failed("Unaudited"))),
          Effect.mapError(({ message, cause }) => new SpawnError({ reason: "Unaudited", message, cause })),
        )
      // Added before the child's own finalizer, so it runs behind it: at a kill the exit is known by then.
      const exit = yield* Effect.acquireRelease(
        Effect.sync(() => exitOnce(scribe, process, start)),
        (exit) => Effect.sync(exit.end),
      )
      const child = yield* Effect.onError(spawn, (cause) =>
        Effect.sync(() => {
          exit.cancel()
          failed(
            Option.match(Cause.findErrorOption(cause), { onNone: () => "Interrupted", onSome: reasonOf }),
          )
        }),
      )
      const { pid } = child
      scribe.note({ event: "process.started", processId, pid })
      exit.begin(pid)
      return child
    })

const reasonOf = ({ reason }: SpawnError): string => reason

/** Says once that a process has ended. */
const exitOnce = (scribe: Scribe, process: Process, start: number) => {
  let pid: number | undefined
  let said = false
  const cancel = () => {
    said = true
    unsubscribe()
  }
  const end = () => {
    if (said) return
    cancel()
    const now = scribe.now()
    scribe.note({
      event: "process.exit",
      processId: process.id,
      pid,
      start: toTime(start),
      end: toTime(now),
      durationMs: now - start,
      bytes: process.written,
      exitCode: process.exited?.exitCode,
      signal: process.exited?.signal,
    })
  }
  const endIfClosed = () => {
    if (process.closed !== undefined) end()
  }
  let unsubscribe = () => {}
  return {
    cancel,
    end,
    /** The process runs. */
    begin: (started: number | undefined) => {
      pid = started
      unsubscribe = process.subscribe(endIfClosed)
      endIfClosed()
    },
  }
}
