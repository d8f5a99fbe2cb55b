/**
 * Where a server listens and whom it admits: `--listen` with the flags for TLS and authentication.
 *
 * Flags that contradict each other start no server: neither does a credential that no listener would ask for, nor an
 * address that others can reach and nothing guards.
 */
import type * as FileSystem from "@effect/platform/FileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
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
import * as AuthFlags from "./AuthFlags.ts"
import * as Flags from "./Flags.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as TlsFlags from "./TlsFlags.ts"

export const flags = {
  listen: { type: "string", multiple: true },
  ...TlsFlags.serverFlags,
  ...AuthFlags.flags,
  "allow-unauthenticated": { type: "boolean" },
} as const

export const help = `\
  --listen ADDRESS           where to listen: stdio, ws://IP:PORT, tcp://IP:PORT or unix:PATH
                             [default: ${ListenAddress.defaultAddress}]; may be repeated. Port 0 picks a free one;
                             the bound addresses are the lines on stdout (on stderr, with stdio among them)
  --tls-cert FILE            a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://
  --tls-key FILE             its PEM key
  --tls-client-ca FILE       clients need a certificate of this authority
${AuthFlags.help}\
  --allow-unauthenticated    listen on addresses that others can reach, though nothing above keeps them out
`

export interface ListenerFlags {
  readonly addresses: ReadonlyArray<ListenAddress.ListenAddress>
  readonly tls: Tls.ServerTls | undefined
  /** Whom WebSocket listeners admit; undefined for everybody. */
  readonly rule: Bearer.Rule | undefined
}

/** Reads the flags and the files they name. */
export const read = (
  command: string,
  values: Flags.Values<typeof flags>,
): Effect.Effect<ListenerFlags, Flags.UsageError | Flags.ConfigurationError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const tls = yield* TlsFlags.readServer(command, values)
    const rule = yield* AuthFlags.read(command, values)
    const addresses = yield* ListenAddress.parseAll(values.listen)
    const kinds = new Set(addresses.map(({ kind }) => kind))
    if (tls !== undefined && !kinds.has("ws") && !kinds.has("tcp")) {
      return yield* new Flags.UsageError({ command, message: "--tls-cert needs a ws:// or tcp:// address" })
    }
    if (rule !== undefined && !kinds.has("ws")) {
      const message = `WebSocket auth requires a WebSocket listener, not ${[...kinds].join(", ")}`
      return yield* new Flags.ConfigurationError({ message })
    }
    if (values["allow-unauthenticated"] !== true) {
      const guard = { token: rule !== undefined, certificate: tls?.clientCa !== undefined }
      for (const address of addresses) yield* ListenAddress.refuseUnguarded(address, guard)
    }
    return { addresses, tls, rule }
  })

/** Listens at every address until the scope closes. `lookUp` tells who connects to a unix socket. */
export const bindAll = (
  { addresses, tls, rule }: ListenerFlags,
  terms: Terms = {},
  pages: UpgradeAdmission.Pages = {},
  lookUp?: Peers.LookUp,
): Effect.Effect<ReadonlyArray<ListenerService>, TransportError, Scope.Scope> => {
  const secure = tls === undefined ? {} : { tls }
  const rules = { pages, ...(rule === undefined ? {} : { admit: UpgradeAdmission.admitBearer(rule) }) }
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
    Layer.build(layerOf(address)).pipe(Effect.map(Context.get(Listener)), Effect.mapError(withRemedy)),
  )
}

/** What to do about an address that cannot be bound. */
const withRemedy = (error: TransportError): TransportError => {
  const remedy = remedies[Object(error.cause).code]
  if (remedy === undefined) return error
  return new TransportError({ ...error, message: `${error.message}; ${remedy}` })
}

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there: give --listen another port, or port 0 for a free one",
  EADDRNOTAVAIL: "no interface of this host has that address: give --listen 127.0.0.1, or 0.0.0.0 for all",
  EACCES: "this user may not listen there: give --listen a port above 1023",
}
