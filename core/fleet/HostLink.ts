/**
 * A host of a fleet: it keeps one tunnel to each router, announces itself, beats, and makes a connection for each
 * client that a router asks for. To its server such a connection is one that was accepted.
 *
 * The host is the truth about its sessions. While no router or no directory can be reached they go on, and are
 * announced afterwards; a session ends here only when it is over for everybody else, or when this epoch is.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import * as Fork from "../protocol/Fork.ts"
import type { Peer, Transport } from "../transport/Transport.ts"
import * as Messages from "./FleetMessages.ts"
import * as HostTunnel from "./HostTunnel.ts"

/** Serves one connection until it ends. */
export type Serve = (transport: Transport) => Effect.Effect<void, never, Scope.Scope>

/** Serves what routers ask for until it is interrupted. */
export const run = (options: HostTunnel.Options, serve: Serve): Effect.Effect<void> =>
  Effect.gen(function* () {
    const held = new HostTunnel.HeldSessions()
    const fork = yield* Fork.inScope
    const state: HostTunnel.Shared = {
      options,
      held,
      epoch: yield* options.nextEpoch(0),
      announced: false,
      superseded: false,
      tunnels: new Set(),
      joined: Latch.makeUnsafe(false),
      endAll: (keys) => {
        for (const end of held.over(keys)) fork(end)
      },
      fork: (effect) => void fork(effect),
    }
    const dialled = (door: HostTunnel.Door, dial: Messages.Dial) => serveDialled(state, door, dial, serve)
    yield* Effect.forEach(options.doors, (door) =>
      Effect.forkScoped(HostTunnel.keep(state, door, (dial) => dialled(door, dial))),
    )
    // Also when another host has the name: what was here is over, and nothing more comes.
    return yield* Effect.onInterrupt(Effect.never, () => farewell(state))
  }).pipe(Effect.scoped)

/** Serves the client for which a router has asked for a connection. */
const serveDialled = (
  state: HostTunnel.Shared,
  door: HostTunnel.Door,
  { connection, peer, place }: Messages.Dial,
  serve: Serve,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const transport = yield* door.dial(connection)
    if (place === undefined) return yield* serve({ ...transport, peer: peer as Peer })
    const { sessionId, key, fence, tenant } = place
    let opened = false
    yield* serve({
      ...transport,
      peer: peer as Peer,
      place: {
        sessionId,
        unreachable: Effect.suspend(() =>
          state.tunnels.size > 0 ? Effect.succeed(false) : Effect.as(state.joined.await, true),
        ),
        opened: (end) => {
          opened = true
          state.held.add(key, { fence, tenant, end })
          tell(state, "fleet/confirm", { sessionId: key, fence })
        },
        ended: () => {
          if (state.held.remove(key, fence))
            tell(state, "fleet/end", { sessionId: key, fence, ending: "closed" })
        },
      },
    })
    if (!opened) tell(state, "fleet/end", { sessionId: key, fence, ending: "start failed" })
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.logWarning(`cannot make the connection that ${door.name} has asked for: ${error.message}`),
    ),
  )

const readSettled = Messages.reader(Messages.Settled)

/** Tells what has become of a session by any tunnel; if that fails, the next announcements tell it. */
const tell = (
  shared: HostTunnel.Shared,
  method: "fleet/confirm" | "fleet/end",
  params: { readonly sessionId: string; readonly fence: number; readonly ending?: string },
): void => {
  const [tunnel] = shared.tunnels
  if (tunnel === undefined) return
  const failed = Effect.sync(() => {
    for (const each of shared.tunnels) each.stale()
  })
  shared.fork(
    tunnel.ask(method, params).pipe(
      Effect.flatMap((answer) => {
        const settled = readSettled(answer)
        if (settled === undefined) return failed
        shared.held.heard(settled.version)
        if (settled.over && method === "fleet/confirm") shared.endAll([params.sessionId])
        return Effect.void
      }),
      Effect.catch(() => failed),
      Effect.onInterrupt(() => failed),
    ),
  )
}

/** The most time that an ending host waits until the fleet knows of it. */
const farewellMillis = 1_000

/** This host ends, and its sessions with it: their places are free at once. */
const farewell = ({ held, tunnels }: HostTunnel.Shared): Effect.Effect<void> =>
  Effect.suspend(() => {
    const [tunnel] = tunnels
    const { sessions } = held.toAnnouncement()
    if (tunnel === undefined || sessions.length === 0) return Effect.void
    const end = ({ sessionId, fence }: Messages.Announce["held"]["sessions"][number]) =>
      tunnel.ask("fleet/end", { sessionId, fence, ending: "closed" })
    return Effect.forEach(sessions, end, { concurrency: 16, discard: true }).pipe(
      Effect.interruptible,
      Effect.timeout(farewellMillis),
      Effect.ignore,
    )
  })
