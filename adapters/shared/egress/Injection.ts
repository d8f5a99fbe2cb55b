/**
 * Secrets in requests: the value of a secret in place of its placeholder, in headers for the hosts that it names.
 *
 * A request has one of two ways: to such a host in absolute form, without TLS; or by the route of the secret on the
 * listener of the proxy, `/_secret/NAME/PATH`, which is a request for PATH to the host of the secret by TLS. Bodies and
 * URLs are never looked at. In the headers of answers a value becomes the placeholder again.
 */
import { Buffer } from "node:buffer"
import { isIP, type Socket } from "node:net"
import process from "node:process"
import type { TLSSocket } from "node:tls"
import * as Address from "../../../core/features/egress/Address.ts"
import * as Host from "../../../core/features/egress/Host.ts"
import type { Injection } from "../../../core/spawn/Egress.ts"
import type { Trusted } from "../http/Routes.ts"
import * as Target from "./Target.ts"

/** The begin of the path of each route. */
const begin = "/_secret/"

/** A request by a route. */
export interface Route {
  readonly injection: Injection
  /** The host and the path there. */
  readonly target: Target.Target
  /** The URL of the route, as the client has named this listener. */
  readonly base: string
}

/** No route, for this reason. */
export interface Fault {
  readonly status: 400 | 403 | 404
  readonly message: string
}

