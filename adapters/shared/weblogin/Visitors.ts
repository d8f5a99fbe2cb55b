/**
 * Visitors with a browser. Each has a session with an end; logging out, and that end, end its WebSockets.
 * The browser has the secret of the session in a cookie, never the token.
 */
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Credential } from "../../../core/transport/Transport.ts"
import type { Connection } from "../transport/UpgradeAdmission.ts"
import * as Links from "./Links.ts"

/** The identity of a visitor, and its end at the latest. */
export interface Visitor {
  /** The credential of the token now; undefined once the server has read others, without this one. */
  readonly current: () => Promise<Credential | undefined>
  /** When the token expires, in milliseconds since 1970; undefined where it does not. */
  readonly until?: number | undefined
}

export interface VisitorSession extends Visitor {
  /** Ends a connection with the session; at once if it is over. */
  readonly hold: (connection: Connection) => void
}

export interface Visitors {
  /** Begins one; `millis` is how long the browser may keep the secret. */
  readonly begin: (visitor: Visitor) => { readonly secret: string; readonly millis: number }
  /** The one that a secret names, if it goes on. */
  readonly find: (secret: string) => VisitorSession | undefined
  /** Ends one, and its connections. */
  readonly end: (secret: string) => void
}

/** Sessions that may go on at once; a further one takes the place of the oldest. */
const most = 256

interface Open {
  readonly session: VisitorSession
  readonly connections: Set<Connection>
  readonly until: number
  readonly timer: Fiber.Fiber<void>
}

/** Makes a table without visitors. A session takes `millis`; all end with the scope. */
export const make = (millis: number): Effect.Effect<Visitors, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeMillisUnsafe()
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const open = new Map<string, Open>()
    const close = (id: string): void => {
      const found = open.get(id)
      if (found === undefined) return
      open.delete(id)
      found.timer.interruptUnsafe()
      for (const connection of found.connections) connection.destroy()
    }
    yield* Effect.addFinalizer(() => Effect.sync(() => [...open.keys()].forEach(close)))

    const begin: Visitors["begin"] = (visitor) => {
      const secret = Links.makeSecret()
      const id = Links.digest(secret)
      const until = Math.min(now() + millis, visitor.until ?? Infinity)
      const left = Math.max(0, until - now())
      const timer = fork(
        Effect.delay(
          Effect.sync(() => close(id)),
          left,
        ),
      )
      const connections = new Set<Connection>()
      const hold: VisitorSession["hold"] = (connection) => {
        if (!open.has(id)) return connection.destroy()
        connections.add(connection)
        connection.once("close", () => connections.delete(connection))
      }
      open.set(id, { session: { ...visitor, hold }, connections, until, timer })
      const [oldest] = open.keys()
      if (open.size > most && oldest !== undefined) close(oldest)
      return { secret, millis: left }
    }
    const find: Visitors["find"] = (secret) => {
      const found = open.get(Links.digest(secret))
      return found === undefined || now() >= found.until ? undefined : found.session
    }
    return { begin, find, end: (secret) => close(Links.digest(secret)) }
  })
