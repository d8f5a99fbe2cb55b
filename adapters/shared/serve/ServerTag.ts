/** A server that runs in this process, as a service. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SessionScope } from "../../../core/protocol/SessionScope.ts"
import type { Stats } from "../status/Stats.ts"
import type { ServeError } from "./ServeError.ts"
import type { HandleUpgrade } from "./Upgrades.ts"

/** Options of the end of a server. */
export interface CloseOptions {
  /** The time that processes have to end after SIGTERM; the default is the option `graceMs` of the server. */
  readonly graceMs?: number | undefined
  /** False ends the processes that would outlive the server, too; the default is true. */
  readonly keep?: boolean | undefined
}

/** The rights of the visitor of a one-time link to the page. */
export interface LinkOptions {
  /** With the sessions of others. Default: `control`, because who gets the link is the user of the server. */
  readonly scope?: SessionScope
}

/** The certificates, tokens and secrets of a server. */
export interface NamedFiles {
  /** The files that the options name, for a log: `--tls-cert FILE`. */
  readonly named: ReadonlyArray<string>
  /** Reads them again, for connections that begin later. A file that is wrong fails, and changes nothing. */
  readonly renew: Effect.Effect<void, ServeError>
}

/** A running server. */
export interface ServerService {
  /** The addresses for clients, in the order of `listen`: `ws://127.0.0.1:39211`. */
  readonly addresses: ReadonlyArray<string>
  /** Its work so far and now, in numbers. */
  readonly stats: () => Stats
  /**
   * Takes an upgrade of the program's own HTTP server, whatever its path, and serves the WebSocket. The option `auth`
   * holds for it; requests with an `Origin` header are refused.
   */
  readonly handleUpgrade: HandleUpgrade
  /**
   * A new link to the page for browsers, which lets one in, once, in the next ten minutes; undefined without the
   * option `web`.
   */
  readonly webLink: (options?: LinkOptions) => string | undefined
  /** Its certificates, tokens and secrets. */
  readonly files: NamedFiles
  /** Ends the server, and completes when it has ended. A second call may shorten the grace period of the first. */
  readonly close: (options?: CloseOptions) => Effect.Effect<void>
  /** Completes when the server has ended; fails if a listener has failed. */
  readonly closed: Effect.Effect<void, ServeError>
}

/** The service of one server. */
export class Server extends Context.Service<Server, ServerService>()("procwire/Server") {}
