/**
 * A start before its spawn: its places are taken, its id is reserved, and what it asks for is made. All of it is one
 * synchronous step.
 */
import type * as Clock from "effect/Clock"
import type * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type { Buffer } from "../protocol/Buffers.ts"
import type { LimitError } from "../protocol/Limits.ts"
import type { SpawnSpec } from "../spawn/Spawner.ts"
import { type Capacity, maxChunkBytes, mostPinned } from "./Chunk.ts"
import type * as Lifecycle from "./Lifecycle.ts"
import type { Facts, Names } from "./Listed.ts"
import type { Options, Shared } from "./Options.ts"
import * as OutputLog from "./OutputLog.ts"
import { type Adopted, Process } from "./Process.ts"
import { ProcessError } from "./ProcessError.ts"
import type { Entry, ProcessTable } from "./ProcessTable.ts"
import type { Places, StartGate } from "./StartGate.ts"
import { pauseAbove } from "./Throttle.ts"

/** The wishes of a start beyond its spec. */
export interface Asked extends Names {
  /** Lowers how much output is retained, down to one chunk; it never raises it. */
  readonly retainedBytes?: number | undefined
  /** Stands around the spawn, behind every check. */
  readonly around?: Lifecycle.AroundSpawn | undefined
  /** The part of features in it; by default there is none. */
  readonly extend?: Lifecycle.Extend | undefined
  /** True: it stays until it is removed. */
  readonly keep?: boolean | undefined
  /** True: it is forgotten as soon as it is closed, also one that is kept. */
  readonly autoRemove?: boolean | undefined
  /** Its facts as lists show them; by default all. */
  readonly shown?: (<F extends Omit<Facts, "startedAtMs">>(facts: F, spec: SpawnSpec) => F) | undefined
  /** Facts of a child that another server has started; absent for one that is to be started. */
  readonly adopted?: Adopted | undefined
}

/** The processes of one session that are kept until they are removed: the session does not expire before. */
export class Kept {
  private readonly gate: StartGate
  private count = 0
  private readonly none = Latch.makeUnsafe(true)

  constructor(gate: StartGate) {
    this.gate = gate
  }

  /** Takes a place for one more. The returned function gives it back, once. */
  take(): Result.Result<() => void, LimitError> {
    return Result.map(this.gate.keep(), (leave) => {
      this.count += 1
      this.none.closeUnsafe()
      return () => {
        leave()
        this.count -= 1
        if (this.count === 0) this.none.openUnsafe()
      }
    })
  }

  /** Completes when nothing is kept. */
  get whenNone(): Effect.Effect<void> {
    return this.none.await
  }
}

/** A start that is about to spawn. */
export interface Reserved {
  /** Its place in the table. */
  readonly entry: Entry
  /** Gives back its place among the processes that run. */
  readonly leave: () => void
  /** The wishes around its life. */
  readonly asked: Lifecycle.Asked
}

/** The services that starts of one session use. */
export interface Services {
  readonly table: ProcessTable
  readonly places: Places
  readonly kept: Kept
  readonly clock: Clock.Clock
  readonly shared: Shared
  readonly options: Options
}

/** Reserves the id of a start. */
export const reserve = (
  { table, places, kept, clock, shared, options }: Services,
  id: string,
  spec: SpawnSpec,
  asked: Asked,
): Result.Result<Reserved, ProcessError | LimitError> => {
  if (table.get(id) !== undefined)
    return Result.fail(new ProcessError({ reason: "AlreadyExists", processId: id }))
  const now = clock.currentTimeMillisUnsafe()
  const { adopted } = asked
  const { startedAtMs = now } = adopted ?? {}
  const keep = asked.keep === true ? kept.take() : undefined
  if (keep !== undefined && Result.isFailure(keep)) return Result.fail(keep.failure)
  const place = places.take(now)
  if (Result.isFailure(place)) {
    keep?.success()
    return Result.fail(place.failure)
  }
  const [capacity, leave] = [capacityOf(options.limits, asked), place.success]
  const process = new Process(id, spec, capacity, shared, leave)
  process.adopted = adopted
  process.endedAtMs = adopted?.endedAtMs
  const { argv, cwd } = spec
  const { around, autoRemove, extend, name, labels, shown = same } = asked
  const { made } = shared.buffers
  if (made !== undefined) buffersOf(process, capacity).forEach(made)
  const facts = shown({ argv, cwd, name, labels, startedAtMs }, spec)
  const entry = table.reserve(process, facts, keep !== undefined)
  if (keep !== undefined) process.whenForgotten(keep.success)
  return Result.succeed({ entry, leave, asked: { around, extend, autoRemove } })
}

const same = <F>(facts: F): F => facts

/** The capacity of a log: what its start asks for, one chunk at least, within the limits. */
const capacityOf = (
  { retainedBytes: most, retainedChunks: chunks }: Options["limits"],
  { retainedBytes = most }: { readonly retainedBytes?: number | undefined },
): OutputLog.Capacity => ({ bytes: Math.min(most, Math.max(retainedBytes, OutputLog.maxChunkBytes)), chunks })

/**
 * The buffers of a process. Its log has its capacity, or what a reader has yet to get, and a chunk more. That is again
 * its capacity, of which a reader may begin with all, and what comes before a pause takes effect; but without a bound
 * of its own while the child cannot be paused, or is to end.
 */
const buffersOf = (process: Process, capacity: Capacity): ReadonlyArray<Buffer> => {
  const { id, log } = process
  const size = (held: () => number) => () => (log.left() ? undefined : held())
  return [
    {
      name: `output log of ${id}, in bytes`,
      size: size(() => log.size().bytes),
      bound: () => Math.max(capacity.bytes, log.unread()) + maxChunkBytes,
    },
    {
      name: `output log of ${id}, in chunks`,
      size: size(() => log.size().chunks),
      bound: () => (log.unread() > 0 ? mostPinned.chunks : capacity.chunks),
    },
    {
      name: `unread output of ${id}, in bytes`,
      size: size(() => log.unread()),
      bound: () =>
        process.child?.pause === undefined || process.terminated || !process.running
          ? mostPinned.bytes + maxChunkBytes
          : capacity.bytes + 2 * pauseAbove,
    },
  ]
}
