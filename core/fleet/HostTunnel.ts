/**
 * The tunnel of a host to one router: announcements, beats, and what becomes of sessions. It is replaced when it is
 * lost. News that could not be sent is in the next announcement, which names every session that the host has.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import * as Connection from "../rpc/Connection.ts"
import type { Transport, TransportError } from "../transport/Transport.ts"
import * as Messages from "./FleetMessages.ts"
import * as Pauses from "./Pauses.ts"

/** Opens a transport, which lives as long as the scope. */
export type Open = Effect.Effect<Transport, TransportError, Scope.Scope>

/** A router, as a host reaches it. */
export interface Door {
  /** For logs. */
  readonly name: string
  readonly tunnel: Open
  /** Makes a connection that the router has asked for by this name. */
  readonly dial: (connection: string) => Open
}

/** The announcement of a host. */
export interface Options {
  /** Its name, the same after a restart. */
  readonly hostId: string
  /** A number above that of all its starts before, which is kept; it is at least `above` and one. */
  readonly nextEpoch: (above: number) => Effect.Effect<number>
  /** Labels that a claim can ask for. */
  readonly labels: Readonly<Record<string, string>>
  /** The number of sessions that it takes. */
  readonly capacity: number
  readonly doors: ReadonlyArray<Door>
}

interface Held {
  readonly fence: number
  readonly tenant: string
  readonly end: Effect.Effect<void>
}

/** The sessions that a host has at places of the fleet, by the names of the directory: the truth about them. */
export class HeldSessions {
  private readonly sessions = new Map<string, Held>()
  private version = 0

  /** A session is open. */
  add(key: string, held: Held): void {
    this.sessions.set(key, held)
  }

  /** A session is over; false if it was over for the fleet before. */
  remove(key: string, fence: number): boolean {
    if (this.sessions.get(key)?.fence !== fence) return false
    return this.sessions.delete(key)
  }

  /** The directory has reported this change. */
  heard(version: number): void {
    this.version = Math.max(this.version, version)
  }

  get size(): number {
    return this.sessions.size
  }

  /** The content of an announcement. */
  toAnnouncement(): Messages.Announce["held"] {
    const sessions = [...this.sessions].map(([sessionId, { fence, tenant }]) => ({
      sessionId,
      fence,
      tenant,
    }))
    return { upTo: this.version, sessions }
  }

  /** Takes out those that are over for everybody else, with what ends them here; without names all. */
  over(keys: Iterable<string> = [...this.sessions.keys()]): ReadonlyArray<Effect.Effect<void>> {
    return [...keys].flatMap((key) => {
      const held = this.sessions.get(key)
      this.sessions.delete(key)
      return held === undefined ? [] : [held.end]
    })
  }
}

interface Tunnel {
  readonly ask: (method: string, params: unknown) => Effect.Effect<Json, AskError>
  /** The next beat is an announcement, and comes at once. */
  readonly stale: () => void
  /** True if that is so, until it is taken. */
  readonly takeStale: () => boolean
  /** Opens when it becomes so. */
  readonly wake: Latch.Latch
}

type AskError = ErrorCode.RpcError | Connection.Disconnected

/** State that all tunnels of a host share. */
export interface Shared {
  readonly options: Options
  readonly held: HeldSessions
  epoch: number
  announced: boolean
  /** Another host has its name. */
  superseded: boolean
  readonly tunnels: Set<Tunnel>
  /** Open while there is a tunnel. */
  readonly joined: Latch.Latch
  /** Runs an effect beside the tunnels, which may be lost meanwhile. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Ends sessions that are over for everybody else; without names all. */
  readonly endAll: (keys?: Iterable<string>) => void
}

/** The deadline of an answer, which a directory that is away delays by its own deadline. */
const askMillis = 15_000

/** The length of a lease of which nothing is known yet. */
const usualLease = 15_000

/** Keeps a tunnel to a router; ends when another host has the name. */
export const keep = (
  shared: Shared,
  door: Door,
  dialled: (dial: Messages.Dial) => Effect.Effect<void>,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const pauses = Pauses.make()
    let before: string | undefined
    while (!shared.superseded) {
      const why = yield* one(shared, door, pauses, dialled).pipe(
        Effect.scoped,
        Effect.catch(({ message }) => Effect.succeed(message)),
      )
      // Said once in an outage, not with each attempt.
      if (why !== before) yield* Effect.logInfo(`no tunnel to ${door.name}: ${why}`)
      before = why
      if (!shared.superseded) yield* pauses.next
    }
  })

