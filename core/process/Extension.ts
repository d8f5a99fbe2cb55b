/**
 * The hooks of features in one process. A process whose start asks for no feature has no extension: each place that
 * looks for one costs a check for undefined.
 */
import * as Effect from "effect/Effect"
import type { Event } from "../protocol/dialect/Dialect.ts"
import type { InternalError } from "../protocol/ParamsError.ts"
import type { ClosedFields, ReadFields, StartedFields } from "../protocol/Process.ts"
import type { RowFields } from "../protocol/List.ts"
import type { SpawnerService, SpawnEvents } from "../spawn/Spawner.ts"
import type { Chunk } from "./Chunk.ts"

/** Events beside output, exit and end. Each takes its seq from the log. */
export interface OwnEvents {
  /** The first one above a seq. */
  readonly after: (seq: number) => Event | undefined
  /** The number of those above one seq and below another. */
  readonly count: (after: number, before: number) => number
}

/** Output that is kept beside the log. */
export interface Kept {
  /** The name of the place where it is, for a later server; undefined if there is none. */
  readonly place: () => string | undefined
  /** The seq of the oldest chunk; Infinity without any. */
  readonly oldest: () => number
  /**
   * Whole chunks from the begin of a gap of the log on: of at most so many bytes, or one. With `within`, only the last
   * bytes in front of a seq count as kept.
   */
  readonly recall: (
    gap: Gap,
    maxBytes: number,
    within?: { readonly seq: number; readonly bytes: number },
  ) => Effect.Effect<Recalled, InternalError>
}

/** Seqs, both included, whose output the log has lost. */
export interface Gap {
  /** The first one. */
  readonly from: number
  /** The last one. */
  readonly to: number
}

/** Output that the log may have lost. */
export interface Recalled {
  /** The first seq from which nothing is missing; Infinity without any output. */
  readonly from: number
  /** The output from there on, which may lie behind the gap. */
  readonly chunks: ReadonlyArray<Chunk>
  /** True if more is kept behind it. */
  readonly hasMore: boolean
}

/** The part of a spawner that starts children, and opens the proxies of those that run. */
export type Spawning = Pick<SpawnerService, "spawn" | "reopen">

/** The hooks; an absent one does nothing. */
export interface Extension {
  /** Wraps the callbacks of the spawner. This is the byte path. */
  readonly events?: ((events: SpawnEvents) => SpawnEvents) | undefined
  /** The events that it adds to those of the process. */
  readonly own?: OwnEvents | undefined
  /** The output that it keeps, for reads of what the log has lost. */
  readonly kept?: Kept | undefined
  /** The fields that it adds to the result of the start. */
  readonly startedFields?: (() => StartedFields) | undefined
  /** The fields that it adds to a read of the events above one seq and below another. */
  readonly readFields?: ((after: number, before: number) => ReadFields) | undefined
  /** A client has got everything up to and including a seq. */
  readonly delivered?: ((seq: number) => void) | undefined
  /** The log is about to evict its oldest chunk, which has so many bytes. */
  readonly evicting?: ((bytes: number) => void) | undefined
  /** The process has exited and is read to its end: true delays its `closed` until `settle` is called. */
  readonly closing?: ((settle: () => void) => boolean) | undefined
  /** The fields that it adds to `closed`. */
  readonly closedFields?: (() => ClosedFields) | undefined
  /** The fields that it adds to the process in lists. */
  readonly rowFields?: (() => RowFields) | undefined
  /** Stands between the process and its spawner. */
  readonly spawner?: ((spawner: Spawning) => Spawning) | undefined
  /** Runs from the spawn on, in the scope of the session. */
  readonly run?: Effect.Effect<void> | undefined
}

/** One extension from several. The wrapper of the first is the innermost one; undefined without any. */
export const compose = (all: ReadonlyArray<Extension>): Extension | undefined => {
  const [first, ...rest] = all
  if (first === undefined || rest.length === 0) return first
  const hooks = <K extends keyof Extension>(name: K) => all.flatMap((each) => each[name] ?? [])
  const [wrappers, reads, closings] = [hooks("events"), hooks("readFields"), hooks("closing")]
  const [evicting, delivered, closed] = [hooks("evicting"), hooks("delivered"), hooks("closedFields")]
  const [started, rows, spawners] = [hooks("startedFields"), hooks("rowFields"), hooks("spawner")]
  return {
    events: (events) => wrappers.reduce((inner, wrap) => wrap(inner), events),
    own: merge(hooks("own")),
    kept: hooks("kept")[0],
    startedFields: () => Object.assign({}, ...started.map((fields) => fields())) as StartedFields,
    readFields: (...seqs) => Object.assign({}, ...reads.map((fields) => fields(...seqs))) as ReadFields,
    delivered: (seq) => delivered.forEach((tell) => tell(seq)),
    evicting: (bytes) => evicting.forEach((tell) => tell(bytes)),
    // A feature that has settled is asked again, with the others.
    closing: (settle) => closings.some((closing) => closing(settle)),
    closedFields: () => Object.assign({}, ...closed.map((fields) => fields())) as ClosedFields,
    rowFields: () => Object.assign({}, ...rows.map((fields) => fields())) as RowFields,
    spawner: (spawner) => spawners.reduce((inner, wrap) => wrap(inner), spawner),
    run: Effect.all(hooks("run"), { concurrency: "unbounded", discard: true }),
  }
}

const merge = ([first, ...rest]: ReadonlyArray<OwnEvents>): OwnEvents | undefined =>
  first === undefined || rest.length === 0
    ? first
    : {
        after: (seq) => rest.reduce((one, { after }) => earlier(one, after(seq)), first.after(seq)),
        count: (...seqs) => rest.reduce((sum, { count }) => sum + count(...seqs), first.count(...seqs)),
      }

/** The one of two events that comes first. */
export const earlier = (one: Event | undefined, other: Event | undefined): Event | undefined =>
  one === undefined || (other !== undefined && other.seq < one.seq) ? other : one
