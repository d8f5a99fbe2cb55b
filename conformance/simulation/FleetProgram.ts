/** Plays a fleet: hosts, routers that claim places and pass sessions on, one directory, and what goes wrong. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DirectoryService, SessionRecord } from "../../core/directory/Directory.ts"
import { resolve } from "../../core/directory/DirectoryOptions.ts"
import * as MemoryDirectory from "../../core/directory/Memory.ts"
import { FleetHost } from "./FleetHost.ts"
import * as FleetJudge from "./FleetJudge.ts"
import * as FleetLink from "./FleetLink.ts"
import type { FleetFault, FleetPlan, FleetStart } from "./FleetPlan.ts"
import type { Plan } from "./Plan.ts"
import { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

const settings = resolve({ leaseMillis: 6_000, goneMillis: 20_000, claimMillis: 8_000, restMillis: 5_000 })

/** Milliseconds after the activity in which all faults, sessions and late requests are over. */
const healing = 250_000

const attempts = 4
const pause = 500

/** Plays the fleet of a plan, if it has one, to its end; faults are reported to the world. */
export const run = (world: World, { fleet, seed, millis }: Plan): Effect.Effect<void> =>
  fleet === undefined ? Effect.void : play(world, new Seed(`fleet ${seed}`), fleet, millis)

const play = (world: World, seed: Seed, plan: FleetPlan, millis: number): Effect.Effect<void> =>
  Effect.scoped(
    Effect.gen(function* () {
      const clock = new DirectoryClock(world)
      const directory = yield* Effect.provideService(MemoryDirectory.make(settings), Clock.Clock, clock.clock)
      const judge = FleetJudge.make(world, settings, clock, (hostId, { sessionId, fence }) =>
        hosts.some((host) => host.hostId === hostId && host.sessions.get(sessionId)?.fence === fence),
      )
      yield* Effect.forkScoped(
        Effect.ignore(Stream.runForEach(directory.watch, (change) => Effect.sync(() => judge.tell(change)))),
      )
      const link = (name: string) => FleetLink.make(world, seed.fork(name), plan, judge.watched(directory))
      const links = plan.capacities.map((_, index) => link(`host ${index}`))
      const hosts = links.map(
        (own, index) => new FleetHost(`h${index}`, plan.capacities[index] ?? 1, world, own),
      )
      const routers = [link("router 0"), link("router 1")]
      for (const each of [...links, ...routers]) each.healsAt = millis
      for (const fault of plan.faults)
        world.after(fault.at, () => disturb(world, fault, hosts, [links, routers], clock))
      for (const host of hosts) yield* Effect.forkScoped(host.run)
      const starts = plan.starts.map((each, index) =>
        start(world, each, plan, routers[index % routers.length], hosts, seed.fork(`start ${index}`)),
      )
      yield* Effect.all(starts, { concurrency: "unbounded", discard: true })
      yield* Effect.sleep(Math.max(0, millis + healing - world.now))
      yield* rest(world, plan, hosts, directory)
      for (const host of hosts) host.stopped = true
    }),
  )

/** The clock of the directory: what it waits for comes later while it is away. */
class DirectoryClock implements FleetJudge.Absences {
  /** From when to when it is away. */
  readonly away: Array<readonly [from: number, to: number]> = []
  readonly clock: Clock.Clock

  constructor(world: World) {
    const back = (): Effect.Effect<void> =>
      Effect.suspend(() => {
        const to = Math.max(0, ...this.away.map(([from, to]) => (from <= world.now ? to : 0)))
        return to > world.now
          ? Effect.andThen(world.clock.sleep(Duration.millis(to - world.now)), back())
          : Effect.void
      })
    this.clock = { ...world.clock, sleep: (duration) => Effect.andThen(world.clock.sleep(duration), back()) }
  }
}

const disturb = (
  world: World,
  { kind, host: index, millis }: FleetFault,
  hosts: ReadonlyArray<FleetHost>,
  [links, routers]: readonly [ReadonlyArray<FleetLink.FleetLink>, ReadonlyArray<FleetLink.FleetLink>],
  clock: DirectoryClock,
): void => {
  const until = world.now + millis
  const host = hosts[index]
  const link = links[index]
  world.note(`fleet: ${kind} ${kind === "away" ? "" : `h${index} `}for ${millis} ms`)
  if (kind === "away") {
    const from = Math.max(world.now, ...clock.away.map(([, to]) => to))
    if (until > from) clock.away.push([from, until])
    for (const each of [...links, ...routers]) each.cutUntil = Math.max(each.cutUntil, until)
  } else if (kind === "cut") {
    if (link !== undefined) link.cutUntil = Math.max(link.cutUntil, until)
  } else if (host !== undefined) {
    host.frozenUntil = Math.max(host.frozenUntil, until)
    if (kind === "restart") host.begin()
  }
}

/** A router starts a session, and it runs for its time. */
const start = (
  world: World,
  { at, sessionId, tenant, millis, released, fails }: FleetStart,
  plan: FleetPlan,
  router: FleetLink.FleetLink | undefined,
  hosts: ReadonlyArray<FleetHost>,
  seed: Seed,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (router === undefined) return
    yield* Effect.sleep(Math.max(0, at - world.now))
    const asked = { sessionId: `${sessionId}.${tenant}`, tenant: `t${tenant}`, quota: plan.quotas[tenant] }
    let session: SessionRecord | undefined
    for (let attempt = 0; attempt < attempts && session === undefined; attempt++) {
      const got = yield* Effect.result(router.ask((directory) => directory.claim(asked)))
      if (got._tag === "Success") session = got.success
      else if (got.failure.reason !== "Unavailable") return
      else yield* Effect.sleep(pause)
    }
    const claimed = session
    const host = hosts.find(({ hostId }) => hostId === claimed?.hostId)
    if (claimed === undefined || host === undefined) return
    yield* Effect.sleep(seed.between(0, plan.delay))
    if (claimed.state === "claimed") yield* host.start(claimed, fails)
    yield* Effect.sleep(millis)
    if (!released) return yield* host.end(claimed, "closed")
    for (;;) {
      const said = yield* Effect.result(router.ask((directory) => directory.end(claimed, "released")))
      if (said._tag === "Success" || said.failure.reason !== "Unavailable") return
      yield* Effect.sleep(pause)
    }
  })

/** When everything has healed and ended, nothing may be left, and everybody may begin anew. */
const rest = (world: World, plan: FleetPlan, hosts: ReadonlyArray<FleetHost>, directory: DirectoryService) =>
  Effect.gen(function* () {
    const stuck = (what: string) => world.violate("nothing is stuck", what)
    const listing = yield* directory.list()
    for (const { sessionId, fence, state } of listing.sessions)
      stuck(`${sessionId}, fence ${fence}, is ${state}`)
    for (const { hostId, sessions } of hosts)
      for (const { sessionId, fence } of sessions.values())
        stuck(`${hostId} runs ${sessionId}, fence ${fence}`)
    for (const { hostId, state, used } of listing.hosts)
      if (state !== "up" || used > 0) stuck(`${hostId} is ${state}, and uses ${used} places`)
    for (const [tenant, quota] of plan.quotas.entries()) {
      const asked = { sessionId: `last.${tenant}`, tenant: `t${tenant}`, quota }
      const session = yield* Effect.result(directory.claim(asked))
      if (session._tag === "Failure") stuck(`a claim of t${tenant}: ${session.failure.message}`)
      else yield* directory.end(session.success, "closed")
    }
  }).pipe(Effect.catch((error) => Effect.sync(() => world.violate("nothing is stuck", error.message))))
