/**
 * Selects the proxy of a request by environment variables, as the peer implementation does.
 *
 * `HTTP_PROXY` and `HTTPS_PROXY` apply by the scheme of the URL, `ALL_PROXY` to both; upper case wins over lower case.
 * In a CGI program (`REQUEST_METHOD` is set) `HTTP_PROXY` is ignored: there clients set it by a `Proxy` header.
 * `NO_PROXY` lists hosts without a proxy: domains with their subdomains, addresses and IPv4 networks; `*`, which the
 * peer ignores, means all.
 */
import * as Result from "effect/Result"
import * as Url from "../protocol/Url.ts"

/** The environment of the server. */
export type Env = Readonly<Record<string, string>>

/** The proxy for a URL; undefined if the request goes to its host directly. */
export const proxyOf = (href: string, env: Env): Url.Url | undefined => {
  const url = Result.getOrUndefined(Url.parse(href))
  if (url === undefined) return undefined
  const text =
    named(url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", env) ?? variable("ALL_PROXY", env)
  if (text === undefined || isExempt(url.hostname, variable("NO_PROXY", env) ?? "")) return undefined
  const proxy = Result.getOrUndefined(Url.parse(text.includes("://") ? text : `http://${text}`))
  return proxy === undefined || proxy.hostname === "" ? undefined : proxy
}

const variable = (name: string, env: Env): string | undefined =>
  env[name] || env[name.toLowerCase()] || undefined

const named = (name: string, env: Env): string | undefined =>
  name === "HTTP_PROXY" && env["REQUEST_METHOD"] !== undefined ? undefined : variable(name, env)

/** True if the value of `NO_PROXY` covers the host. */
export const isExempt = (hostname: string, list: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase()
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || isInDomain(host, entry) || isInNetwork(host, entry))
}

const isInDomain = (host: string, entry: string): boolean => {
  const name = entry.replace(/^\./, "")
  return host === name || host.endsWith(`.${name}`)
}

const isInNetwork = (host: string, network: string): boolean => {
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
