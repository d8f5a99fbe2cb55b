/**
 * Plays a plan: the real client and the real server in a world of its own, where every step is checked. The same plan
 * gives the same trace, wherever it is played.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as MemoryFiles from "../../core/features/history/MemoryFiles.ts"
import * as FakeKeeper from "../../core/features/keep/FakeKeeper.ts"
import { pauseAbove } from "../../core/process/Throttle.ts"
import { Actor, type Stage } from "./Actor.ts"
import { AgentProgram } from "./AgentProgram.ts"
import * as Children from "./Children.ts"
import * as DeadlineJudge from "./DeadlineJudge.ts"
import { Disk, folderOf } from "./Disk.ts"
import { DrillProgram } from "./DrillProgram.ts"
import { FileProgram } from "./FileProgram.ts"
import * as FleetProgram from "./FleetProgram.ts"
import { HttpProgram } from "./HttpProgram.ts"
import { ListProgram } from "./ListProgram.ts"
import { Network } from "./Network.ts"
import * as Origin from "./Origin.ts"
import { terminals } from "./Pictures.ts"
import type { Disturbance, Plan, ProcessPlan, ServerPlan } from "./Plan.ts"
import * as ProcessCalls from "./ProcessCalls.ts"
import { type Calls, ProcessProgram } from "./ProcessProgram.ts"
import { nothingMore, type Program } from "./Program.ts"
import * as RecordCalls from "./RecordCalls.ts"
import type { HistoryDiskPlan } from "./RecordMaker.ts"
import * as Roles from "./Roles.ts"
import { Seed } from "./Seed.ts"
import { Server } from "./Server.ts"
import { Trace } from "./Trace.ts"
import { ViewerProgram } from "./ViewerProgram.ts"
import * as WaitJudge from "./WaitJudge.ts"
import { type Violation, World } from "./World.ts"

export interface Outcome {
  readonly violation: Violation | undefined
  /** Hash of all that happened. */
  readonly digest: string
  readonly toLines: () => ReadonlyArray<string>
  /** The fibers that wait, if an invariant does not hold. */
  readonly waiting: ReadonlyArray<string>
  /** Milliseconds of virtual time. */
  readonly millis: number
  /** Fibers and timers that ran. */
  readonly steps: number
}

/** Milliseconds after the activity in which everything must come to its end by itself. */
const patience = 500_000

/** Milliseconds for the last releases after the last session has expired. */
const leftovers = 30_000

/** Milliseconds for which a closed child may be held besides, while servers come and go. */
const mostHeld = 200_000

/** Milliseconds within which nothing may be open of a connection that has ended. */
const releaseBound = 30_000

/** Plays a plan to its end, or to the first invariant that does not hold. */
export const play = (plan: Plan): Outcome => {
  const seed = new Seed(`play ${plan.seed}`)
  const trace = new Trace()
  const world = new World(seed.fork("world"), trace)
  const scripts = plan.clients.flatMap(({ processes, waits, records, agents, drills }) => [
    ...processes,
    ...waits,
    ...records,
    ...agents.flatMap(({ commands }) => commands),
    ...drills.flatMap((drill) => (drill.next === undefined ? drill : [drill, drill.next])),
  ])
  const children = Children.make(world, new Map(scripts.map(({ key, script }) => [key, script])))
  // A disk that is full ends histories.
  if (plan.history?.full !== undefined)
    for (const { key } of scripts) children.truth(key).historyBytes = undefined
  const disk = new Disk(world, seed.fork("disk"), plan.clients.length)
  const origin = Origin.make(
    world,
    plan.clients.flatMap(({ http }) => http),
  )
  const hidden = [
    ...(plan.server.replays ? [] : ["sessionReplay"]),
    ...(plan.server.takeovers ? [] : ["sessionTakeover"]),
    ...(plan.server.credits ? [] : ["processCredit"]),
  ]
  const waits = plan.clients.flatMap((client) => client.waits)
  const careless = plan.clients.flatMap(({ processes }) => processes.filter((process) => process.careless))
  const network = new Network(world, seed.fork("network"), plan.network, {
    hidden,
    careless: new Set(careless.map(({ key }) => key)),
    judge: WaitJudge.make(world, children, waits, plan.server),
  })
  const histories = plan.history === undefined ? undefined : historyDisk(world, plan.history)
  const usesFiles = plan.clients.some(({ files }) => files.length > 0)
  const viewers = plan.clients.flatMap((client) => client.viewers)
  if (viewers.some(({ role }) => role !== undefined))
    for (const { key } of scripts) children.truth(key).roles = Roles.make(children.truth(key))
  const surroundings = {
    children,
    disk: usesFiles ? disk : undefined,
    origin,
    histories,
    terminals: viewers.some(({ policy }) => policy === "screen") ? terminals : undefined,
  }
  const server = new Server(world, seed.fork("server"), plan.server, surroundings, network)
  const stage = { plan, world, network, server, children, disk, origin }
  if (plan.clients.some(({ files, http }) => files.length + http.length > 0))
    network.atServed = (client) => void world.after(releaseBound, () => released(stage, client))
  let over = false
  world.fork(
    Effect.ensuring(
      perform(stage, histories),
      Effect.sync(() => (over = true)),
    ),
  )
  world.run(() => over)
  if (world.violation === undefined && !over)
    world.violate("nobody waits for ever", "nothing can happen any more")
  if (world.violation === undefined && world.fibers.count > 0)
    world.violate("nobody waits for ever", `${world.fibers.count} fibers are left when everybody is gone`)
  return {
    violation: world.violation,
    digest: trace.digest,
    toLines: () => trace.lines,
    waiting: world.violation === undefined ? [] : world.fibers.lines,
    millis: world.now,
    steps: world.steps,
  }
}

