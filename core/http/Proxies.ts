/**
 * Which proxy a request goes through, by the variables that say so, read as the peer implementation reads them.
 *
 * `HTTP_PROXY` and `HTTPS_PROXY` by the scheme of the URL, `ALL_PROXY` for both; upper case wins over lower case. A CGI
 * program (`REQUEST_METHOD`) takes `HTTP_PROXY` from strangers, so it is ignored there. `NO_PROXY` lists hosts that are
 * asked directly: names, with all names below them, addresses and IPv4 networks; `*`, which the peer ignores, means all.
 */
import * as Either from "effect/Either"
import * as Url from "./Url.ts"

type Env = Readonly<Record<string, string>>

/** The proxy for a URL; undefined if its host is asked directly. */
export const proxyOf = (href: string, env: Env): Url.Url | undefined => {
  const url = Either.getOrUndefined(Url.parse(href))
  if (url === undefined) return undefined
  const text =
    named(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", env) ?? variable("ALL_PROXY", env)
  if (text === undefined || isExempt(url.hostname, variable("NO_PROXY", env) ?? "")) return undefined
  const proxy = Either.getOrUndefined(Url.parse(text.includes("://") ? text : `http://${text}`))
  return proxy === undefined || proxy.hostname === "" ? undefined : proxy
}

const variable = (name: string, env: Env): string | undefined =>
  env[name] || env[name.toLowerCase()] || undefined

const named = (name: string, env: Env): string | undefined =>
  name === "HTTP_PROXY" && env["REQUEST_METHOD"] !== undefined ? undefined : variable(name, env)

/** True for a host that the list names. */
export const isExempt = (hostname: string, list: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || isNamed(host, entry) || isInside(host, entry))
}

const isNamed = (host: string, entry: string): boolean => {
  const name = entry.replace(/^\./, "")
  return host === name || host.endsWith(`.${name}`)
}

const isInside = (host: string, network: string): boolean => {
  const [base = "", bits = ""] = network.split("/")
  const [one, other] = [toNumber(host), toNumber(base)]
  if (one === undefined || other === undefined || !/^\d+$/.test(bits) || Number(bits) > 32) return false
  const size = 2 ** (32 - Number(bits))
  return Math.floor(one / size) === Math.floor(other / size)
}

const toNumber = (address: string): number | undefined =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(address)
    ? address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
    : undefined
