/** `procwire run --detach`: starts a process that lives on without its client, and prints its name. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import type * as Connect from "../Connect.ts"
import type { Detached } from "./DetachFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import { Unable } from "./server/Unable.ts"

/** Starts it, in a session of its own. Succeeds with the exit code. */
export const run = (
  target: Connect.Target,
  { name, labels, json, autoRemove, restart }: Detached,
  start: StartOptions,
) =>
  Effect.gen(function* () {
    if ("inProcess" in target) return yield* new Unable({ message: "--detach needs a server that stays" })
    const client = yield* Access.connect(target, { clientName: "procwire-run" })
    yield* Access.need(client, "processControlAll", keeping)
    const { processListAll: sees = false } = client.environmentInfo.capabilities ?? {}
    const others = yield* Stream.runHead(client.list({ name, sessions: sees ? "all" : "own" }))
    if (others._tag === "Some") return yield* taken(name)
    if (restart !== undefined) yield* Access.need(client, "processRestart", Access.restartsNothing)
    if (autoRemove) yield* Access.need(client, "processAutoRemove", removing(name))
    if (start.answers === true) yield* Access.need(client, "processAnswers", answering)
    // So that procwire restart can start it again.
    const { processRestart: can = false } = client.environmentInfo.capabilities ?? {}
    const again = can ? { restart: restart ?? ({ policy: "no" } as const) } : {}
    const removed = autoRemove ? { autoRemove } : {}
    const process = yield* client.start({ ...start, ...again, ...removed, name, labels, keep: true })
    const [{ session } = { session: 0 }] = yield* Stream.runCollect(client.listSessions())
    const told = json ? JSON.stringify({ name, session, processId: process.id }) : name
    yield* LocalTerminal.write("stdout", new TextEncoder().encode(`${told}\n`))
    return 0
  }).pipe(Effect.scoped)

const keeping =
  "this server keeps no process whose client has gone; use the one of `procwire up`, or another one through its unix socket"

const removing = (name: string) =>
  "this server removes nothing by itself (--rm): it is an older one, or of another make; without --rm, " +
  `procwire wait ${name}; procwire rm ${name} does it`
const answering = "this server does not answer for terminals: leave --answers out, or use a newer one"

const taken = (name: string) =>
  new Unable({
    message: `a process is called ${name} already: give another --name, or remove it with procwire rm ${name}`,
  })
