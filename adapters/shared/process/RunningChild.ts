/**
 * A started child, made of its parts: the handle that the core gets, and `close`, the only way to end it.
 *
 * `close` is synchronous and idempotent: it mutes the events, kills the group and whoever has left it, and releases
 * every descriptor. The child is reaped later, by whatever watches its exit.
 */
import * as Effect from "effect/Effect"
import type * as Spawner from "../../../core/spawn/Spawner.ts"
import type { ChildEvents } from "./ChildEvents.ts"
import type { Container } from "./contain/Containment.ts"
import type { ProcessGroup } from "./ProcessGroup.ts"
import type { StdinWriter } from "./StdinWriter.ts"

/** A stream that is being read. `destroy` closes it. */
export interface Output {
  readonly pause: () => void
  readonly resume: () => void
  readonly destroy: () => void
  /** True while bytes or EOF are there to be read. Absent: unknown. */
  readonly unread?: () => boolean
}

export interface Parts {
  readonly pid: number
  readonly events: ChildEvents
  readonly group: ProcessGroup
  readonly container: Container
  readonly stdin: StdinWriter
  readonly outputs: ReadonlyArray<Output>
  readonly endStdin: () => void
  readonly resize?: Spawner.ChildHandle["resize"]
}

export interface RunningChild {
  readonly handle: Spawner.ChildHandle
  readonly close: () => void
}

export const make = (parts: Parts): RunningChild => {
  const { container, events, group, outputs, stdin } = parts
  return {
    handle: {
      pid: parts.pid,
      write: (bytes) => Effect.suspend(() => stdin.write(bytes)),
      begin: stdin.write,
      endStdin: Effect.sync(parts.endStdin),
      signal: (name) => Effect.suspend(() => group.signal(name) ?? Effect.void),
      kill: Effect.sync(() => {
        group.signal("SIGKILL")
        container.kill()
      }),
      abandonOutput: Effect.sync(() => {
        for (const output of outputs) output.destroy()
        events.endAll()
      }),
      lingering: Effect.sync(group.lingering),
      ...(outputs.every((output) => output.unread === undefined)
        ? {}
        : { unread: Effect.sync(() => outputs.some((output) => output.unread?.() === true)) }),
      outlived: Effect.sync(container.populated),
      ...(parts.resize === undefined ? {} : { resize: parts.resize }),
      pause: () => {
        for (const output of outputs) output.pause()
      },
      resume: () => {
        for (const output of outputs) output.resume()
      },
    },
    close: () => {
      events.mute()
      group.close()
      container.close()
      stdin.destroy()
      for (const output of outputs) output.destroy()
    },
  }
}
