/**
 * Where a server listens and whom it lets in: `--listen` with the flags for TLS and authentication.
 *
 * What contradicts itself starts no server: a credential that no listener would ask for, and an address that others
 * can reach and nothing guards.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Listener, type ListenerService, type Terms } from "../../../core/transport/Listener.ts"
import type { TransportError } from "../../../core/transport/Transport.ts"
import * as AuthFlags from "./AuthFlags.ts"
import type * as Bearer from "../auth/Bearer.ts"
import * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import * as SocketListener from "../transport/SocketListener.ts"
import * as StdioTransport from "../transport/StdioTransport.ts"
import * as Tls from "../transport/Tls.ts"
import * as LazyWebSockets from "../transport/LazyWebSockets.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Flags from "./Flags.ts"

export const flags = {
  listen: { type: "string", multiple: true },
  ...Tls.serverFlags,
  ...AuthFlags.flags,
  "allow-unauthenticated": { type: "boolean" },
} as const

export const help = `  --listen ADDRESS           where to listen: stdio, ws://IP:PORT, tcp://IP:PORT or unix:PATH
                             [default: ${ListenAddress.defaultListen}]; may be repeated. Port 0 picks a free one;
                             the bound addresses are the lines on stdout (on stderr, with stdio among them)
  --tls-cert FILE            a PEM certificate (chain): ws:// and tcp:// speak TLS and are printed as wss://, tls://
  --tls-key FILE             its PEM key
  --tls-client-ca FILE       clients need a certificate of this authority
  --ws-auth MODE             ws:// asks for "Authorization: Bearer TOKEN": capability-token or signed-bearer-token
  --ws-token-file FILE       the token, or
  --ws-token-sha256 HEX      its SHA-256, for capability-token
  --ws-shared-secret-file FILE
                             for signed-bearer-token: the secret of the JWTs (HS256), at least 32 bytes
  --ws-issuer TEXT, --ws-audience TEXT
                             what their iss must be, and their aud be or contain [default: anything]
  --ws-max-clock-skew-seconds N
                             how far clocks may differ [default: ${AuthFlags.defaultSkewSeconds}]
  --allow-unauthenticated    listen on addresses that others can reach, though nothing above keeps them out
`

export interface ListenerFlags {
  readonly addresses: ReadonlyArray<ListenAddress.ListenAddress>
  readonly tls: Tls.ServerTls | undefined
  /** Whom WebSocket listeners let in. */
  readonly rule: Bearer.Rule | undefined
}

/** Reads the flags and the files they name. Fails with the text of what is wrong. */
export const read = (values: Flags.Values<typeof flags>): Effect.Effect<ListenerFlags, Error> =>
  Effect.tryPromise({
    try: async () => {
      const tls = Flags.attempt(command, () => Tls.readServer(values))
      const rule = await AuthFlags.read(values)
      const addresses = ListenAddress.parseAll(values.listen)
      const kinds = new Set(addresses.map(({ kind }) => kind))
      if (tls !== undefined && !kinds.has("ws") && !kinds.has("tcp")) {
        throw new Flags.UsageError(command, "--tls-cert needs a ws:// or tcp:// address")
      }
      if (rule !== undefined && !kinds.has("ws")) {
        throw new Error(`WebSocket auth requires a WebSocket listener, not ${[...kinds].join(", ")}`)
      }
      if (values["allow-unauthenticated"] !== true) {
        const guard = { token: rule !== undefined, certificate: tls?.clientCa !== undefined }
        for (const address of addresses) ListenAddress.refuseUnguarded(address, guard)
      }
      return { addresses, tls, rule }
    },
    catch: (error) =>
      error instanceof AuthFlags.ValueError ? new Flags.UsageError(command, error.message) : (error as Error),
  })

/** Listens at every address until the scope closes. */
export const bindAll = (
  { addresses, tls, rule }: ListenerFlags,
  terms: Terms = {},
  pages: UpgradeAdmission.Pages = {},
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
        return SocketListener.layerSocket(address, terms)
      case "tcp":
        return SocketListener.layerSocket({ ...address, ...secure }, terms)
    }
  }
  return Effect.forEach(addresses, (address) =>
    Effect.map(Layer.build(layerOf(address)), Context.get(Listener)),
  )
}

const command = "procwire serve"