/** The disk of histories: slow, full for a while, and the same for every server of the run. */
const historyDisk = (world: World, { writeMillis, full }: HistoryDiskPlan): MemoryFiles.MemoryFiles => {
  const isFull = () => full !== undefined && world.now >= full.from && world.now < full.to
  return MemoryFiles.make({
    capacity: () => (isFull() ? 0 : Infinity),
    beforeWrite: writeMillis === 0 ? Effect.yieldNow : Effect.sleep(writeMillis),
  })
}

type Histories = MemoryFiles.MemoryFiles | undefined

/** Holds the children of a run. It retains as much as a server, and what a reader of that may lag behind. */
const hold = (
  { children }: Stage,
  { retainedBytes, retainedChunks, ...server }: ServerPlan,
  ttlMillis: number,
) =>
  FakeKeeper.over(children.spawner({ ...server, retentionMillis: server.retentionMillis + mostHeld }), {
    capacity: { bytes: retainedBytes + pauseAbove, chunks: retainedChunks + 12_500 },
    ttlMillis,
    expired: ({ argv }) => void (children.truth(argv.at(-1) ?? "").expired = true),
  })

const perform = (stage: Stage, histories: Histories) =>
  Effect.gen(function* () {
    const { plan, world, network, server } = stage
    const scope = yield* Scope.make()
    if (plan.holder !== undefined)
      server.holder = yield* Scope.provide(hold(stage, plan.server, plan.holder.ttlMillis), scope)
    yield* server.start
    for (const disturbance of plan.disturbances)
      world.after(disturbance.at, () => disturb(stage, disturbance))
    const actors = plan.clients.map((client, index) => new Actor(index, client, stage))
    const programs = actors.flatMap((actor) => programsOf(actor, actors))
    const done = Deferred.makeUnsafe<void>()
    const waitsForEver = () => {
      for (const call of network.openCalls) world.note(`without an answer: ${call}`)
      for (const { key, actor, doing } of programs)
        if (doing !== nothingMore)
          world.violate(
            "nobody waits for ever",
            `c${actor.index}, ${key}: ${doing}; its client ${actor.doing}`,
          )
      for (const { index, doing } of actors) world.violate("nobody waits for ever", `c${index} ${doing}`)
    }
    const alarm = world.after(plan.millis + patience, waitsForEver)
    // A client that shrinking has left nothing to do stays away.
    const busy = actors.filter((one) => programs.some(({ actor }) => actor === one))
    const running = Effect.forEach(busy, (actor) => actor.run(Deferred.await(done)), {
      concurrency: "unbounded",
      discard: true,
    })
    const act = ({ key, run }: Program) => Effect.annotateLogs(run, "program", key)
    const acts = Effect.forEach(programs, act, { concurrency: "unbounded", discard: true })
    const acting = Effect.ensuring(acts, Deferred.succeed(done, undefined))
    const probing = Effect.forEach(busy, ({ probe }) => probe, { concurrency: "unbounded", discard: true })
    const probes = yield* Effect.forkChild(probing)
    const fleet = FleetProgram.run(world, plan)
    yield* Effect.all([running, fleet, acting], { concurrency: "unbounded", discard: true })
    yield* Fiber.interrupt(probes)
    alarm()
    yield* rest(stage, histories)
    yield* Scope.close(scope, Exit.void)
  })

