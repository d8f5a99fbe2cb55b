/** One call to a client and one to a server, as the entry points of the runtimes export them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { atBoundary } from "../../core/client/CallSite.ts"
import * as Dialects from "../../core/client/Dialects.ts"
import { promise } from "../../core/client/Promises.ts"
import { type Transport, TransportError } from "../../core/transport/Transport.ts"
import * as Connect from "./Connect.ts"
import * as NodeHasher from "./host/NodeHasher.ts"
import * as NodeLocalStreams from "./host/NodeLocalStreams.ts"
import type { Platform } from "./Platform.ts"
import type { Options } from "./serve/Options.ts"
import type { RunningServer } from "./serve/Serve.ts"
import type { ServeError } from "./serve/ServeError.ts"
import { Server, type ServerService } from "./serve/ServerTag.ts"
import * as SpawnerLayer from "./serve/SpawnerLayer.ts"
import * as ServerServices from "./ServerServices.ts"
import * as TargetCheck from "./TargetCheck.ts"
import { clearInterval, clearTimeout, setInterval, setTimeout } from "node:timers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import { longestTimerMillis } from "../../core/protocol/Timer.ts"
import type * as Client from "../../core/client/Client.ts"
import type * as V0Client from "../../core/client/v0/V0Client.ts"
import type { Target } from "./Connect.ts"

export type { InProcessTarget, RemoteTarget, Target, UrlTarget } from "./Connect.ts"
export type { Options as CommandOptions } from "./transport/CommandTransport.ts"
export type { Options as UrlOptions } from "./transport/WebSocketClient.ts"

/** The exports of the entry points of the runtimes. */
export interface Program {
  /**
   * A client of that server. A lost connection to a URL is replaced and the session resumed, unless
   * `options.reconnect` is false; the other servers end with their connection. With the dialect `v0`, the client is
   * one of the first version of the wire, which resumes nothing. A program that does not close its client ends all the
   * same when the client is idle: no call is pending and no process is followed.
   */
  readonly connect: ToClient
  /** The transport alone, for `ExecClient.make`. */
  readonly open: (target: Connect.Target) => Effect.Effect<Transport, TransportError, Scope.Scope>
  /**
   * Starts a server in this program, the one that `procwire serve` is. Rejects with `ServeError`: for an option that
   * does not exist, for a value that is not possible, and for an address that cannot be bound. It keeps the program
   * alive until it is closed.
   */
  readonly serve: Serve
  /** The same as an effect. The server ends with the scope, which grants its processes `graceMs`. */
  readonly makeServer: (options?: Options) => Effect.Effect<ServerService, ServeError, Scope.Scope>
  /** The same as a layer. */
  readonly layerServer: (options?: Options) => Layer.Layer<Server, ServeError>
}

/** Starts a server in this program; see `Program`. */
export type Serve = (options?: Options) => Promise<RunningServer>

/** The calls on this runtime. */
export const make = (platform: Platform): Program => {
  const openChecked = (target: Connect.Target) =>
    "inProcess" in target ? openInProcess(platform, target) : Connect.openRemote(target)
  const open = (target: Connect.Target) =>
    Effect.suspend(() => {
      const refusal = TargetCheck.refusal(target)
      if (refusal === undefined) return openChecked(target)
      return Effect.fail(new TransportError({ reason: "Open", message: refusal.message, cause: refusal }))
    })
  const connect = async (target: Connect.Target, options?: Dialects.CurrentOptions | Dialects.V0Options) => {
    const refusal = TargetCheck.refusal(target) ?? Dialects.refusal(options)
    if (refusal !== undefined) throw refusal
    const opened = Effect.tap(openChecked(target), ({ unref }) => Effect.sync(() => unref?.()))
    const reconnects = "url" in target && options?.dialect !== "v0"
    const settings = reconnects ? { reconnect: {}, ...options } : options
    return promise(
      Dialects.acquire(opened, settings, holder()).pipe(
        Effect.provideService(Clock.Clock, clock),
        Effect.provide(Layer.merge(NodeHasher.layer, NodeLocalStreams.layer)),
      ),
    )
  }
  const makeServer: Program["makeServer"] = (options) =>
    Effect.flatMap(Effect.promise(load), ({ make }) => make(platform, options))
  return {
    open,
    connect: atBoundary(connect) as ToClient,
    serve: async (options) => (await load()).serve(platform, options),
    makeServer,
    layerServer: (options) => Layer.effect(Server, makeServer(options)),
  }
}

/** The server in this process, with the spawner that the target asks for. */
const openInProcess = (platform: Platform, target: Connect.InProcessTarget) =>
  Effect.gen(function* () {
    const { contain, spawner } = target
    const chosen = yield* SpawnerLayer.choose(platform, { contain, spawner }, (option) => option).pipe(
      Effect.mapError((cause) => new TransportError({ reason: "Open", message: cause.message, cause })),
    )
    const services = yield* Layer.build(ServerServices.layer(chosen.platform, { spawner: chosen.spawner }))
    return yield* Effect.provide(Connect.open(target), services)
  })

/** Programs that only connect do not load it. */
const load = () => import("./serve/Serve.ts")

const system = Clock.Clock.defaultValue()

/** The clock of the system, whose timers do not keep the program alive. */
const clock: Clock.Clock = {
  currentTimeMillisUnsafe: () => system.currentTimeMillisUnsafe(),
  currentTimeNanosUnsafe: () => system.currentTimeNanosUnsafe(),
  monotonicTimeNanosUnsafe: () => system.monotonicTimeNanosUnsafe(),
  currentTimeMillis: system.currentTimeMillis,
  currentTimeNanos: system.currentTimeNanos,
  monotonicTimeNanos: system.monotonicTimeNanos,
  sleep: (duration) =>
    Effect.callback<void>((resume) => {
      const millis = Duration.toMillis(duration)
      if (millis > longestTimerMillis) return
      const timer = setTimeout(() => resume(Effect.void), millis).unref()
      return Effect.sync(() => clearTimeout(timer))
    }),
}

/** A function that keeps the program alive from true to false. */
const holder = (): ((busy: boolean) => void) => {
  let timer: NodeJS.Timeout | undefined
  return (busy) => {
    clearInterval(timer)
    timer = busy ? setInterval(() => {}, longestTimerMillis) : undefined
  }
}

/**
 * Connects a client. Rejects with `InvalidOption` for a target or an option that does not exist, and with `Connect`,
 * `Server` or `Timeout` if the server cannot be reached or its handshake fails.
 */
export interface ToClient {
  (target: Target, options: Dialects.V0Options): Promise<V0Client.V0Client>
  (target: Target, options?: Dialects.CurrentOptions): Promise<Client.Client>
}
