/**
 * By which names browsers may reach a listener, and which pages may send requests to it: its own alone.
 *
 * A browser sends the name under which it has found the server. A name that is not known here was pointed here by
 * somebody else (DNS rebinding), whose page would be of the same origin as ours. An address in digits is never such a
 * name.
 */
import { isIP } from "node:net"
import * as Loopback from "../host/Loopback.ts"
import type { Place } from "../transport/Site.ts"

/** A name, with a port and a scheme where these have to be right, too. */
export interface Name {
  readonly scheme?: string | undefined
  /** Lower case; an IPv6 address has its brackets. */
  readonly host: string
  readonly port?: number | undefined
}

/** Reads `NAME`, `NAME:PORT`, `https://NAME` or `https://NAME:PORT`; undefined for anything else. */
export const parse = (text: string): Name | undefined => {
  const [, scheme, host, port] =
    /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[a-z0-9_-][a-z0-9._-]*)(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (host === undefined) return undefined
  return { scheme, host: host.toLowerCase(), ...(port === undefined ? {} : { port: Number(port) }) }
}

/** The origin of a name: `https://build.example`. */
export const format = ({ scheme = "http", host, port }: Name): string =>
  `${scheme}://${host}${port === undefined ? "" : `:${port}`}`

export interface Names {
  /** True for the header `Host` of a browser that has found the server by one of its names. */
  readonly hasHost: (host: string | undefined) => boolean
  /** True for the header `Origin` of a page of ours, which was asked for as `host` or behind a proxy. */
  readonly hasOrigin: (origin: string, host: string | undefined) => boolean
}

/**
 * The names of a listener: its address, `localhost` for loopback, and further ones. The port of a further name does not
 * count in `Host`, because proxies drop it. Ports of one host are one site for cookies, so in `Origin` it always does.
 */
export const make = (place: Place, further: ReadonlyArray<Name>): Names => {
  const usual = place.secure ? "https" : "http"
  const isOwn = ({ host, port }: Required<Name>): boolean => {
    if (port !== place.port) return false
    if (host === "localhost") return isWildcard(place.host) || Loopback.holds(place.host)
    const address = host.replace(/^\[|\]$/g, "")
    return isIP(address) !== 0 && (isWildcard(place.host) || address === place.host)
  }
  return {
    hasHost: (text) => {
      const asked = read(text, usual)
      return asked !== undefined && (isOwn(asked) || further.some(({ host }) => host === asked.host))
    },
    hasOrigin: (text, host) => {
      const origin = /^https?:/.test(text) ? read(text, usual) : undefined
      const asked = origin && read(host, origin.scheme ?? usual)
      if (origin === undefined || asked === undefined) return false
      const named = further.filter(
        (name) => name.host === origin.host && (name.scheme ?? origin.scheme) === origin.scheme,
      )
      if (asked.host === origin.host && asked.port === origin.port)
        return origin.scheme === usual || named.length > 0
      // A proxy has put another name into Host: that of this listener, or its own without the port.
      const wasReplaced = isOwn(asked)
      return named.some(
        ({ scheme, port }) =>
          (port ?? portOf(origin.scheme)) === origin.port &&
          (wasReplaced || scheme !== undefined || port !== undefined),
      )
    },
  }
}

const read = (text: string | undefined, usual: string): Required<Name> | undefined => {
  const name = parse(text ?? "")
  if (name === undefined) return undefined
  const { scheme = usual, host, port = portOf(scheme) } = name
  return { scheme, host, port }
}

const portOf = (scheme: string | undefined): number => (scheme === "https" ? 443 : 80)

const isWildcard = (address: string): boolean => address === "0.0.0.0" || address === "::"
