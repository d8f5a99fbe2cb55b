/** The use of files, HTTP, agents and processes of others in the plan of a seed. Each draws from a stream of its own. */
import * as Script from "./Script.ts"
import type { Seed } from "./Seed.ts"

export const files = (seed: Seed, index: number, millis: number): ReadonlyArray<FilePlan> =>
  seed.chance(60) ? [] : seed.times(15_000, millis).map((at, number) => file(seed, `f${index}.${number}`, at))

/** The use of one file by a client; no other program of the run uses that file. */
export type FilePlan = ReturnType<typeof file>

const file = (seed: Seed, key: string, at: number) => {
  /**
   * `blocks`: opens it and reads blocks. `stream`: reads it from begin to end. `whole`: reads it in one answer.
   * `write`: replaces it block by block. `save`: replaces it as a whole, several times. `handles`: opens it more often
   * than a connection may. `watch`: waits until it appears.
   */
  const kind = seed.chance(4)
    ? ("handles" as const)
    : seed.pick("blocks", "blocks", "stream", "whole", "write", "save", "watch")
  /** Its size in bytes, while it is there. */
  const size = seed.skewed(seed.pick(100, 5000, 150_000))
  /** The bytes of each block, and for `blocks` where it is; `save` writes contents of these sizes. */
  const blocks = Array.from({ length: seed.skewed(12) }, () => ({
    offset: seed.between(0, size),
    bytes: seed.skewed(seed.pick(10, 3000, 60_000)),
  }))
  return {
    /** When, in milliseconds. */
    at,
    /** The name of the file. */
    key,
    kind,
    size,
    blocks,
    /** Milliseconds between two blocks, or until a watched file appears. */
    pause: seed.chance(60) ? 0 : seed.skewed(kind === "watch" ? 30_000 : 2000),
    /** Reads fail from this offset on. */
    broken: seed.chance(90) ? undefined : seed.between(0, size),
  }
}

export const http = (seed: Seed, index: number, millis: number): ReadonlyArray<HttpPlan> =>
  seed.chance(60)
    ? []
    : seed.times(12_000, millis).map((at, number) => exchange(seed, `h${index}.${number}`, at))

/** One HTTP exchange, and what its origin does. */
export type HttpPlan = ReturnType<typeof exchange>

const exchange = (seed: Seed, key: string, at: number) => {
  const most = seed.pick(1, 300, 5000, 40_000)
  return {
    /** When, in milliseconds. */
    at,
    /** Its name, of which its URL is made. */
    key,
    streams: seed.chance(70),
    /** Milliseconds until the origin answers. */
    headMillis: seed.chance(60) ? 0 : seed.skewed(15_000),
    /** It does not answer. */
    refuses: seed.chance(5),
    status: seed.pick(200, 200, 204, 404, 500),
    /** The body: each piece after so many milliseconds. */
    pieces: Array.from({ length: seed.skewed(20) }, () => ({
      millis: seed.chance(60) ? 0 : seed.skewed(8000),
      bytes: seed.between(1, most),
    })),
    /** The body breaks off after its pieces. */
    breaks: seed.chance(10),
    /** The deadline of the exchange, in milliseconds. */
    timeout: seed.chance(80) ? undefined : seed.skewed(30_000),
    /** Milliseconds between two reads of the client. */
    pause: seed.chance(60) ? 0 : seed.skewed(3000),
    /** The client drops the rest after so many reads. */
    reads: seed.chance(85) ? Infinity : seed.skewed(5),
  }
}

/** The acts of one agent, command by command. */
export interface AgentPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  readonly commands: ReadonlyArray<AgentCommand>
}

export const agents = (seed: Seed, index: number, millis: number): ReadonlyArray<AgentPlan> => {
  if (seed.chance(70)) return []
  let commands = 0
  const next = (crowd: boolean) => command(seed, `a${index}.${(commands += 1)}`, crowd)
  return seed.times(40_000, millis).map((at, number) => {
    // More commands than there may be sessions, each left alone at once.
    const crowd = seed.chance(2)
    const count = crowd ? seed.between(66, 72) : seed.skewed(6)
    return { at, key: `b${index}.${number}`, commands: Array.from({ length: count }, () => next(crowd)) }
  })
}

