/**
 * Certificates and keys from PEM files, for servers and clients.
 *
 * A server with a client CA takes no client without a certificate of that CA. A client checks the server's name
 * against its certificate, always.
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import type * as tls from "node:tls"
import * as Effect from "effect/Effect"
import { TransportError } from "../../../core/transport/Transport.ts"

/** What a server shows, and whom it lets in. */
export interface ServerTls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** Clients need a certificate of this authority. */
  readonly clientCa?: string | Buffer
}

/** Whom a client trusts beside the system, and what it shows. */
export interface ClientTls {
  /** Trusted instead of the authorities of the system. */
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
}

/** How long a client may take for its handshake. */
const handshakeMillis = 30_000

const serverOptions = ({ cert, key, clientCa }: ServerTls): tls.TlsOptions => ({
  cert,
  key,
  minVersion: "TLSv1.2",
  handshakeTimeout: handshakeMillis,
  ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
})

/**
 * Deno's `node:tls` takes whatever is written and queues it out of sight, without limit: a client that does not read
 * would fill the memory of a server that has much to say (seen in 2.9). A client, which writes little, may use it.
 */
export const canListen = !("Deno" in globalThis)

/** Makes a server from a certificate and a key, which may be broken: Deno would say so only to its clients. */
export const makeServer = <A>(
  all: ServerTls,
  make: (options: tls.TlsOptions) => A,
): Effect.Effect<A, TransportError> =>
  Effect.try({
    try: () => {
      if (!canListen) throw new Error("Deno's TLS has no back-pressure")
      if (!new X509Certificate(all.cert).checkPrivateKey(createPrivateKey(all.key)))
        throw new Error("the key is not the certificate's")
      return make(serverOptions(all))
    },
    catch: (cause) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      return new TransportError({
        reason: "Open",
        message: `cannot serve over TLS: ${why}`,
        cause,
      })
    },
  })
