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
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import type * as Peers from "../transport/Peers.ts"
import type { Site } from "../transport/Site.ts"
import * as SocketListener from "../transport/SocketListener.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import type { Settings } from "./Given.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as RenewableFiles from "./RenewableFiles.ts"
import { invalid, misconfigured, type ServeError } from "./ServeError.ts"
import * as SystemdSockets from "./SystemdSockets.ts"

/** The addresses of a server, and what guards them. */
export interface Listening extends RenewableFiles.RenewableFiles {
  readonly addresses: ReadonlyArray<ListenAddress.ListenAddress>
}

/** Reads the options and the files they name, and looks up what systemd has passed. */
export const read = (
  settings: Settings,
  systemd: Omit<SystemdSockets.Systemd, "label">,
): Effect.Effect<Listening, ServeError, TextFile.TextFiles> =>
  Effect.gen(function* () {
    const { options, label } = settings
    const files = yield* RenewableFiles.read(settings)
    const { tls, rule } = files
    // A host of a fleet is reached through its routers, unless it is told otherwise.
    const usual = options.join === undefined ? [ListenAddress.defaultAddress] : []
    const given = options.listen === undefined ? usual : [options.listen].flat()
    const parsed = yield* ListenAddress.parseAll(given, label("listen"))
    const addresses = yield* SystemdSockets.resolve(parsed, { ...systemd, label: label("listen") })
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
    return { ...files, addresses }
  })

/** What WebSocket listeners answer beside upgrades. */
export interface Beside {
  readonly pages?: UpgradeAdmission.Pages
  /** Pages for browsers. */
  readonly site?: Site | undefined
}

/** Listens at every address until the scope closes. `lookUp` tells who connects to a unix socket. */
export const bindAll = (
  listening: Pick<Listening, "addresses" | "tls" | "rule">,
  terms: Terms = {},
  { pages = {}, site }: Beside = {},
  lookUp?: Peers.LookUp,
): Effect.Effect<ReadonlyArray<ListenerService>, TransportError, Scope.Scope> => {
  const { addresses, tls } = listening
  const secure = tls === undefined ? {} : { tls }
  const rules = { pages, site, ...rulesOf(listening) }
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
export const rulesOf = ({ rule }: Pick<Listening, "rule">): Pick<UpgradeAdmission.Rules, "admit"> =>
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