export type AgentCommand = ReturnType<typeof command>

const command = (seed: Seed, key: string, crowd: boolean) => {
  const script: Script.Script = { ...Script.make(seed.fork(key), 0), text: true }
  const longer: Script.Act = { kind: "wait", millis: 40_000 }
  const first = { ...call(seed, "wait"), ...(crowd && { yieldMillis: 0, wait: 0, patience: Infinity }) }
  const others = crowd ? 0 : seed.skewed(8) - 1
  return {
    /** The name of its child, which no other one of the run has. */
    key,
    script: crowd ? { ...script, spawnMillis: 0, acts: [longer, ...script.acts.slice(-3)] } : script,
    /** The first call starts it, the others are made on its session. */
    calls: [
      first,
      ...Array.from({ length: others }, () =>
        call(seed, seed.chance(50) ? "wait" : script.pty ? "write" : "interrupt"),
      ),
    ] as const,
    /** The token budget of its replies; undefined returns everything. */
    tokens: seed.chance(85) ? undefined : seed.skewed(400),
  }
}

/** A call of an agent: characters for a command, or none. */
export type AgentCall = ReturnType<typeof call>

/** `write` needs a terminal, `interrupt` is the other one. */
const call = (seed: Seed, kind: "wait" | "write" | "interrupt") => ({
  /** Milliseconds before it. */
  wait: seed.chance(60) ? 0 : seed.skewed(10_000),
  kind,
  yieldMillis: seed.pick<number>(0, 250, 1000, 10_000, 35_000),
  /** The caller gives up after so many milliseconds; Infinity waits. */
  patience: seed.chance(85) ? Infinity : seed.skewed(10_000),
})

export const viewers = (seed: Seed, index: number, millis: number): ReadonlyArray<ViewerPlan> =>
  seed.times(seed.pick(3000, 12_000), millis).map((at, number) => viewer(seed, `v${index}.${number}`, at))

/** Viewers have the numbers before. */
const firstWriter = 1000

/** Attachments of writers in the place of others, and of those who see pictures. */
export const writers = (seed: Seed, index: number, millis: number): ReadonlyArray<ViewerPlan> =>
  seed
    .times(seed.pick(2000, 8000), millis)
    .map((at, number) => viewer(seed, `v${index}.${firstWriter + number}`, at, number % 4 === 0 ? 30 : 0))

/** A client looks on at a process, of its own or of another client. */
export type ViewerPlan = ReturnType<typeof viewer>

/** `swings` is given for one that may write. */
const viewer = (seed: Seed, key: string, at: number, swings?: number) => ({
  /** When, in milliseconds. */
  at,
  key,
  /** The client whose process it is. */
  of: seed.between(0, 5),
  /** Which of those that run then: in percent of them, in the order of their starts. */
  which: seed.between(0, 99),
  /** Behind so much of the output that there is, in percent. */
  after: swings === undefined ? seed.pick(0, 0, 50, 100) : seed.pick(0, 50, 100),
  policy:
    swings !== undefined
      ? seed.pick("skip", "screen", "screen")
      : seed.chance(60)
        ? ("skip" as const)
        : ("block" as const),
  /** Milliseconds between two batches. */
  pause: seed.chance(60) ? 0 : seed.skewed(seed.pick(300, 5000)),
  /** It leaves after so many batches. */
  batches: seed.chance(60) ? Infinity : seed.skewed(20),
  /** It attaches as the writer. */
  ...(swings !== undefined && seed.chance(75) && { role: role(seed, swings) }),
})

export type RolePlan = ReturnType<typeof role>

const role = (seed: Seed, swings: number) => ({
  /** It gives the role up and takes it again so often at once. */
  swings,
  /** It takes the role from who has it. */
  take: seed.chance(70),
  /** It takes the role of its own process back, and does nothing else. */
  reclaims: seed.chance(25),
  /** Milliseconds before each write. */
  writes: Array.from({ length: seed.skewed(12) }, () => seed.skewed(5000)),
})