/** One tunnel, until it ends; why it has. */
const one = (
  shared: Shared,
  door: Door,
  pauses: Pauses.Pauses,
  dialled: (dial: Messages.Dial) => Effect.Effect<void>,
) =>
  Effect.gen(function* () {
    const transport = yield* door.tunnel
    const readDial = Messages.reader(Messages.Dial)
    const connection = yield* Connection.make(
      transport,
      {
        request: () =>
          Effect.fail(new ErrorCode.RpcError({ code: ErrorCode.methodNotFound, message: "no such request" })),
        slotted: () => false,
        notification: ({ method, params }) => {
          const dial = method === "fleet/dial" ? readDial(params) : undefined
          if (dial !== undefined) shared.fork(dialled(dial))
          return true
        },
      },
      { concurrentRequests: 16 },
    )
    const wake = yield* Latch.make()
    let stale = true
    const tunnel: Tunnel = {
      ask: (method, params) =>
        Effect.timeoutOrElse(connection.call(method, params), {
          duration: askMillis,
          orElse: () => new Connection.Disconnected({ message: "no answer in time", sent: true }),
        }),
      stale: () => {
        stale = true
        wake.openUnsafe()
      },
      takeStale: () => {
        const taken = stale
        stale = false
        wake.closeUnsafe()
        return taken
      },
      wake,
    }
    const ended = yield* Deferred.make<string>()
    yield* Effect.forkScoped(Effect.flatMap(connection.run, (why) => Deferred.succeed(ended, why)))
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        shared.tunnels.add(tunnel)
        shared.joined.openUnsafe()
      }),
      () =>
        Effect.sync(() => {
          shared.tunnels.delete(tunnel)
          // The directory has to hear by which router the host is reached now.
          for (const other of shared.tunnels) other.stale()
          if (shared.tunnels.size === 0) shared.joined.closeUnsafe()
        }),
    )
    return yield* Effect.raceFirst(beating(shared, door, pauses, tunnel), Deferred.await(ended))
  })

/** Announces the host, and renews its lease until the tunnel ends; why it has. */
const beating = (shared: Shared, door: Door, pauses: Pauses.Pauses, tunnel: Tunnel) =>
  Effect.gen(function* () {
    let lease = usualLease
    while (!shared.superseded) {
      const answer = yield* Effect.result(
        tunnel.takeStale() ? announce(shared, tunnel) : renew(shared, tunnel),
      )
      if (Result.isFailure(answer) && answer.failure._tag === "Disconnected") return answer.failure.message
      if (Result.isFailure(answer) || answer.success === undefined) {
        // The router is there; without its directory, sessions go on, and are announced again.
        if (Result.isFailure(answer)) yield* Effect.logDebug(`${door.name}: ${answer.failure.message}`)
        tunnel.stale()
        yield* pauses.next
        continue
      }
      pauses.reset()
      lease = answer.success
      const pause = yield* Pauses.jittered(lease / 3)
      // Not within what wakes it: other tunnels may be about to change.
      yield* Effect.timeoutOption(Effect.andThen(tunnel.wake.await, Effect.yieldNow), pause)
    }
    return "another host has its name"
  })

const readAnnounced = Messages.reader(Messages.Announced)
const readBeaten = Messages.reader(Messages.Beaten)

/** Announces the host; its lease, or undefined if it has to do so again. */
const announce = (shared: Shared, { ask }: Tunnel) =>
  Effect.gen(function* () {
    const { options, held, epoch } = shared
    const { hostId, labels, capacity } = options
    const said: Messages.Announce = { hostId, epoch, labels, capacity, held: held.toAnnouncement() }
    const answer = readAnnounced(yield* ask("fleet/announce", said))
    if (answer === undefined) return undefined
    if ("fenced" in answer) return yield* fenced(shared, epoch, answer)
    if (shared.epoch !== epoch) return undefined
    shared.announced = true
    held.heard(answer.version)
    shared.endAll(answer.over)
    return answer.leaseMillis
  })

const renew = (shared: Shared, { ask }: Tunnel) =>
  Effect.gen(function* () {
    const { epoch } = shared
    const answer = readBeaten(yield* ask("fleet/beat", { epoch }))
    if (answer === undefined || "unknown" in answer) return undefined
    return "fenced" in answer ? yield* fenced(shared, epoch, answer) : answer.leaseMillis
  })

/** This epoch is over, and with it every session. A host that has been announced leaves its name to a later one. */
const fenced = (
  shared: Shared,
  epoch: number,
  { fenced: why, ...known }: { readonly fenced: string; readonly epoch: number; readonly state: string },
) =>
  Effect.gen(function* () {
    // Another tunnel has heard it, too.
    if (shared.epoch !== epoch) return undefined
    shared.endAll()
    if (shared.announced && known.epoch > epoch) {
      shared.superseded = true
      yield* Effect.logError(`another host has announced itself as ${shared.options.hostId}: ${why}`)
      for (const tunnel of shared.tunnels) tunnel.stale()
      return undefined
    }
    yield* Effect.logWarning(`this host begins anew: ${why}`)
    shared.epoch = yield* shared.options.nextEpoch(Math.max(epoch, known.epoch))
    for (const tunnel of shared.tunnels) tunnel.stale()
    return undefined
  })
