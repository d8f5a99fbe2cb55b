/**
 * Additions to the plan of a seed, with which rare things meet: polls when no event follows any more, a flood for a
 * slow reader over an outage, starts whose answer is lost, writes that wait for room, ids that are used again. It draws
 * from a stream of its own.
 */
import type * as Plan from "./Plan.ts"
import type { DrillPlan, ProcessCall, ProcessPlan } from "./Plan.ts"
import type { Act, Script } from "./Script.ts"
import type { Seed } from "./Seed.ts"

export interface Drills {
  /** Of each client. */
  readonly clients: ReadonlyArray<Pick<Plan.ClientPlan, "processes" | "drills">>
  readonly disturbances: ReadonlyArray<Plan.Disturbance>
  readonly concurrentRequests: number | undefined
}

/** Something that a client does, and what goes wrong then. */
interface Drill {
  readonly process?: ProcessPlan
  readonly requests?: DrillPlan
  readonly disturbances?: ReadonlyArray<Plan.Disturbance>
}

/** Makes one drill: when, its name and that of a second child, and the client. */
type Maker = (seed: Seed, at: number, keys: readonly [string, string], client: number) => Drill

export const make = (seed: Seed, clients: number, millis: number): Drills => {
  const made = Array.from({ length: clients }, (_, client) => {
    const own = seed.fork(client)
    return Array.from({ length: own.between(2, 4) }, (_, number) => {
      const one = own.fork(number)
      const keys = [`d${client}.${2 * number}`, `d${client}.${2 * number + 1}`] as const
      return one.pick(...makers)(one, one.between(0, millis), keys, client)
    })
  })
  return {
    clients: made.map((drills) => ({
      processes: drills.flatMap(({ process }) => process ?? []),
      drills: drills.flatMap(({ requests }) => requests ?? []),
    })),
    disturbances: [
      ...made.flat().flatMap(({ disturbances = [] }) => disturbances),
      ...others(seed, clients, millis),
    ],
    concurrentRequests: seed.chance(25) ? seed.between(2, 6) : undefined,
  }
}

/** A server that ends, and one that sends unsolicited answers. */
const others = (seed: Seed, clients: number, millis: number): ReadonlyArray<Plan.Disturbance> => {
  const at = () => seed.between(1000, millis)
  const client = () => seed.between(0, clients - 1)
  return [
    ...(seed.chance(12)
      ? [trouble(seed.pick("crash", "restart"), at(), client(), seed.between(1, 5000))]
      : []),
    ...(seed.chance(30) ? [trouble("stray", at(), client(), 0)] : []),
  ]
}

const trouble = (
  kind: Plan.Disturbance["kind"],
  at: number,
  client: number,
  millis: number,
): Plan.Disturbance => ({ at, client, kind, millis, side: "client", bytes: 0 })

/** A child that does nothing but what is said. */
const child = (acts: ReadonlyArray<Act>, besides: Partial<Script> = {}): Script => ({
  pty: false,
  stdin: false,
  spawnMillis: 0,
  missing: false,
  acts,
  reads: { from: 0, each: 0, until: Infinity },
  killed: { millis: 0, endsFirst: false, heldMillis: 0 },
  afterPause: 0,
  releaseMillis: 0,
  lingerMillis: 0,
  ...besides,
})

const wait = (millis: number): Act => ({ kind: "wait", millis })

const exit: ReadonlyArray<Act> = [
  { kind: "exit", code: 0, signal: false },
  { kind: "end", stream: "stdout" },
  { kind: "end", stream: "stderr" },
]

/** So many pieces of output with so many milliseconds after each. */
const talk = (seed: Seed, pieces: number, bytes: number, millis: number): ReadonlyArray<Act> =>
  Array.from({ length: pieces }, () => [
    { kind: "output", stream: seed.pick("stdout", "stderr"), bytes: seed.between(1, bytes) } as const,
    wait(seed.between(1, millis)),
  ]).flat()

const followed = (
  at: number,
  key: string,
  script: Script,
  besides: Partial<ProcessPlan> = {},
): ProcessPlan => ({
  at,
  key,
  script,
  credit: undefined,
  patience: Infinity,
  readers: [{ after: 0, pause: 0, stall: undefined }],
  calls: [],
  drill: true,
  ...besides,
})

