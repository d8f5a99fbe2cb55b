/** The real server of a run, which can be killed and started again. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Fork from "../../core/protocol/Fork.ts"
import * as Features from "../../core/features/Features.ts"
import * as Files from "../../core/files/Files.ts"
import * as Note from "../../core/features/keep/Note.ts"
import type { FakeKeeper, Served } from "../../core/features/keep/FakeKeeper.ts"
import * as HistoryFiles from "../../core/features/history/HistoryFiles.ts"
import { Terminals, type TerminalsService } from "../../core/features/screen/Terminals.ts"
import * as Metrics from "../../core/process/Metrics.ts"
import { defaults } from "../../core/protocol/Limits.ts"
import * as ExecServer from "../../core/server/ExecServer.ts"
import { SessionIds } from "../../core/session/SessionIds.ts"
import { Host, type HostInfo } from "../../core/spawn/Host.ts"
import { Keeper } from "../../core/spawn/Keeper.ts"
import { Spawner } from "../../core/spawn/Spawner.ts"
import type { Children } from "./Children.ts"
import type { Disk } from "./Disk.ts"
import type { Network } from "./Network.ts"
import type { Origin } from "./Origin.ts"
import type { ServerPlan } from "./Plan.ts"
import type { Seed } from "./Seed.ts"
import type { World } from "./World.ts"

// Time is virtual: nothing of it passes while code is loaded.
await Effect.runPromise(Features.loaded)

const host: HostInfo = {
  platform: "linux",
  env: { PATH: "/bin" },
  cwd: "/srv",
  home: "/home/simulated",
  temp: "/tmp",
  shell: { name: "sh", path: "/bin/sh" },
}

/** The host of the server, which outlives servers. */
export interface Surroundings {
  readonly children: Children
  /** Undefined if files are not used. */
  readonly disk: Disk | undefined
  readonly origin: Origin
  /** Undefined if the server keeps no histories. */
  readonly histories: HistoryFiles.HistoryFilesService | undefined
  /** The painter of terminals, if there is one. */
  readonly terminals: TerminalsService | undefined
}

interface Running {
  readonly scope: Scope.Closeable
  readonly metrics: Metrics.Metrics
  readonly served: Served | undefined
}

export class Server {
  /** The number of its starts: sessions do not outlive one, unless a holder has a child of them. */
  generation = 0
  /** The sessions that this start has taken over. */
  private carried: ReadonlySet<string> = new Set()
  /** Keeps the children beyond the life of a server; undefined if they end with it. */
  holder: FakeKeeper | undefined
  private readonly world: World
  private readonly seed: Seed
  private readonly plan: ServerPlan
  private readonly surroundings: Surroundings
  private readonly network: Network
  private running: Running | undefined
  /** Open unless one is about to end. */
  private readonly ended = Latch.makeUnsafe(true)

  constructor(world: World, seed: Seed, plan: ServerPlan, surroundings: Surroundings, network: Network) {
    this.world = world
    this.seed = seed
    this.plan = plan
    this.surroundings = surroundings
    this.network = network
  }

  /** Starts it, unless it runs; connections are accepted from then on. */
  readonly start: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    const { plan, network } = this
    const { children, disk, origin, histories = HistoryFiles.none, terminals } = this.surroundings
    yield* this.ended.await
    if (this.isUp) return
    this.generation += 1
    this.world.note(`server: started, ${this.generation}`)
    const served = yield* this.holder?.server ?? Effect.undefined
    const left = yield* served?.keeper.left ?? Effect.succeed([])
    this.carried = new Set(left.flatMap(({ about }) => Result.getOrThrow(Note.read(about)).session))
    const scope = yield* Scope.make("parallel")
    const metrics = Metrics.make()
    const ids = this.seed.fork(this.generation)
    const hex = () => ids.next().toString(16).padStart(8, "0")
    const layer = Layer.mergeAll(
      Layer.succeed(Spawner, served?.spawner ?? children.spawner(plan)),
      Layer.succeed(Keeper, served?.keeper),
      disk === undefined ? Files.layerNone : Layer.succeed(Files.Files, disk.service),
      origin.layer,
      Layer.succeed(Host, host),
      Layer.succeed(HistoryFiles.HistoryFiles, histories),
      Layer.succeed(SessionIds, {
        next: Effect.sync(() => `${hex()}-${hex().slice(4)}-4000-8000-${hex()}${hex().slice(4)}`),
      }),
    )
    const {
      detachedMillis,
      retentionMillis,
      pauses: _,
      replays: __,
      credits: ___,
      takeovers: ____,
      ...limits
    } = plan
    const make = ExecServer.make({
      version: "0.0.0",
      detachedMillis,
      retentionMillis,
      metrics,
      limits: { ...defaults, ...limits },
    }).pipe(Effect.provide(layer), Scope.provide(scope))
    const server = yield* terminals === undefined ? make : Effect.provideService(make, Terminals, terminals)
    this.running = { scope, metrics, served }
    const serve = yield* Scope.provide(Fork.inScope, scope)
    network.accept = (open) => {
      const connection = Effect.scoped(
        Effect.flatMap(open, (transport) => Effect.ensuring(server.serve(transport), transport.close)),
      )
      serve(metrics.whileConnected(connection))
      return true
    }
  })

  /** Ends it, by a signal that kills or in order. Completes when nothing of it is left but what a holder has. */
  stop(killed: boolean): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { running } = this
      this.running = undefined
      this.network.accept = () => false
      this.world.note("server: ends")
      if (running === undefined) return Effect.void
      this.ended.closeUnsafe()
      return Effect.ensuring(end(running, killed), this.ended.open)
    })
  }

  /** True if it has a session since that start, or has taken it over. */
  has({ id, generation }: { readonly id: string; readonly generation: number }): boolean {
    return generation === this.generation || this.carried.has(id)
  }

  /** False from the moment on in which it begins to end. */
  get isUp(): boolean {
    return this.running !== undefined
  }

  /** A gauge or counter of the running server, by its name without `procwire_`. */
  metric(name: string): number {
    const sample = this.running?.metrics.snapshot().find((one) => one.name === `procwire_${name}`)
    return sample === undefined || sample.kind === "histogram" ? 0 : sample.value
  }
}

/** Ends what a server has, apart from the children of a holder. */
const end = ({ scope, served }: Running, killed: boolean): Effect.Effect<void> => {
  const close = Scope.close(scope, Exit.void)
  if (served === undefined) return close
  if (killed) return Effect.andThen(served.die, close)
  return served.keeper.leave.pipe(Effect.andThen(close), Effect.andThen(served.die))
}
