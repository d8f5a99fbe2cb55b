/** A fleet of a run: hosts, routers that start sessions on them, and what goes wrong between them and the directory. */
import type { Seed } from "./Seed.ts"

export type FleetPlan = ReturnType<typeof make>

export const make = (seed: Seed, millis: number) => {
  const hosts = seed.between(2, 5)
  /** Sessions that each host takes. */
  const capacities = Array.from({ length: hosts }, () => seed.between(1, 8))
  const quotas = Array.from({ length: seed.between(1, 3) }, () => seed.between(1, 8))
  const starts: Array<FleetStart> = []
  const rate = seed.pick(200, 1_000, 3_000)
  const ids = seed.pick(5, 30, 1_000)
  const failing = seed.pick(0, 10, 50)
  for (let at = seed.between(0, rate); at < millis; at += seed.between(1, 2 * rate))
    starts.push(start(seed, at, ids, quotas.length, failing))
  const faults: Array<FleetFault> = []
  const pause = seed.pick(5_000, 15_000, 60_000)
  for (let at = seed.between(0, pause); at < millis; at += seed.between(1, 2 * pause))
    faults.push(fault(seed, at, hosts))
  /** Most milliseconds that a message takes, each way. */
  const delay = seed.pick(1, 20, 300)
  /** Percentage of requests, and of answers, that are lost. */
  const losses = seed.pick(0, 2, 10)
  /** Percentage of requests that arrive long after whoever asked has given up. */
  const late = seed.pick(0, 3)
  return { capacities, quotas, delay, losses, late, starts, faults }
}

export type FleetStart = ReturnType<typeof start>

const start = (seed: Seed, at: number, ids: number, tenants: number, failing: number) => ({
  /** When, in milliseconds. */
  at,
  /** Its id: some are used again. */
  sessionId: `s${seed.between(1, ids)}`,
  /** The tenant that it is counted for. */
  tenant: seed.between(0, tenants - 1),
  /** The milliseconds that it runs. */
  millis: seed.skewed(60_000),
  /** It is given up by its router after that time, and not ended by its host. */
  released: seed.chance(10),
  /** It cannot be started: the host says so. */
  fails: seed.chance(failing),
})

export type FleetFault = ReturnType<typeof fault>

const fault = (seed: Seed, at: number, hosts: number) => ({
  /** When, in milliseconds. */
  at,
  /** Its milliseconds. */
  millis: seed.skewed(seed.pick(3_000, 40_000)),
  /**
   * `freeze`: a host stands still. `restart`: it is killed, and starts again. `away`: the directory does not answer.
   * `cut`: what one host says does not arrive.
   */
  kind: seed.pick("freeze", "freeze", "restart", "away", "cut"),
  /** The host; not of `away`. */
  host: seed.between(0, hosts - 1),
})
