/** The use of files, HTTP, agents and processes of others in the plan of a seed. Each draws from a stream of its own. */
import type * as Plan from "./Plan.ts"
import type { RolePlan, ViewerPlan } from "./Plan.ts"
import * as Script from "./Script.ts"
import type { Seed } from "./Seed.ts"

export const files = (seed: Seed, index: number, millis: number): ReadonlyArray<Plan.FilePlan> =>
  seed.chance(60) ? [] : seed.times(15_000, millis).map((at, number) => file(seed, `f${index}.${number}`, at))

const file = (seed: Seed, key: string, at: number): Plan.FilePlan => {
  const kind = seed.chance(4)
    ? "handles"
    : seed.pick("blocks", "blocks", "stream", "whole", "write", "save", "watch")
  const size = seed.skewed(seed.pick(100, 5000, 150_000))
  const blocks = Array.from({ length: seed.skewed(12) }, () => ({
    offset: seed.between(0, size),
    bytes: seed.skewed(seed.pick(10, 3000, 60_000)),
  }))
  return {
    at,
    key,
    kind,
    size,
    blocks,
    pause: seed.chance(60) ? 0 : seed.skewed(kind === "watch" ? 30_000 : 2000),
    broken: seed.chance(90) ? undefined : seed.between(0, size),
  }
}

export const http = (seed: Seed, index: number, millis: number): ReadonlyArray<Plan.HttpPlan> =>
  seed.chance(60)
    ? []
    : seed.times(12_000, millis).map((at, number) => exchange(seed, `h${index}.${number}`, at))

const exchange = (seed: Seed, key: string, at: number): Plan.HttpPlan => {
  const most = seed.pick(1, 300, 5000, 40_000)
  return {
    at,
    key,
    streams: seed.chance(70),
    headMillis: seed.chance(60) ? 0 : seed.skewed(15_000),
    refuses: seed.chance(5),
    status: seed.pick(200, 200, 204, 404, 500),
    pieces: Array.from({ length: seed.skewed(20) }, () => ({
      millis: seed.chance(60) ? 0 : seed.skewed(8000),
      bytes: seed.between(1, most),
    })),
    breaks: seed.chance(10),
    timeout: seed.chance(80) ? undefined : seed.skewed(30_000),
    pause: seed.chance(60) ? 0 : seed.skewed(3000),
    reads: seed.chance(85) ? Infinity : seed.skewed(5),
  }
}

export const agents = (seed: Seed, index: number, millis: number): ReadonlyArray<Plan.AgentPlan> => {
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

const command = (seed: Seed, key: string, crowd: boolean): Plan.AgentCommand => {
  const script = { ...Script.make(seed.fork(key), 0), text: true }
  const longer: Script.Act = { kind: "wait", millis: 40_000 }
  const first = { ...call(seed, "wait"), ...(crowd && { yieldMillis: 0, wait: 0, patience: Infinity }) }
  const others = crowd ? 0 : seed.skewed(8) - 1
  return {
    key,
    script: crowd ? { ...script, spawnMillis: 0, acts: [longer, ...script.acts.slice(-3)] } : script,
    calls: [
      first,
      ...Array.from({ length: others }, () =>
        call(seed, seed.chance(50) ? "wait" : script.pty ? "write" : "interrupt"),
      ),
    ],
    tokens: seed.chance(85) ? undefined : seed.skewed(400),
  }
}

const call = (seed: Seed, kind: Plan.AgentCall["kind"]): Plan.AgentCall => ({
  wait: seed.chance(60) ? 0 : seed.skewed(10_000),
  kind,
  yieldMillis: seed.pick(0, 250, 1000, 10_000, 35_000),
  patience: seed.chance(85) ? Infinity : seed.skewed(10_000),
})

export const viewers = (seed: Seed, index: number, millis: number): ReadonlyArray<ViewerPlan> =>
  seed.times(seed.pick(3000, 12_000), millis).map((at, number) => ({
    at,
    key: `v${index}.${number}`,
    of: seed.between(0, 5),
    which: seed.between(0, 99),
    after: seed.pick(0, 0, 50, 100),
    policy: seed.chance(60) ? "skip" : "block",
    pause: seed.chance(60) ? 0 : seed.skewed(seed.pick(300, 5000)),
    batches: seed.chance(60) ? Infinity : seed.skewed(20),
  }))

/** Attachments of writers in the place of others, and of those who see pictures. */
export const writers = (seed: Seed, index: number, millis: number): ReadonlyArray<ViewerPlan> =>
  seed.times(seed.pick(2000, 8000), millis).map((at, number) => ({
    at,
    key: `v${index}.${firstWriter + number}`,
    of: seed.between(0, 5),
    which: seed.between(0, 99),
    after: seed.pick(0, 50, 100),
    policy: seed.pick("skip", "screen", "screen"),
    pause: seed.chance(60) ? 0 : seed.skewed(seed.pick(300, 5000)),
    batches: seed.chance(60) ? Infinity : seed.skewed(20),
    ...(seed.chance(75) && { role: role(seed, number % 4 === 0 ? 30 : 0) }),
  }))

/** Viewers have the numbers before. */
const firstWriter = 1000

const role = (seed: Seed, swings: number): RolePlan => ({
  swings,
  take: seed.chance(70),
  reclaims: seed.chance(25),
  writes: Array.from({ length: seed.skewed(12) }, () => seed.skewed(5000)),
})
