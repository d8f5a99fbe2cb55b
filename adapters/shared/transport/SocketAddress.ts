/**
 * Addresses of sockets that carry lines: `unix:PATH` (also `unix:///absolute/path`), `tcp://HOST:PORT`, and
 * `tls://HOST:PORT` for TLS over TCP.
 */

export type SocketAddress =
  | { readonly kind: "unix"; readonly path: string }
  | ({ readonly kind: "tcp" | "tls" } & HostAndPort)

/** A host and a port of it. */
export interface HostAndPort {
  /** A name or a literal address, without brackets. */
  readonly host: string
  /** 0 takes a free one, where somebody listens. */
  readonly port: number
}

/** Reads an address; undefined for another scheme or a malformed text. A path is taken as it is, without escapes. */
export const parse = (text: string): SocketAddress | undefined => {
  if (text.startsWith("unix:")) {
    const rest = text.slice("unix:".length)
    const path = rest.startsWith("//") ? rest.slice(2) : rest
    const wellFormed = path !== "" && !path.includes("\0") && (path === rest || path.startsWith("/"))
    return wellFormed ? { kind: "unix", path } : undefined
  }
  const kind = text.startsWith("tcp://") ? "tcp" : text.startsWith("tls://") ? "tls" : undefined
  const found = kind === undefined ? undefined : parseHostAndPort(text.slice("tcp://".length))
  return kind === undefined || found === undefined ? undefined : { kind, ...found }
}

/** `HOST:PORT`, with brackets around an IPv6 address, and nothing else. */
export const parseHostAndPort = (text: string): HostAndPort | undefined => {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s/?#@:[\]]+)):([0-9]{1,5})$/.exec(text)
  const host = found?.[1] ?? found?.[2]
  const port = Number(found?.[3])
  return host !== undefined && port <= 65_535 ? { host, port } : undefined
}

/** The text that `parse` reads. */
export const format = (address: SocketAddress): string =>
  address.kind === "unix" ? `unix:${address.path}` : `${address.kind}://${formatHostAndPort(address)}`

/** `HOST:PORT`, with brackets around an IPv6 address. */
export const formatHostAndPort = ({ host, port }: HostAndPort): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** True for the URL of a server: an address of a socket, or `ws://` and `wss://`. */
export const isUrl = (text: string): boolean => webSocketUrl.test(text) || parse(text) !== undefined

const webSocketUrl = /^wss?:\/\/[^/]/
