/** The handle of whichever child of a process there is. */
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import type { ChildHandle, SignalName, TerminalSize } from "../../spawn/Spawner.ts"

/** The children of one process, as far as its handle needs them. */
export interface Children {
  /** The child; undefined between two. */
  readonly life: { readonly child: ChildHandle } | undefined
  /** Open while there is a child, and when none follows. */
  readonly up: Latch.Latch
  /** What the next child is told, as the ones before were. */
  readonly kept: Kept
  /** True if no other child follows. */
  readonly isFinal: boolean
  /** True if another child is expected to follow the one that there is. */
  readonly mayFollow: boolean
  readonly note: (name: SignalName) => void
  /** No other child follows. */
  readonly stop: () => void
}

/** What holds for every child of a process from now on. */
export interface Kept {
  /** Whether its output is not read now. */
  paused: boolean
  /** How often that began. */
  pauses: number
  /** Its stdin has ended. */
  stdinEnded: boolean
  /** The size of its terminal, if that was set. */
  size: TerminalSize | undefined
}

/** What a process calls; `first` says what its children can do. */
export const restarted = (all: Children, first: ChildHandle): ChildHandle => {
  const { kept } = all
  /** Does it with the child, if there is one. */
  const now = <A, E>(use: (child: ChildHandle) => Effect.Effect<A, E>, otherwise: A): Effect.Effect<A, E> =>
    Effect.suspend(() => (all.life === undefined ? Effect.succeed(otherwise) : use(all.life.child)))

  const write: ChildHandle["write"] = (bytes, writeId) =>
    Effect.suspend(() => {
      if (all.life === undefined && !all.isFinal) return Effect.andThen(all.up.await, write(bytes, writeId))
      const { child } = all.life ?? { child: first }
      // What a child did not read is lost with it; the next one gets what is written then.
      return Effect.catch(child.write(bytes, writeId), (error) =>
        all.mayFollow ? Effect.void : Effect.fail(error),
      )
    })

  return {
    get pid() {
      return all.life?.child.pid
    },
    write,
    endStdin: Effect.suspend(() => {
      kept.stdinEnded = true
      return now((child) => child.endStdin, undefined)
    }),
    signal: (name) =>
      Effect.suspend(() => {
        all.note(name)
        return now((child) => child.signal(name), undefined)
      }),
    kill: Effect.suspend(() => {
      all.stop()
      return now((child) => child.kill, undefined)
    }),
    abandonOutput: now((child) => child.abandonOutput, undefined),
    lingering: now((child) => child.lingering, false),
    ...(first.unread && { unread: now((child) => child.unread ?? Effect.succeed(false), false) }),
    outlived: now((child) => child.outlived ?? Effect.succeed(false), false),
    ...(first.resize === undefined
      ? {}
      : {
          resize: (size) => {
            kept.size = size
            return now((child) => child.resize?.(size) ?? Effect.void, undefined)
          },
        }),
    ...(first.pause === undefined || first.resume === undefined
      ? {}
      : {
          pause: () => {
            kept.paused = true
            kept.pauses += 1
            all.life?.child.pause?.()
          },
          resume: () => {
            kept.paused = false
            all.life?.child.resume?.()
          },
        }),
  }
}
