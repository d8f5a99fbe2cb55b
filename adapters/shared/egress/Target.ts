/** The host that a request to a proxy names, and the headers that go on to it. */
import * as Result from "effect/Result"
import * as Host from "../../../core/features/egress/Host.ts"
import { portOf } from "../../../core/features/egress/Rules.ts"

/** Names and values in turn, as they came. */
export type RawHeaders = ReadonlyArray<string>

/** The host of a request, in its usual form. */
export interface Target {
  readonly host: string
  readonly port: number
  /** The path with its query, for the host. */
  readonly path: string
}

/** No target could be read, or two that differ: the reason of the denial, and a sentence. */
export interface Fault {
  readonly reason: "malformed" | "host_mismatch"
  readonly message: string
}

/** The target of CONNECT, or of SOCKS5. */
export const ofAuthority = (text: string, usual?: number): Target | Fault => {
  const malformed = (message: string): Fault => ({ reason: "malformed", message })
  const [, name, digits] = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(text) ?? []
  if (name === undefined) return malformed(`${Host.shown(text)} is not HOST:PORT`)
  const host = Host.parse(name)
  if (Result.isFailure(host)) return malformed(host.failure)
  const port = digits === undefined ? usual : portOf(digits)
  return port === undefined
    ? malformed(`${Host.shown(text)} has no port from 1 to 65535`)
    : { host: host.success, port, path: "" }
}

/** The target of a request in absolute form. Its Host has to name the same. */
export const ofRequest = (url: string, headers: RawHeaders): Target | Fault => {
  const [, authority, path = ""] = /^(?:http|ws):\/\/([^/?#\\]*)([/?][^#]*)?$/i.exec(url) ?? []
  if (authority === undefined)
    return {
      reason: "malformed",
      message:
        `${Host.shown(url)} is no http:// URL: this is the proxy of procwire, which takes those, CONNECT for ` +
        "everything else, and SOCKS5",
    }
  const target = ofAuthority(authority, 80)
  if ("reason" in target) return target
  const hosts = valuesOf(headers, "host")
  const named = hosts.length === 1 ? ofAuthority(hosts[0]!, 80) : undefined
  const isSame =
    named !== undefined && !("reason" in named) && named.host === target.host && named.port === target.port
  if (hosts.length > 0 && !isSame)
    return {
      reason: "host_mismatch",
      message: `the request is for ${Host.withPort(target.host, target.port)}, but its Host is ${Host.shown(hosts.join())}`,
    }
  return { ...target, path: path.startsWith("/") ? path : `/${path}` }
}

/** The values of a header; `name` is in lower case. */
export const valuesOf = (headers: RawHeaders, name: string): ReadonlyArray<string> =>
  headers.flatMap((value, at) => (at % 2 === 1 && headers[at - 1]?.toLowerCase() === name ? [value] : []))

/** The tokens of a header with a list. */
export const tokensOf = (headers: RawHeaders, name: string): ReadonlyArray<string> =>
  valuesOf(headers, name).flatMap((value) => value.split(",").map((token) => token.trim().toLowerCase()))

/** Of one connection, or for the proxy. The framing of a body is made anew. */
const ofHop = new Set(
  "connection keep-alive te trailer trailers transfer-encoding upgrade expect host".split(" "),
)

/** The headers without those of one hop: the ones of proxies, and the ones that Connection names. */
export const onwards = (headers: RawHeaders): ReadonlyArray<string> => {
  const named = new Set(tokensOf(headers, "connection"))
  return headers.filter((_, at) => {
    const name = (headers[at - (at % 2)] ?? "").toLowerCase()
    // The length of a body stays, whatever Connection says.
    return name === "content-length" || !(ofHop.has(name) || name.startsWith("proxy-") || named.has(name))
  })
}
