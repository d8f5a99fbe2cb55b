/** A fleet of a run: hosts, routers that start sessions on them, and what goes wrong between them and the directory. */
import type { Seed } from "./Seed.ts"

export interface FleetFault {
  /** When, in milliseconds. */
  readonly at: number
  /** Its milliseconds. */
  readonly millis: number
  /**
   * `freeze`: a host stands still. `restart`: it is killed, and starts again. `away`: the directory answers nobody.
   * `cut`: what one host says does not arrive.
   */
  readonly kind: "freeze" | "restart" | "away" | "cut"
  /** The host; not of `away`. */
  readonly host: number
}

export interface FleetStart {
  /** When, in milliseconds. */
  readonly at: number
  /** Its id: some are used again. */
  readonly sessionId: string
  /** Whom it is counted for. */
  readonly tenant: number
  /** The milliseconds that it runs. */
  readonly millis: number
  /** It is given up by its router after that time, and not ended by its host. */
  readonly released: boolean
  /** It cannot be started: the host says so. */
  readonly fails: boolean
}

export interface FleetPlan {
  /** Sessions that each host takes. */
  readonly capacities: ReadonlyArray<number>
  readonly quotas: ReadonlyArray<number>
  /** Most milliseconds that a message takes, each way. */
  readonly delay: number
  /** Percentage of requests, and of answers, that are lost. */
  readonly losses: number
  /** Percentage of requests that arrive long after whoever asked has given up. */
  readonly late: number
  readonly starts: ReadonlyArray<FleetStart>
  readonly faults: ReadonlyArray<FleetFault>
}

export const make = (seed: Seed, millis: number): FleetPlan => {
  const hosts = seed.between(2, 5)
  const capacities = Array.from({ length: hosts }, () => seed.between(1, 8))
  const quotas = Array.from({ length: seed.between(1, 3) }, () => seed.between(1, 8))
  const starts: Array<FleetStart> = []
  const rate = seed.pick(200, 1_000, 3_000)
  const ids = seed.pick(5, 30, 1_000)
  const failing = seed.pick(0, 10, 50)
  for (let at = seed.between(0, rate); at < millis; at += seed.between(1, 2 * rate))
    starts.push({
      at,
      sessionId: `s${seed.between(1, ids)}`,
      tenant: seed.between(0, quotas.length - 1),
      millis: seed.skewed(60_000),
      released: seed.chance(10),
      fails: seed.chance(failing),
    })
  const faults: Array<FleetFault> = []
  const pause = seed.pick(5_000, 15_000, 60_000)
  for (let at = seed.between(0, pause); at < millis; at += seed.between(1, 2 * pause))
    faults.push({
      at,
      millis: seed.skewed(seed.pick(3_000, 40_000)),
      kind: seed.pick("freeze", "freeze", "restart", "away", "cut"),
      host: seed.between(0, hosts - 1),
    })
  const [delay, losses, late] = [seed.pick(1, 20, 300), seed.pick(0, 2, 10), seed.pick(0, 3)]
  return { capacities, quotas, delay, losses, late, starts, faults }
}
