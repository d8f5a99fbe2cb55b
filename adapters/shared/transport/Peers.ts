/** The clients of accepted connections. */
import type { Socket } from "node:net"
import { TLSSocket } from "node:tls"
import type { Credential, Peer } from "../../../core/transport/Transport.ts"
import * as SocketAddress from "./SocketAddress.ts"

/** Looks up the other end of a unix socket by its descriptor. */
export type LookUp = (fd: number) => Pick<Peer, "uid" | "pid"> | undefined

/** The client of a TCP connection; `credential` is its admission, if not by its certificate. */
export const ofSocket = (transport: string, socket: Socket, credential?: Credential): Peer => {
  const { remoteAddress: host, remotePort: port } = socket
  const address = host === undefined || port === undefined ? undefined : { host, port }
  return {
    transport,
    address: address === undefined ? undefined : SocketAddress.formatHostAndPort(address),
    credential: credential ?? certificateOf(socket),
    ...(credential?.scope === undefined ? {} : { scope: credential.scope }),
  }
}

/**
 * The client of a unix socket, as far as `lookUp` can tell. It is the user of this process where no other user can open
 * the socket (`isPrivate`), and may do with all sessions what that one may.
 */
export const ofUnixSocket = (socket: Socket, lookUp: LookUp | undefined, isPrivate: boolean): Peer => {
  // No public name leads to the descriptor; Node, Bun and Deno all have this one.
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: unknown } | null }
  const fd = handle?.fd
  const known = typeof fd === "number" && fd >= 0 ? lookUp?.(fd) : undefined
  return { transport: "unix", ...known, ...(isPrivate ? { scope: "control" } : {}) }
}

/** The certificate that a client of TLS has shown and the listener has verified. */
const certificateOf = (socket: Socket): Credential | undefined => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const { subject, issuer } = socket.getPeerCertificate() as Partial<
    ReturnType<TLSSocket["getPeerCertificate"]>
  >
  if (subject === undefined) return undefined
  return { kind: "certificate", name: textOf(subject.CN), issuer: textOf(issuer?.CN) }
}

const textOf = (name: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof name === "string" ? name : name?.join(", ")
