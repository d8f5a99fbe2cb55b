/** Addresses to serve at. Error texts for addresses that the peer implementation knows too are the peer's. */
import { isIP } from "node:net"
import * as Effect from "effect/Effect"
import * as Loopback from "../host/Loopback.ts"
import * as SocketAddress from "../transport/SocketAddress.ts"
import type { Label } from "./Option.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

export type ListenAddress =
  | { readonly kind: "stdio" }
  | { readonly kind: "ws"; readonly host: string; readonly port: number; readonly fd?: number }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly fd?: number }
  | UnixAddress

interface UnixAddress {
  readonly kind: "unix"
  readonly path: string
  /** The descriptor of a socket that listens there already. */
  readonly fd?: number
  /** True: a socket on which another server listens is replaced. */
  readonly replaces?: boolean
  /** True if the socket takes connections of every user of this host. */
  readonly open?: boolean
}

/** An address as it is given: those of systemd are known only when they are looked up. */
export type Given = ListenAddress | { readonly kind: "systemd"; readonly name: string | undefined }

/** The address of a server that is given none: a free port of the loopback interface. */
export const defaultAddress = "ws://127.0.0.1:0"

type Parsed<A> = Effect.Effect<A, ServeError>

/** The address with the port that the server before had, which printed `before`, in place of any free one. */
export const again = (address: ListenAddress, before = ""): ListenAddress => {
  if (!("port" in address) || address.port !== 0) return address
  return { ...address, port: Number(/^(?:ws|tcp|wss|tls):.*:(\d+)$/.exec(before)?.[1] ?? 0) }
}

/** Every address that was given, in order; `label` is how errors name the option. */
export const parseAll = (texts: ReadonlyArray<string>, label = "--listen"): Parsed<ReadonlyArray<Given>> =>
  Effect.gen(function* () {
    const all = yield* Effect.forEach(texts, (text) => parse(text, label))
    const names = all.flatMap((each) => {
      if (each.kind === "stdio") return ["stdio"]
      if (each.kind === "systemd") return [each.name === undefined ? "systemd" : `systemd:${each.name}`]
      return []
    })
    const twice = names.find((name, index) => names.indexOf(name) < index)
    if (twice === undefined) return all
    return yield* misconfigured(`${label} ${twice} may be given only once`)
  })

/** Reads `stdio`, `ws://IP:PORT`, `tcp://IP:PORT` with a literal address, `unix:PATH`, `systemd` or `systemd:NAME`. */
export const parse = (text: string, label = "--listen"): Parsed<Given> => {
  const invalid = (kind: string, expected: string) =>
    misconfigured(`invalid ${kind} ${label} URL \`${text}\`; expected \`${expected}\``)
  if (text === "stdio" || text === "stdio://") return Effect.succeed({ kind: "stdio" })
  if (text.startsWith("ws://")) {
    const address = literal(text)
    return address ? Effect.succeed({ kind: "ws", ...address }) : invalid("websocket", "ws://IP:PORT")
  }
  if (text.startsWith("tcp:")) {
    const address = literal(text)
    return address ? Effect.succeed({ kind: "tcp", ...address }) : invalid("tcp", "tcp://IP:PORT")
  }
  if (text.startsWith("unix:")) {
    const address = SocketAddress.parse(text)
    return address?.kind === "unix" ? Effect.succeed(address) : invalid("unix", "unix:PATH")
  }
  const systemd = /^systemd(?::(.+))?$/.exec(text)
  if (systemd !== null) return Effect.succeed({ kind: "systemd", name: systemd[1] })
  const port = /^:?(\d{1,5})$/.exec(text)?.[1]
  return misconfigured(
    `unsupported ${label} URL \`${text}\`; expected \`ws://IP:PORT\` or \`stdio\`, ` +
      "or `tcp://IP:PORT`, `unix:PATH` or `systemd`" +
      (port === undefined ? "" : `: \`ws://127.0.0.1:${port}\` for that port of this host`),
  )
}

const literal = (text: string): SocketAddress.HostAndPort | undefined => {
  const found = SocketAddress.parseHostAndPort(text.replace(/^\w+:\/\//, ""))
  return found === undefined || isIP(found.host) === 0 ? undefined : found
}

/** The guards of the listeners of a server. */
export interface Guard {
  /** WebSocket clients need a token (`--ws-auth`). */
  readonly token: boolean
  /** TLS clients need a certificate (`--tls-client-ca`). */
  readonly certificate: boolean
}

/** Fails for an address that others can reach and nothing guards. */
export const refuseUnguarded = (address: ListenAddress, guard: Guard, label: Label): Parsed<void> => {
  if (address.kind === "unix") return address.open === true ? refuseOpen(address, label) : Effect.void
  if (address.kind === "stdio" || Loopback.holds(address.host)) return Effect.void
  if (guard.certificate || (address.kind === "ws" && guard.token)) return Effect.void
  const url = `${address.kind}://${SocketAddress.formatHostAndPort(address)}`
  const token = address.kind === "ws" ? `\`${label("auth.mode")}\` or ` : ""
  return misconfigured(
    `refusing to listen on ${url}: whoever can reach it could run anything; ` +
      `use ${token}\`${label("tls.clientCaFile")}\`, or \`${label("allowUnauthenticated")}\``,
  )
}

const refuseOpen = ({ path }: UnixAddress, label: Label) =>
  misconfigured(
    `refusing to listen on unix:${path}: every user of this host could run anything; ` +
      `use \`SocketMode=0600\` in its .socket unit, or \`${label("allowUnauthenticated")}\``,
  )
