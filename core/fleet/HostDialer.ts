/** The way to a host: by its tunnel to this router, or by one hop over the router that has it. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SessionIdsService } from "../session/SessionIds.ts"
import type { Peer, Transport, TransportError } from "../transport/Transport.ts"
import * as Messages from "./FleetMessages.ts"
import * as Trace from "../protocol/Trace.ts"
import type { RouterMetrics } from "./RouterMetrics.ts"
import type { RouterTracing } from "./RouterTracing.ts"
import { splice } from "./Splice.ts"
import { FleetError, type Tunnels } from "./Tunnels.ts"

interface At {
  readonly hostId: string
  /** The router that has its tunnel. */
  readonly address: string | undefined
}

/** This router, and the way to the others. */
export interface Routers {
  readonly address: string
  readonly openRouter: (address: string) => Effect.Effect<Transport, TransportError, Scope.Scope>
}

/** For whom a connection is made. */
interface For {
  readonly peer: Peer | undefined
  readonly place?: Messages.Dial["place"]
}

/** Makes a connection to a host, which lives as long as the scope. */
export type Reach = (at: At, whom: For) => Effect.Effect<Transport, FleetError, Scope.Scope>

const readHop = Messages.reader(Messages.Hop)
const readHopped = Messages.reader(Messages.Hopped)

/** The deadline for the answer of another router. */
const hopMillis = 8_000

export const reaching =
  (
    { address: own, openRouter }: Routers,
    tunnels: Tunnels,
    ids: SessionIdsService,
    metrics: Pick<RouterMetrics, "hopped">,
  ): Reach =>
  ({ hostId, address }, { peer, place }) =>
    Effect.gen(function* () {
      const asked = { peer: shown(peer), ...(place === undefined ? {} : { place }) }
      if (tunnels.of(hostId) !== undefined)
        return yield* tunnels.dial(hostId, { ...asked, connection: yield* ids.next })
      if (address === undefined || address === own)
        return yield* new FleetError({
          message: `the host ${hostId} has no tunnel to any router that answers`,
        })
      metrics.hopped()
      const transport = yield* Effect.mapError(
        openRouter(address),
        ({ message }) => new FleetError({ message }),
      )
      transport.write(JSON.stringify({ hostId, dial: asked, trace: yield* Trace.ofCaller }))
      const answer = yield* transport.incoming.take.pipe(
        Effect.timeout(hopMillis),
        Effect.mapError(() => new FleetError({ message: `the router ${address} has not answered` })),
      )
      const { refused } = read(answer, readHopped) ?? {
        refused: `the router ${address} answers in no known words`,
      }
      return refused === null ? transport : yield* new FleetError({ message: refused })
    })

/** Passes a client of another router on to a host that has its tunnel here. */
export const serve = (
  transport: Transport,
  tunnels: Tunnels,
  ids: SessionIdsService,
  tracing: RouterTracing,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const hop = read(yield* transport.incoming.take, readHop)
    if (hop === undefined) return
    const { hostId, trace } = hop
    const dialled = tunnels.dial(hostId, { ...hop.dial, connection: yield* ids.next })
    const host = yield* tracing.hop(trace, hostId, dialled)
    transport.write(JSON.stringify({ refused: null }))
    yield* splice(transport, host, () => {})
  }).pipe(
    Effect.catchTag("FleetError", ({ message }) =>
      Effect.sync(() => void transport.write(JSON.stringify({ refused: message }))),
    ),
    Effect.ignore,
  )

/** The facts about a client for its host, for the audit log and the rules there. */
const shown = ({
  transport = "other",
  address,
  scope,
  credential,
}: Partial<Peer> = {}): Messages.Dial["peer"] => ({
  transport,
  ...(address === undefined ? {} : { address }),
  ...(scope === undefined ? {} : { scope }),
  ...(credential === undefined
    ? {}
    : {
        credential: {
          kind: credential.kind,
          ...(credential.name === undefined ? {} : { name: credential.name }),
          ...(credential.issuer === undefined ? {} : { issuer: credential.issuer }),
        },
      }),
})

const read = <A>(text: string, reader: (json: unknown) => A | undefined): A | undefined => {
  try {
    return reader(JSON.parse(text))
  } catch {
    return undefined
  }
}
