/** Makes the plan of a seed. */
import * as DrillMaker from "./DrillMaker.ts"
import * as FleetPlan from "./FleetPlan.ts"
import * as Mix from "./Mix.ts"
import * as MixMaker from "./MixMaker.ts"
import type { Terms } from "./Pipe.ts"
import * as Plan from "./Plan.ts"
import type { ProcessCall, ProcessPlan, Reader } from "./Plan.ts"
import * as RecordMaker from "./RecordMaker.ts"
import * as Script from "./Script.ts"
import { Seed } from "./Seed.ts"
import * as WaitMaker from "./WaitMaker.ts"

/** The plan of that number, with so many milliseconds of activity and what the mix names. */
export const make = (number: number, millis: number, mix: Mix.Mix = Mix.usual): Plan.Plan => {
  const seed = new Seed(`seed ${number}`)
  const count = seed.fork("clients").between(1, 3)
  const clients = Array.from({ length: count }, (_, index) =>
    client(seed.fork(`client ${index}`), index, millis, mix),
  )
  const plan: Plan.Plan = {
    seed: number,
    millis,
    server: Plan.server(seed.fork("server")),
    history: mix.has("records") ? RecordMaker.disk(seed.fork("history"), millis) : undefined,
    holder: mix.has("keep") ? holder(seed.fork("holder")) : undefined,
    network: network(seed.fork("network")),
    clients,
    fleet: mix.has("fleet") ? FleetPlan.make(seed.fork("fleet"), millis) : undefined,
    disturbances: disturbances(seed.fork("disturbances"), count, millis, mix.has("keep") ? 50 : 3),
  }
  return mix.has("drills") ? drilled(plan, DrillMaker.make(seed.fork("drills"), count, millis)) : plan
}

const drilled = (plan: Plan.Plan, drills: DrillMaker.Drills): Plan.Plan => ({
  ...plan,
  server: {
    ...plan.server,
    concurrentRequests: drills.concurrentRequests ?? plan.server.concurrentRequests,
  },
  clients: plan.clients.map((client, index) => ({
    ...client,
    processes: [...client.processes, ...(drills.clients[index]?.processes ?? [])],
    drills: drills.clients[index]?.drills ?? [],
  })),
  disturbances: [...plan.disturbances, ...drills.disturbances],
})

const holder = (seed: Seed): Plan.HolderPlan => ({
  ttlMillis: seed.pick(5_000, 20_000, 86_400_000),
})

const network = (seed: Seed): Terms => {
  const least = seed.pick(0, 0, 1, 20)
  return {
    delay: [least, least + seed.pick(0, 1, 5, 60)],
    window: seed.pick(20_000, 65_536, 1_048_576),
    segment: seed.pick(1500, 16_384, 65_536),
    highWater: seed.pick(2000, 65_536, 1_048_576),
  }
}

const kinds = ["cut", "cutAfter", "strand", "freeze", "refuse", "hang"] as const

/** `deaths` is the percentage of those in which the server ends. */
const disturbances = (
  seed: Seed,
  clients: number,
  millis: number,
  deaths: number,
): ReadonlyArray<Plan.Disturbance> => {
  const rate = seed.pick(0, 5_000, 20_000, 20_000, 60_000)
  if (rate === 0) return []
  const found: Array<Plan.Disturbance> = []
  for (let at = seed.between(0, rate); at < millis; at += seed.between(1, 2 * rate)) {
    const kind = seed.chance(deaths) ? seed.pick("crash", "restart") : seed.pick(...kinds)
    found.push({
      at,
      client: seed.between(0, clients - 1),
      kind,
      millis: seed.skewed(kind === "strand" ? 100_000 : 40_000),
      side: seed.pick("client", "server"),
      bytes: seed.skewed(20_000),
    })
  }
  return found
}

const client = (seed: Seed, index: number, millis: number, mix: Mix.Mix): Plan.ClientPlan => {
  const rate = seed.pick(2000, 6000, 15_000)
  const floods = seed.pick(0, 0, 3, 15)
  const processes = seed
    .times(rate, millis, 0)
    .map((at, number) => process(seed.fork(number), `p${index}.${number}`, at, floods))
  const absences: Array<Plan.Absence> = []
  if (seed.chance(40))
    for (let at = seed.between(1, 40_000); at < millis; at += seed.between(1, 60_000))
      absences.push({ at, millis: seed.skewed(seed.chance(10) ? 120_000 : 20_000) })
  /** Plans of a program, if it is played, each from a stream of its own. */
  const of = <A>(
    name: Mix.Name,
    make: (seed: Seed, index: number, millis: number) => ReadonlyArray<A>,
    stream: string = name,
  ): ReadonlyArray<A> => (mix.has(name) ? make(seed.fork(stream), index, millis) : [])
  return {
    onSessionLost: seed.pick("end", "new"),
    processes: mix.has("sessions") ? processes : [],
    records: of("records", RecordMaker.make),
    lists: of("records", RecordMaker.lists, "lists"),
    viewers: [...of("viewers", MixMaker.viewers), ...of("writers", MixMaker.writers)],
    waits: of("waits", WaitMaker.make),
    files: of("files", MixMaker.files),
    http: of("http", MixMaker.http),
    agents: of("agents", MixMaker.agents),
    drills: [],
    absences,
  }
}

const process = (seed: Seed, key: string, at: number, floods: number): ProcessPlan => ({
  at,
  key,
  script: Script.make(seed.fork("script"), floods),
  credit: seed.chance(70) ? undefined : seed.chance(30) ? null : seed.between(65_536, 200_000),
  patience: seed.chance(90) ? Infinity : seed.skewed(1000),
  readers: Array.from({ length: seed.chance(80) ? 1 : seed.between(2, 3) }, () => reader(seed)),
  calls: Array.from({ length: seed.chance(40) ? 0 : seed.skewed(12) }, () => call(seed)).sort(
    (one, other) => one.at - other.at,
  ),
})

const reader = (seed: Seed): Reader => ({
  after: seed.skewed(20_000),
  pause: seed.chance(70) ? 0 : seed.skewed(500),
  stall: seed.chance(80) ? undefined : { batch: seed.between(0, 5), millis: seed.skewed(30_000) },
})

const call = (seed: Seed): ProcessCall => ({
  at: seed.skewed(30_000),
  kind: seed.chance(40)
    ? "write"
    : seed.pick("write", "terminate", "interrupt", "closeStdin", "resize", "poll", "poll", "read"),
  bytes: seed.chance(50) ? 0 : seed.skewed(10_000),
  wait: seed.pick(0, 1, 1000, 10_000, 120_000),
  patience: seed.chance(80) ? 2 ** 30 : seed.skewed(5000),
})