/**
 * Nothing may be open of a connection that has ended some time ago. Resources of the next one in that millisecond are
 * its own.
 */
const released = ({ world, disk, origin }: Stage, client: number): void => {
  const then = world.now - releaseBound
  const files = disk.heldOf(folderOf(client), then)
  const exchanges = origin.open(`h${client}.`, then)
  if (files + exchanges > 0)
    world.violate(
      "nothing outlives its session",
      `c${client}: ${files} files and ${exchanges} exchanges of a connection that is over`,
    )
}

/** When everybody is gone, nothing may be left. */
const rest = ({ plan, world, server, children, disk, origin, network }: Stage, histories: Histories) =>
  Effect.gen(function* () {
    yield* Effect.sleep(Math.max(0, ...plan.disturbances.map(({ at, millis }) => at + millis - world.now)))
    yield* Effect.sleep(plan.server.detachedMillis + leftovers)
    for (const name of ["sessions", "connections", "processes_running"] as const)
      // guards: scopes
      if (server.metric(name) !== 0)
        world.violate("the registries are empty at the end", `${server.metric(name)} ${name}`)
    for (const { key, spawnedAt, releasedAt } of children.all())
      if (spawnedAt !== undefined && releasedAt === undefined)
        world.violate("nothing outlives its session", `${key} lives after the last session`)
    if (histories !== undefined && histories.folders.size > 0)
      world.violate("the registries are empty at the end", `${histories.folders.size} histories are kept`)
    if (disk.held.size + origin.exchanges.size > 0)
      world.violate(
        "the registries are empty at the end",
        `${disk.held.size} files and ${origin.exchanges.size} exchanges are open`,
      )
    for (const truth of children.all()) {
      const number = truth.unread(world.now)
      if (number !== undefined)
        world.violate("an accepted write reaches its process", `${truth.key} never reads write ${number}`)
    }
    const held = server.holder?.count() ?? 0
    if (held > 0) world.violate("nothing outlives its session", `${held} children are held`)
    yield* server.stop(false)
    network.leave()
    if (network.connections.size > 0)
      world.violate("the registries are empty at the end", `${network.connections.size} connections are open`)
  })

const disturb = ({ plan, world, network, server }: Stage, disturbance: Disturbance): void => {
  const { kind, client, millis } = disturbance
  world.note(`network: ${kind} c${client} for ${millis} ms`)
  if (kind !== "crash" && kind !== "restart") return network.disturb(disturbance)
  network.interrupt(millis, plan.clients.length, kind === "crash")
  world.fork(
    Effect.andThen(server.stop(kind === "crash"), Effect.andThen(Effect.sleep(millis), server.start)),
  )
}

const programsOf = (actor: Actor, actors: ReadonlyArray<Actor>): ReadonlyArray<Program> => {
  const { processes, waits, records, lists, viewers, files, http, agents, drills } = actor.plan
  const followed = (plan: ProcessPlan, calls: Calls) => new ProcessProgram(actor, plan, calls)
  return [
    ...processes.map((plan) => followed(plan, ProcessCalls.atTheirTimes(plan.calls, ProcessCalls.call))),
    ...waits.map((plan) => {
      const truth = actor.stage.children.truth(plan.key)
      truth.witness = DeadlineJudge.make(actor.world, truth, plan)
      return followed(plan, ProcessCalls.atTheirTimes(plan.waits, ProcessCalls.waitOrEnd))
    }),
    ...records.map((plan) => followed(plan, ProcessCalls.atTheirTimes(plan.records, RecordCalls.call, true))),
    ...lists.map((plan) => new ListProgram(actor, plan)),
    ...viewers.map((plan) => new ViewerProgram(actor, plan, actors[plan.of % actors.length] ?? actor)),
    ...files.map((plan) => new FileProgram(actor, plan)),
    ...http.map((plan) => new HttpProgram(actor, plan)),
    ...agents.map((plan) => new AgentProgram(actor, plan)),
    ...drills.map((plan) => new DrillProgram(actor, plan)),
  ]
}
