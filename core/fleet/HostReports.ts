/** Reports of a host about its sessions, by any of its tunnels. */
import * as Effect from "effect/Effect"
import * as Messages from "./FleetMessages.ts"
import type { Shared } from "./HostTunnel.ts"

const readSettled = Messages.reader(Messages.Settled)

/** Tells what has become of a session by any tunnel; if that fails, the next announcements tell it. */
export const tell = (
  shared: Shared,
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
      Effect.catchAll(() => failed),
      Effect.onInterrupt(() => failed),
    ),
  )
}

/** The most time that an ending host waits until the fleet knows of it. */
const farewellMillis = 1_000

/** This host ends, and its sessions with it: their places are free at once. */
export const farewell = ({ held, tunnels }: Shared): Effect.Effect<void> =>
  Effect.suspend(() => {
    const [tunnel] = tunnels
    const { sessions } = held.told()
    if (tunnel === undefined || sessions.length === 0) return Effect.void
    const end = ({ sessionId, fence }: Messages.Announce["held"]["sessions"][number]) =>
      tunnel.ask("fleet/end", { sessionId, fence, ending: "closed" })
    return Effect.forEach(sessions, end, { concurrency: 16, discard: true }).pipe(
      Effect.interruptible,
      Effect.timeout(farewellMillis),
      Effect.ignore,
    )
  })