/** The route of a request; undefined if its URL is none of one. */
export const route = (
  url: string,
  method: string,
  headers: Target.RawHeaders,
  injections: ReadonlyArray<Injection>,
): Route | Fault | undefined => {
  if (!url.startsWith(begin)) return undefined
  const [, name = "", path = ""] = /^([^/?#]*)([^#]*)/.exec(url.slice(begin.length)) ?? []
  const injection = injections.find((one) => one.name === name)
  if (injection === undefined)
    return { status: 404, message: `this process has no secret ${Host.shown(name)} for hosts` }
  const { base } = injection
  if (base === undefined)
    return { status: 404, message: `the secret ${name} has no route: its hosts are patterns` }
  const hosts = Target.valuesOf(headers, "host")
  const [listener] = hosts
  if (listener === undefined || hosts.length > 1 || !isLoopback(listener))
    return {
      status: 400,
      message: `Host is ${Host.shown(hosts.join())}, and not this listener on the loopback`,
    }
  if (path.split("?")[0]?.split(/[/\\]/).some(isDots) === true)
    return { status: 400, message: "the path has a segment . or .., which no client sends" }
  // A host that answers it tells the value to the process.
  if (/^trace$/i.test(method)) return { status: 403, message: "TRACE would be answered with the secret" }
  return {
    injection,
    target: { ...base, path: path.startsWith("/") ? path : `/${path}` },
    base: `http://${listener}${begin}${name}`,
  }
}

const isLoopback = (authority: string): boolean => {
  const target = Target.ofAuthority(authority, 80)
  if ("reason" in target) return false
  const address = Address.parse(target.host)
  return address === undefined ? target.host === "localhost" : Address.special(address) === "loopback"
}

const isDots = (segment: string): boolean => /^\.{1,2}$/.test(segment.replaceAll(/%2e/gi, "."))

/** The headers of a request by a route. */
export const onRoute = (
  headers: ReadonlyArray<string>,
  { injection, target }: Route,
  injections: ReadonlyArray<Injection>,
): ReadonlyArray<string> => {
  const [name, value] = injection.header
  const filled = fill(headers, target, injections)
  const given = Target.valuesOf(headers, name.toLowerCase())
  // One that has the placeholder keeps its form, such as Basic with the name of a user.
  if (given.length === 1 && Target.valuesOf(filled, name.toLowerCase())[0] !== given[0]) return filled
  const isOther = (at: number) => (filled[at - (at % 2)] ?? "").toLowerCase() !== name.toLowerCase()
  return [...filled.filter((_, at) => isOther(at)), name, value]
}

/** The headers of a request to a host, with values in place of placeholders. */
export const fill = (
  headers: ReadonlyArray<string>,
  { host, port }: Pick<Target.Target, "host" | "port">,
  injections: ReadonlyArray<Injection>,
): ReadonlyArray<string> => {
  const allowed = injections.filter(({ mayGoTo }) => mayGoTo(host, port))
  if (allowed.length === 0) return headers
  return headers.map((text, at) =>
    at % 2 === 0
      ? text
      : allowed.reduce((filled, { placeholder, value }) => replaced(filled, placeholder, value), text),
  )
}

/** A header with one text in place of another, also within Basic. */
const replaced = (header: string, from: string, to: string): string => {
  const [, scheme, basic] = /^(basic +)([\w+/=-]+)$/i.exec(header) ?? []
  if (basic === undefined) return header.replaceAll(from, () => to)
  const decoded = Buffer.from(basic, "base64").toString("latin1")
  return decoded.includes(from)
    ? `${scheme}${Buffer.from(
        decoded.replaceAll(from, () => to),
        "latin1",
      ).toString("base64")}`
    : header
}

/** The name of a secret that would go to a public address without TLS, and that must not. */
export const exposed = (
  headers: ReadonlyArray<string>,
  { host, port }: Pick<Target.Target, "host" | "port">,
  address: string | undefined,
  injections: ReadonlyArray<Injection>,
): string | undefined => {
  if (isNear(address)) return undefined
  const found = injections.find(
    (one) => !one.http && fill(headers, { host, port }, [one]).some((text, at) => text !== headers[at]),
  )
  return found?.name
}

const near = new Set(["loopback", "private", "shared (CGNAT)"])

/** True for an address of this machine, or of a private network. */
const isNear = (text: string | undefined): boolean => {
  const address = text === undefined ? undefined : Address.parse(text)
  return address !== undefined && near.has(Address.special(address) ?? "")
}

/** The headers of an answer without values; those that lead to the host of a route lead to the route. */
export const unfill = (
  headers: ReadonlyArray<string>,
  injections: ReadonlyArray<Injection>,
  by: Route | undefined,
): ReadonlyArray<string> =>
  injections.length === 0
    ? headers
    : headers.map((text, at) => {
        const hidden = injections.reduce(
          (all, { placeholder, value }) => replaced(all, value, placeholder),
          text,
        )
        return at % 2 === 0 || by === undefined ? hidden : led(headers[at - 1] ?? "", hidden, by)
      })

const led = (name: string, value: string, by: Route): string => {
  switch (name.toLowerCase()) {
    case "location":
    case "content-location":
      return routed(value, by)
    case "link":
      return value.replaceAll(/<([^<>]*)>/g, (_, url: string) => `<${routed(url, by)}>`)
    default:
      return value
  }
}

/** A URL at the host of a route, by that route; others as they are. */
const routed = (url: string, { target: { host, port }, base }: Route): string => {
  if (/^\/(?![/\\])/.test(url)) return `${base}${url}`
  const [, authority, rest = ""] = /^(?:https:)?\/\/([^/?#\\]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined) return url
  const named = Target.ofAuthority(authority, 443)
  return !("reason" in named) && named.host === host && named.port === port
    ? `${base}${/^[/?#]|^$/.test(rest) ? "" : "/"}${rest}`
    : url
}

/** The authorities of the runtime, and those that the environment of the server names. */
export const authorities = async (): Promise<Trusted> =>
  (await import("../http/Routes.ts")).readAuthorities(process.env)

/** TLS to a host on a connection, verified; a text is the reason why there is none. */
export const secure = async (socket: Socket, host: string, trusted: Trusted): Promise<TLSSocket | string> => {
  const { connect } = await import("node:tls")
  return new Promise((done) => {
    const secured = connect({
      ...trusted,
      socket,
      host,
      servername: isIP(host) === 0 ? host : "",
      // NODE_TLS_REJECT_UNAUTHORIZED does not count.
      rejectUnauthorized: true,
      ALPNProtocols: ["http/1.1"],
    })
    const settle = (result: TLSSocket | string) => {
      secured.removeListener("error", failed)
      socket.removeListener("close", closed)
      if (typeof result === "string") {
        secured.on("error", () => {})
        secured.destroy()
        socket.destroy()
      }
      done(result)
    }
    const failed = (error: NodeJS.ErrnoException) => settle(error.code ?? error.message)
    const closed = () => settle("ECONNRESET")
    secured.on("error", failed)
    socket.on("close", closed)
    secured.once("secureConnect", () => {
      secured.on("error", () => {})
      settle(secured)
    })
  })
}
