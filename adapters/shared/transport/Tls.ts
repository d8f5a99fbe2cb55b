/**
 * TLS for servers and clients.
 *
 * A server with a client CA accepts no client without a certificate of that CA. A client always checks the server's
 * name against its certificate.
 */
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as tls from "node:tls"
import * as Effect from "effect/Effect"
import { TransportError } from "../../../core/transport/Transport.ts"
import type { ClientTls } from "./ClientTls.ts"

/** The certificate of a server, and whom it admits. All in PEM. */
export interface ServerTls {
  /** The certificate, or a chain that begins with it. */
  readonly cert: string | Buffer
  /** The private key of the certificate. */
  readonly key: string | Buffer
  /** Clients need a certificate of this authority; the default admits all. */
  readonly clientCa?: string | Buffer
  /** Takes what uses newer ones: connections that begin after such a call get those. Each listener passes one. */
  readonly onRenewal?: (use: (renewed: ServerTls) => void) => void
}

/**
 * The same as `node:tls` takes it.
 * @internal
 */
export const toNode = ({
  ca,
  cert,
  key,
}: ClientTls): Record<keyof ClientTls, string | Buffer | undefined> => ({
  ca: toBuffer(ca),
  cert: toBuffer(cert),
  key: toBuffer(key),
})

const toBuffer = (pem: string | Uint8Array | undefined) =>
  pem === undefined || typeof pem === "string" ? pem : Buffer.from(pem)

/** The longest TLS handshake. */
const handshakeMillis = 30_000

const serverOptions = ({ cert, key, clientCa }: ServerTls): tls.TlsOptions => ({
  cert,
  key,
  minVersion: "TLSv1.2",
  handshakeTimeout: handshakeMillis,
  ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
})

/**
 * False on Deno: its `node:tls` has no back-pressure, it queues whatever is written without limit (seen in 2.9). A peer
 * that does not read would fill the memory of a server. Clients, which write little, may use it.
 */
export const canListen = !("Deno" in globalThis)

/** Makes a server, or fails if the certificate or the key is broken, or if they do not belong together. */
export const makeServer = <A extends Pick<tls.Server, "setSecureContext">>(
  all: ServerTls,
  make: (options: tls.TlsOptions) => A,
): Effect.Effect<A, TransportError> =>
  attempt(() => {
    if (!canListen) throw new Error("Deno's TLS has no back-pressure")
    if (!new X509Certificate(all.cert).checkPrivateKey(createPrivateKey(all.key)))
      throw new Error("the key is not the certificate's")
    const server = make(serverOptions(all))
    all.onRenewal?.((renewed) => server.setSecureContext(serverOptions(renewed)))
    return server
  })

/** Fails for what no server could use. */
export const check = (all: ServerTls): Effect.Effect<void, TransportError> =>
  attempt(() => void tls.createSecureContext(serverOptions(all)))

const attempt = <A>(run: () => A): Effect.Effect<A, TransportError> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      const why = cause instanceof Error ? cause.message : String(cause)
      return new TransportError({ reason: "Open", message: `cannot serve over TLS: ${why}`, cause })
    },
  })
