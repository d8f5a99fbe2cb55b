/**
 * Plays a plan: the real client and the real server in a world of its own, where every step is checked. The same plan
 * gives the same trace, wherever it is played.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { Actor } from "./Actor.ts"
import { Children } from "./Children.ts"
import { Network } from "./Network.ts"
import type { Disturbance, Plan } from "./Plan.ts"
import { run as runCall } from "./ProcessCalls.ts"
import { ProcessProgram } from "./ProcessProgram.ts"
import { Seed } from "./Seed.ts"
import { Server } from "./Server.ts"
import { Trace } from "./Trace.ts"
import { type Violation, World } from "./World.ts"

/** How a run has ended. */
export interface Outcome {
  readonly violation: Violation | undefined
  /** Hash of all that happened. */
  readonly digest: string
  /** The last lines of the trace. */
  readonly lines: ReadonlyArray<string>
  /** Milliseconds of virtual time. */
  readonly millis: number
  /** Fibers and timers that ran. */
  readonly steps: number
}

/** Milliseconds after the activity in which everything must come to its end by itself. */
const patience = 500_000

/** Milliseconds for the last releases after the last session has expired. */
const leftovers = 30_000

/** Plays a plan to its end, or to the first invariant that does not hold. */
export const play = (plan: Plan): Outcome => {
  const seed = new Seed(`play ${plan.seed}`)
  const trace = new Trace()
  const world = new World(seed.fork("world"), trace)
  const scripts = new Map(
    plan.clients.flatMap(({ processes }) => processes.map(({ key, script }) => [key, script])),
  )
  const children = new Children(world, scripts)
  const hidden = [
    ...(plan.server.replays ? [] : ["sessionReplay"]),
    ...(plan.server.takeovers ? [] : ["sessionTakeover"]),
    ...(plan.server.credits ? [] : ["processCredit"]),
  ]
  const network = new Network(world, seed.fork("network"), plan.network, hidden)
  const server = new Server(world, seed.fork("server"), plan.server, children, network)
  const stage: Stage = { plan, world, children, network, server }
  let over = false
  world.fork(
    Effect.ensuring(
      perform(stage),
      Effect.sync(() => (over = true)),
    ),
  )
  world.run(() => over)
  if (world.violation === undefined && !over)
    world.violate("nobody waits for ever", "nothing can happen any more")
  return {
    violation: world.violation,
    digest: trace.digest,
    lines: trace.lines,
    millis: world.now,
    steps: world.steps,
  }
}

interface Stage {
  readonly plan: Plan
  readonly world: World
  readonly children: Children
  readonly network: Network
  readonly server: Server
}

const perform = (stage: Stage) =>
  Effect.gen(function* () {
    const { plan, world, network, server, children } = stage
    yield* server.start
    for (const disturbance of plan.disturbances)
      world.after(disturbance.at, () => disturb(stage, disturbance))
    // A client that shrinking has left nothing to do stays away.
    const actors = plan.clients.map(
      (client, index) => new Actor(index, client, world, network, server, plan.server),
    )
    const programs = plan.clients.flatMap(({ processes }, index) =>
      processes.map(
        (process) => new ProcessProgram(actors[index]!, process, children.truth(process.key), runCall),
      ),
    )
    const done = Deferred.unsafeMake<void>(FiberId.none)
    const waitsForEver = () => {
      for (const { plan, actor, doing } of programs)
        if (doing !== "nothing more")
          world.violate(
            "nobody waits for ever",
            `c${actor.index}, ${plan.key}: ${doing}; its client ${actor.doing}`,
          )
      for (const { index, doing } of actors) world.violate("nobody waits for ever", `c${index} ${doing}`)
    }
    const alarm = world.after(plan.millis + patience, waitsForEver)
    const busy = actors.filter(({ index }) => (plan.clients[index]?.processes.length ?? 0) > 0)
    const running = Effect.forEach(busy, (actor) => actor.run(Deferred.await(done)), {
      concurrency: "unbounded",
      discard: true,
    })
    const acting = Effect.forEach(programs, ({ run }) => run, { concurrency: "unbounded", discard: true })
    const probing = Effect.forEach(busy, ({ probe }) => probe, { concurrency: "unbounded", discard: true })
    const probes = yield* Effect.fork(probing)
    yield* Effect.all([running, Effect.ensuring(acting, Deferred.succeed(done, undefined))], {
      concurrency: "unbounded",
      discard: true,
    })
    yield* Fiber.interrupt(probes)
    alarm()
    yield* rest(stage)
  })

/** When everybody is gone, nothing may be left. */
const rest = ({ plan, world, server, children, network }: Stage) =>
  Effect.gen(function* () {
    yield* Effect.sleep(Math.max(0, ...plan.disturbances.map(({ at, millis }) => at + millis - world.now)))
    yield* Effect.sleep(plan.server.detachedMillis + leftovers)
    for (const name of ["sessions", "connections", "processes_running"] as const)
      if (server.metric(name) !== 0)
        world.violate("the registries are empty at the end", `${server.metric(name)} ${name}`)
    for (const { key } of children.living)
      world.violate("nothing outlives its session", `${key} lives after the last session`)
    yield* server.stop
    network.leave()
    if (network.connections.size > 0)
      world.violate("the registries are empty at the end", `${network.connections.size} connections are open`)
  })

const disturb = ({ plan, world, network, server }: Stage, disturbance: Disturbance): void => {
  const { kind, client, millis } = disturbance
  world.trace.add(world.now, `network: ${kind} c${client} for ${millis} ms`)
  if (kind !== "crash" && kind !== "restart") return network.disturb(disturbance)
  network.interrupt(millis, plan.clients.length, kind === "crash")
  world.fork(Effect.zipRight(server.stop, Effect.zipRight(Effect.sleep(millis), server.start)))
}