/** Long polls, more than there may be requests at once, on a child that falls silent. */
const polls: Maker = (seed, at, [key]) => {
  const poll = (): ProcessCall => ({
    at: seed.between(1, 100),
    kind: "poll",
    bytes: seed.chance(70) ? 0 : seed.between(1, 100),
    wait: seed.chance(80) ? 120_000 : seed.between(1, 2000),
    patience: seed.chance(70) ? 2 ** 30 : seed.between(1, 3000),
  })
  const burst = () => [
    ...talk(seed, seed.between(2, 15), 40, seed.pick(1, 1, 2, 3)),
    wait(seed.between(35_000, 45_000)),
  ]
  const acts = [...burst(), ...burst(), ...exit]
  return {
    process: followed(at, key, child(acts), { calls: Array.from({ length: seed.between(3, 8) }, poll) }),
  }
}

/** Much output under a small credit for a slow reader, and a connection that is replaced slowly meanwhile. */
const flood: Maker = (seed, at, [key], client) => {
  const acts = [...talk(seed, seed.between(15, 40), 50_000, seed.pick(3, 100)), wait(20_000), ...exit]
  const readers = [{ after: 0, pause: seed.between(100, 900), stall: undefined }]
  const process = followed(at, key, child(acts), { readers, credit: seed.between(65_536, 120_000) })
  const cut = at + seed.between(200, 5000)
  const outage = [trouble("hang", cut, client, seed.between(500, 5000)), trouble("cut", cut, client, 0)]
  return { process, disturbances: outage }
}

/** A start whose connection is lost while it starts, and perhaps the next one, too. Some are given up. */
const lostStart: Maker = (seed, at, [key], client) => {
  const spawnMillis = seed.between(300, 3000)
  const [long, much] = [wait(seed.between(80_000, 100_000)), talk(seed, seed.between(12, 20), 60_000, 3)]
  const acts = seed.pick([...talk(seed, 2, 10, 1000), long], [...much, long], talk(seed, 10, 10, 1500))
  const patience = seed.chance(20) ? seed.between(1, spawnMillis) : Infinity
  const process = followed(at, key, child([...acts, ...exit], { spawnMillis }), { patience })
  const lost = losing(seed, at, spawnMillis, client)
  const again = trouble(seed.pick("cut", "cut", "crash"), lost.at + seed.skewed(10_000), client, 1)
  const hang = trouble("hang", again.at, client, seed.between(1, 10_000))
  return { process, disturbances: [lost, ...(seed.chance(60) ? [hang, again] : [])] }
}

/** The same by a bare request; the process is followed later. */
const adoptedStart: Maker = (seed, at, [key], client) => {
  const spawnMillis = seed.between(300, 3000)
  const talking = talk(seed, seed.between(12, 20), 60_000, 3)
  const acts = [...talking, wait(seed.between(1, 10_000)), ...exit]
  const process = followed(at, key, child(acts, { spawnMillis }), { adopted: true })
  return { process, disturbances: [losing(seed, at, spawnMillis, client)] }
}

const losing = (seed: Seed, at: number, millis: number, client: number) =>
  trouble(seed.pick("cut", "strand"), at + seed.between(1, millis), client, seed.between(1, 20_000))

/** A process whose reports are careless. */
const disorder: Maker = (seed, at, [key]) => {
  const acts = [...talk(seed, seed.between(20, 80), 300, seed.pick(3, 300)), ...exit]
  return { process: followed(at, key, child(acts), { credit: null, careless: true }) }
}

/** More writes at once than wait for a child, which reads late or never; each of them twice, perhaps. */
const writes: Maker = (seed, at, [key]) => {
  const calls = seed.chance(65) ? seed.between(130, 150) : seed.between(2, 20)
  const reads = { from: seed.between(1, 5000), each: seed.pick(0, 1, 20), until: Infinity }
  const acts = [wait(seed.chance(45) ? seed.between(1, reads.from) : 60_000), ...exit]
  const script = child(acts, { stdin: true, reads })
  return {
    requests: { at, key, kind: "writes", script, next: undefined, calls, delay: 0, twice: seed.chance(50) },
  }
}

/** Requests while a process starts; a start that is cancelled, or that fails, and another one with its id. */
const starts =
  (kind: "waiting" | "cancelled" | "missing"): Maker =>
  (seed, at, [key, other]) => {
    const spawnMillis = seed.between(300, 3000)
    const long = [wait(100_000), ...exit]
    const script = child(long, { stdin: true, spawnMillis, missing: kind === "missing" })
    const next = { key: other, script: child(long) }
    const [calls, delay] = [seed.between(2, 6), seed.between(1, spawnMillis)]
    return { requests: { at, key, kind, script, next, calls, delay, twice: false } }
  }

const makers: readonly [Maker, ...ReadonlyArray<Maker>] = [
  polls,
  polls,
  flood,
  flood,
  lostStart,
  adoptedStart,
  adoptedStart,
  disorder,
  disorder,
  writes,
  writes,
  starts("waiting"),
  starts("cancelled"),
  starts("missing"),
]
