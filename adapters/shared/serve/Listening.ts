/**
 * Where a server listens and whom it admits, with TLS and authentication.
 *
 * Options that contradict each other start no server: neither does a credential that no listener would ask for, nor an
 * address that others can reach and nothing guards.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as TextFile from "../host/TextFile.ts"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import { TransportError } from "../../../core/transport/Transport.ts"
import type * as Bearer from "../auth/Bearer.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import type * as Peers from "../transport/Peers.ts"
import * as SocketListener from "../transport/SocketListener.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import type * as Tls from "../transport/Tls.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as AuthRule from "./AuthRule.ts"
import type { Settings } from "./Given.ts"
import * as ListenAddress from "./ListenAddress.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"
import * as TlsFiles from "./TlsFiles.ts"

/** The addresses of a server, and what guards them. */
export interface Listening {
  readonly addresses: ReadonlyArray<ListenAddress.ListenAddress>
  readonly tls: Tls.ServerTls | undefined
  /** Whom WebSocket listeners admit; undefined for everybody. */
  readonly rule: Bearer.Rule | undefined
}

/** Reads the options, and the files they name. */
export const read = (settings: Settings): Effect.Effect<Listening, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { options, label } = settings
    const tls = yield* TlsFiles.readServer(settings)
    const rule = yield* AuthRule.read(settings)
    const given = options.listen === undefined ? [ListenAddress.defaultAddress] : [options.listen].flat()
    const addresses = yield* ListenAddress.parseAll(given, label("listen"))
    const kinds = new Set(addresses.map(({ kind }) => kind))
    if (tls !== undefined && !kinds.has("ws") && !kinds.has("tcp"))
      return yield* invalid(`${label("tls.certFile")} needs a ws:// or tcp:// address`)
    // Without any address, the WebSockets are those of the program's own HTTP server.
    if (rule !== undefined && !kinds.has("ws") && kinds.size > 0) {
      return yield* misconfigured(
        `WebSocket auth requires a WebSocket listener, not ${[...kinds].join(", ")}`,
      )
    }
    if (options.allowUnauthenticated !== true) {
      const guard = { token: rule !== undefined, certificate: tls?.clientCa !== undefined }
      for (const address of addresses) yield* ListenAddress.refuseUnguarded(address, guard, label)
    }
    return { addresses, tls, rule }
  })

/** Listens at every address until the scope closes. `lookUp` tells who connects to a unix socket. */
export const bindAll = (
  listening: Listening,
  terms: Terms = {},
  pages: UpgradeAdmission.Pages = {},
  lookUp?: Peers.LookUp,
): Effect.Effect<ReadonlyArray<ListenerService>, TransportError, Scope.Scope> => {
  const { addresses, tls } = listening
  const secure = tls === undefined ? {} : { tls }
  const rules = { pages, ...rulesOf(listening) }
  const layerOf = (address: ListenAddress.ListenAddress): Layer.Layer<Listener, TransportError> => {
    switch (address.kind) {
      case "stdio":
        return StdioTransport.layer(terms)
      case "ws":
        return LazyWebSockets.layerWebSocket({ ...address, ...secure, ...rules, terms })
      case "unix":
        return SocketListener.layerSocket({ ...address, lookUp }, terms)
      case "tcp":
        return SocketListener.layerSocket({ ...address, ...secure }, terms)
    }
  }
  return Effect.forEach(addresses, (address) =>
    Effect.map(Layer.build(layerOf(address)), Context.get(Listener)),
  )
}

/** Whom WebSockets admit. */
export const rulesOf = ({ rule }: Listening): Pick<UpgradeAdmission.Rules, "admit"> =>
  rule === undefined ? {} : { admit: UpgradeAdmission.admitBearer(rule) }

/** The error of an address that cannot be bound, with what to do about it; `label` is how errors name the option. */
export const withRemedy = (error: TransportError, label: string): TransportError => {
  const remedy = remedies[Object(error.cause).code]
  if (remedy === undefined) return error
  return new TransportError({ ...error, message: `${error.message}; ${remedy(label)}` })
}

const remedies: Readonly<Record<string, (label: string) => string>> = {
  EADDRINUSE: (label) =>
    `another program listens there: give ${label} another port, or port 0 for a free one`,
  EADDRNOTAVAIL: (label) =>
    `no interface of this host has that address: give ${label} 127.0.0.1, or 0.0.0.0 for all`,
  EACCES: (label) => `this user may not listen there: give ${label} a port above 1023`,
}
