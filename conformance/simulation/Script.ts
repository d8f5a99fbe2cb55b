/** The acts of a child, as data, within the contract of a spawner: any order of output, ends and exit. */
import type { Found } from "../../core/features/marks/Marks.ts"
import type { OutputStream } from "../../core/spawn/Spawner.ts"
import type { Seed } from "./Seed.ts"

export type Act =
  /** It does nothing for so many milliseconds. */
  | { readonly kind: "wait"; readonly millis: number }
  /** It writes. */
  | { readonly kind: "output"; readonly stream: OutputStream; readonly bytes: number }
  /** It writes a sequence of shell integration, cut behind so many bytes; `tells` is the mark that this is. */
  | {
      readonly kind: "mark"
      readonly stream: OutputStream
      readonly text: string
      readonly cut: number
      readonly tells: Found | undefined
    }
  /** It closes a stream. */
  | { readonly kind: "end"; readonly stream: OutputStream }
  /** It exits; what follows is done by a descendant. */
  | { readonly kind: "exit"; readonly code: number; readonly signal: boolean }

/** A child. */
export interface Script {
  readonly pty: boolean
  /** It writes text, in UTF-8. */
  readonly text?: boolean
  /** The marks in its output are reported. */
  readonly marks?: boolean
  /** Most bytes of its history, if it has one. */
  readonly historyBytes?: number | undefined
  /** It has a stdin that can be written to. */
  readonly stdin: boolean
  /** Milliseconds that the spawn takes. */
  readonly spawnMillis: number
  readonly missing: boolean
  readonly acts: ReadonlyArray<Act>
  /** It reads stdin from so many milliseconds on, each write for so long, and closes it then. */
  readonly reads: { readonly from: number; readonly each: number; readonly until: number }
  /** The effect of a kill: milliseconds until the exit, and whether its streams end before, or are held for so long. */
  readonly killed: { readonly millis: number; readonly endsFirst: boolean; readonly heldMillis: number }
  /** The effect of SIGTERM: milliseconds until the exit, its code or the signal, and how long its streams are held. */
  readonly asked?: {
    readonly ignores: boolean
    readonly millis: number
    readonly code: number | undefined
    readonly heldMillis: number
  }
  /** Segments that still arrive when it is paused. */
  readonly afterPause: number
  /** Milliseconds that the end of its scope takes. */
  readonly releaseMillis: number
  /** Milliseconds that descendants outlive its exit. */
  readonly lingerMillis: number
}

/** Longest life of a child by itself, in milliseconds: about a minute. */
const longestWait = 12_000

/** The child of a seed. `floods` is how many of a hundred times it writes much. */
export const make = (seed: Seed, floods: number): Script => {
  const pty = seed.chance(20)
  const streams: ReadonlyArray<OutputStream> = pty ? ["pty"] : ["stdout", "stderr"]
  return {
    pty,
    stdin: pty || seed.chance(50),
    spawnMillis: seed.chance(70) ? 0 : seed.skewed(seed.chance(5) ? 8000 : 300),
    missing: seed.chance(3),
    acts: [...talk(seed, streams, floods), ...departure(seed, streams)],
    reads: {
      from: seed.chance(70) ? 0 : seed.between(1, 10_000),
      each: seed.chance(70) ? 0 : seed.skewed(2000),
      until: seed.chance(90) ? Infinity : seed.between(1, 20_000),
    },
    killed: {
      millis: seed.chance(60) ? 0 : seed.skewed(500),
      endsFirst: seed.chance(50),
      heldMillis: seed.chance(70) ? 0 : seed.chance(20) ? Infinity : seed.skewed(30_000),
    },
    afterPause: seed.between(0, 2),
    releaseMillis: seed.chance(90) ? 0 : seed.skewed(8000),
    lingerMillis: seed.chance(90) ? 0 : seed.between(1, 60_000),
  }
}

/** Lines with pauses between them, now and then a flood. */
const talk = (seed: Seed, streams: ReadonlyArray<OutputStream>, floods: number): ReadonlyArray<Act> => {
  const acts: Array<Act> = []
  const stream = () => streams[seed.next() % streams.length] ?? "pty"
  for (let left = seed.skewed(12); left > 0; left--) {
    if (seed.chance(70)) acts.push({ kind: "wait", millis: seed.skewed(longestWait) })
    const flood = seed.chance(floods)
    const most = flood ? 70_000 : seed.pick(1, 40, 400, 3000)
    for (let count = flood ? seed.between(5, 30) : seed.skewed(6); count > 0; count--) {
      acts.push({ kind: "output", stream: stream(), bytes: seed.between(1, most) })
      if (seed.chance(30)) acts.push({ kind: "wait", millis: seed.skewed(200) })
    }
  }
  return acts
}

/** Streams end and the child exits, in any order; a descendant may write after the exit. */
const departure = (seed: Seed, streams: ReadonlyArray<OutputStream>): ReadonlyArray<Act> => {
  const exit: Act = { kind: "exit", code: seed.pick(0, 0, 1, 255), signal: seed.chance(10) }
  const ends = streams.map((stream): Act => ({ kind: "end", stream }))
  const wait = (): ReadonlyArray<Act> =>
    seed.chance(60) ? [] : [{ kind: "wait", millis: seed.skewed(seed.pick(9, 30, 3000, 60_000)) }]
  const late = (): ReadonlyArray<Act> =>
    seed.chance(70) ? [] : streams.map((stream) => ({ kind: "output", stream, bytes: seed.skewed(500) }))
  if (seed.chance(40)) return [...ends.flatMap((end) => [...wait(), end]), ...wait(), exit]
  if (seed.chance(30)) return [...ends.slice(1), exit, ...wait(), ...ends.slice(0, 1)]
  return [exit, ...wait(), ...late(), ...wait(), ...late(), ...ends.flatMap((end) => [end, ...wait()])]
}
