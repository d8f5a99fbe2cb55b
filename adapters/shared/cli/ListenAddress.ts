/** `--listen`: where to serve. The texts of the errors for what the peer implementation knows, too, are its own. */
import { BlockList, isIP } from "node:net"
import * as SocketAddress from "../transport/SocketAddress.ts"

export type ListenAddress =
  | { readonly kind: "stdio" }
  | { readonly kind: "ws"; readonly host: string; readonly port: number }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string }

/** The address that a server listens on if none is given: a free port of the loopback interface. */
export const defaultListen = "ws://127.0.0.1:0"

/** Every address that was given, in order; throws with the text of the error. */
export const parseAll = (texts: ReadonlyArray<string> = [defaultListen]): ReadonlyArray<ListenAddress> => {
  const all = texts.map(parse)
  if (all.filter(({ kind }) => kind === "stdio").length > 1) {
    throw new Error("--listen stdio may be given only once")
  }
  return all
}

/** What keeps strangers out of the listeners of a server. */
export interface Guard {
  /** `--ws-auth` */
  readonly token: boolean
  /** `--tls-client-ca` */
  readonly certificate: boolean
}

/** Throws for an address that others can reach and nothing guards. */
export const refuseUnguarded = (address: ListenAddress, guard: Guard): void => {
  if (address.kind === "stdio" || address.kind === "unix" || isLoopback(address.host)) return
  if (guard.certificate || (address.kind === "ws" && guard.token)) return
  const url = `${address.kind}://${SocketAddress.formatHostAndPort(address)}`
  const remedy = address.kind === "ws" ? "`--ws-auth` or `--tls-client-ca`" : "`--tls-client-ca`"
  throw new Error(
    `refusing to listen on ${url}: whoever can reach it could run anything; use ${remedy}, or \`--allow-unauthenticated\``,
  )
}

const isLoopback = (host: string): boolean => loopback.check(host, isIP(host) === 6 ? "ipv6" : "ipv4")

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8)
loopback.addAddress("::1", "ipv6")

/** Reads `stdio`, `stdio://`, `ws://IP:PORT`, `tcp://IP:PORT` with a literal address, or `unix:PATH`. */
export const parse = (text: string): ListenAddress => {
  if (text === "stdio" || text === "stdio://") return { kind: "stdio" }
  if (text.startsWith("ws://")) return { kind: "ws", ...literal(text, "websocket", "ws://IP:PORT") }
  if (text.startsWith("tcp:")) return { kind: "tcp", ...literal(text, "tcp", "tcp://IP:PORT") }
  if (!text.startsWith("unix:")) {
    throw new Error(`unsupported --listen URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\``)
  }
  const address = SocketAddress.parse(text)
  return address?.kind === "unix" ? address : invalid(text, "unix", "unix:PATH")
}

const literal = (text: string, kind: string, expected: string) => {
  const { host, port } =
    SocketAddress.parseHostAndPort(text.replace(/^\w+:\/\//, "")) ?? invalid(text, kind, expected)
  return isIP(host) === 0 ? invalid(text, kind, expected) : { host, port }
}

const invalid = (text: string, kind: string, expected: string): never => {
  throw new Error(`invalid ${kind} --listen URL \`${text}\`; expected \`${expected}\``)
}
