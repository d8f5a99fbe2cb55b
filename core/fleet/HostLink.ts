/**
 * A host of a fleet: it keeps one tunnel to each router, announces itself, beats, and makes a connection for each
 * client that a router asks for. To its server such a connection is one that was accepted.
 *
 * The host is the truth about its sessions. While no router or no directory can be reached they go on, and are
 * announced afterwards; a session ends here only when it is over for everybody else, or when this epoch is.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fork from "../protocol/Fork.ts"
import type { Peer, Transport } from "../transport/Transport.ts"
import type { Dial } from "./FleetMessages.ts"
import { HeldSessions } from "./HeldSessions.ts"
import type { Door, Options } from "./HostOptions.ts"
import * as HostReports from "./HostReports.ts"
import * as HostTunnel from "./HostTunnel.ts"

/** Serves one connection until it ends. */
export type Serve = (transport: Transport) => Effect.Effect<void, never, Scope.Scope>

/** Serves what routers ask for until it is interrupted. */
export const run = (options: Options, serve: Serve): Effect.Effect<void> =>
  Effect.gen(function* () {
    const held = new HeldSessions()
    const fork = yield* Fork.inScope
    const state: HostTunnel.Shared = {
      options,
      held,
      epoch: yield* options.nextEpoch(0),
      announced: false,
      superseded: false,
      tunnels: new Set(),
      joined: Effect.unsafeMakeLatch(false),
      endAll: (keys) => {
        for (const end of held.over(keys)) fork(end)
      },
      fork: (effect) => void fork(effect),
    }
    const dialled = (door: Door, dial: Dial) => serveDialled(state, door, dial, serve)
    yield* Effect.forEach(options.doors, (door) =>
      Effect.forkScoped(HostTunnel.keep(state, door, (dial) => dialled(door, dial))),
    )
    // Also when another host has the name: what was here is over, and nothing more comes.
    return yield* Effect.onInterrupt(Effect.never, () => HostReports.farewell(state))
  }).pipe(Effect.scoped)

/** Serves the client for which a router has asked for a connection. */
const serveDialled = (
  state: HostTunnel.Shared,
  door: Door,
  { connection, peer, place }: Dial,
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
          HostReports.tell(state, "fleet/confirm", { sessionId: key, fence })
        },
        ended: () => {
          if (state.held.remove(key, fence))
            HostReports.tell(state, "fleet/end", { sessionId: key, fence, ending: "closed" })
        },
      },
    })
    if (!opened) HostReports.tell(state, "fleet/end", { sessionId: key, fence, ending: "start failed" })
  }).pipe(
    Effect.scoped,
    Effect.catchAll((error) =>
      Effect.logWarning(`cannot make the connection that ${door.name} has asked for: ${error.message}`),
    ),
  )
