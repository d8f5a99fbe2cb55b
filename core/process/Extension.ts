/**
 * The hooks of features in one process. A process whose start asks for no feature has no extension: each place that
 * looks for one costs a check for undefined.
 */
import type { Event } from "../protocol/dialect/Dialect.ts"
import type { ReadFields } from "../protocol/Process.ts"
import type { SpawnEvents } from "../spawn/Spawner.ts"

/** Events beside output, exit and end. Each takes its seq from the log. */
export interface OwnEvents {
  /** The first one above a seq. */
  readonly after: (seq: number) => Event | undefined
  /** The number of those above one seq and below another. */
  readonly count: (after: number, before: number) => number
}

/** The hooks; an absent one does nothing. */
export interface Extension {
  /** Wraps the callbacks of the spawner. This is the byte path. */
  readonly events?: ((events: SpawnEvents) => SpawnEvents) | undefined
  /** The events that it adds to those of the process. */
  readonly own?: OwnEvents | undefined
  /** The fields that it adds to a read of the events above one seq and below another. */
  readonly readFields?: ((after: number, before: number) => ReadFields) | undefined
}

/** One extension from several. The wrapper of the first is the innermost one; undefined without any. */
export const compose = (all: ReadonlyArray<Extension>): Extension | undefined => {
  const [first, ...rest] = all
  if (first === undefined || rest.length === 0) return first
  const hooks = <K extends keyof Extension>(name: K) => all.flatMap((each) => each[name] ?? [])
  const [wrappers, owns, reads] = [hooks("events"), hooks("own"), hooks("readFields")]
  return {
    events: (events) => wrappers.reduce((inner, wrap) => wrap(inner), events),
    own: owns.length < 2 ? owns[0] : merge(owns),
    readFields: (after, before) =>
      Object.assign({}, ...reads.map((read) => read(after, before))) as ReadFields,
  }
}

const merge = (owns: ReadonlyArray<OwnEvents>): OwnEvents => ({
  after: (seq) =>
    owns
      .map((own) => own.after(seq))
      .reduce((one, other) => (other === undefined ? one : earlier(one, other))),
  count: (after, before) => owns.reduce((sum, own) => sum + own.count(after, before), 0),
})

/** The one of two events that comes first. */
export const earlier = (one: Event | undefined, other: Event): Event =>
  one === undefined || other.seq < one.seq ? other : one
