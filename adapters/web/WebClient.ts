/** `connect` for browsers, and wherever else there is a WebSocket and no `node:*`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { atBoundary } from "../../core/client/CallSite.ts"
import type { Client } from "../../core/client/Client.ts"
import * as Connecting from "../../core/client/Connecting.ts"
import * as OptionNames from "../../core/client/OptionNames.ts"
import { type Transport, TransportError } from "../../core/transport/Transport.ts"
import * as WebSocketTransport from "./WebSocketTransport.ts"

/** A server that a web page can reach. */
export interface WebTarget {
  /** `ws://HOST:PORT` or `wss://HOST:PORT`. */
  readonly url: string
}

const refusal = (target: unknown) => {
  const url: unknown =
    typeof target === "object" && target !== null && "url" in target ? target.url : undefined
  const [extra] = Object.keys(target ?? {}).filter((name) => name !== "url")
  if (typeof url !== "string" || !/^wss?:\/\/[^/]/.test(url)) {
    return OptionNames.invalid(
      'here connect needs { url: "ws://HOST:PORT" } or "wss://…": there are no other ways',
    )
  }
  return extra === undefined
    ? undefined
    : OptionNames.invalid(`a target here has no option '${extra}': a WebSocket of the web sends no headers`)
}

/** Opens the transport alone, for `ExecClient.make`. */
export const open = (target: WebTarget): Effect.Effect<Transport, TransportError, Scope.Scope> =>
  Effect.suspend(() => {
    const refused = refusal(target)
    if (refused === undefined) return WebSocketTransport.connect(target.url)
    return Effect.fail(new TransportError({ reason: "Open", message: refused.message, cause: refused }))
  })

/** Of the dialects, pages have the current one alone. */
const connecting = Connecting.make({ current: Connecting.current })

/**
 * Connects a client over a WebSocket of the web. A lost connection is replaced and the session resumed, unless
 * `options.reconnect` is false. Rejects with `InvalidOption` for a target or an option that does not exist, and with
 * `Connect`, `Server` or `Timeout` if the server cannot be reached or its handshake fails.
 */
export const connect: (target: WebTarget, options?: Connecting.CurrentOptions) => Promise<Client> =
  atBoundary(async (target: WebTarget, options?: Connecting.CurrentOptions) => {
    const refused = refusal(target)
    if (refused !== undefined) throw refused
    return connecting.connect(open(target), { reconnect: {}, ...options }) as Promise<Client>
  })
