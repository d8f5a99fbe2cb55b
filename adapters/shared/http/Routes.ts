/**
 * Routes to origins: directly or through a proxy, in the clear or over TLS.
 *
 * A proxy gets `http:` URLs as absolute request targets, `https:` ones through a tunnel (CONNECT) for each request.
 * Certificates are checked against the runtime's authorities and those that the environment names.
 */
import { Buffer } from "node:buffer"
import type * as Http from "node:http"
import process from "node:process"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { proxyOf } from "../../../core/http/Proxies.ts"
import type { Duplex } from "node:stream"
import type * as Https from "node:https"
import type { Header } from "../../../core/http/HttpClient.ts"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { SecureContext } from "node:tls"

/** The way of one request to its origin, or to the proxy before it. */
export interface Route {
  /** `node:http` or `node:https`, loaded when it is first needed. */
  readonly module: Pick<typeof Http, "request">
  readonly options: Https.RequestOptions & Trusted
  /** Headers for the proxy, unless the caller has set its own. */
  readonly headers: ReadonlyArray<Header>
}

/** The route to a URL. Rejects where there is none. */
export type Routes = (url: string, signal: AbortSignal) => Promise<Route>

/** Idle connections: how many are kept per origin, and for how many milliseconds. */
const kept = { keepAlive: true, maxFreeSockets: 16, timeout: 60_000 }

/** Closing the scope ends all connections. */
export const make: Effect.Effect<Routes, never, Scope.Scope> = Effect.gen(function* () {
  const { env } = process
  const agents: Array<Http.Agent> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => agents.forEach((agent) => agent.destroy())))

  const http = once(async (): Promise<Route> => {
    const module = await import("node:http")
    const agent = new module.Agent(kept)
    agents.push(agent)
    return { module, options: { agent }, headers: [] }
  })
  const https = once(async (): Promise<Route> => {
    const [module, authorities] = await Promise.all([import("node:https"), readAuthorities(env)])
    const agent = new module.Agent({ ...kept, ...authorities })
    agents.push(agent)
    return { module, options: { agent, ...authorities }, headers: [] }
  })

  return async (href, signal) => {
    const proxy = proxyOf(href, toStrings(env))
    const direct = href.startsWith("https:") ? https : http
    if (proxy === undefined) return direct()
    const through = new URL(proxy.href)
    if (!/^https?:$/.test(through.protocol))
      throw new Error(`${through.protocol} is no kind of proxy that is known here`)
    const to = toProxy(through, await (through.protocol === "https:" ? https : http)())
    return direct === https
      ? tunnel(new URL(href), to, await https(), signal)
      : { ...to, options: { ...to.options, path: href } }
  }
})

const toProxy = (
  { protocol, hostname, port, username, password }: URL,
  { module, options }: Route,
): Route => {
  const place = {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port || (protocol === "https:" ? 443 : 80),
  }
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const value = `Basic ${Buffer.from(credentials).toString("base64")}`
  const headers = credentials === ":" ? [] : [{ name: "proxy-authorization", value }]
  return { module, options: { ...options, ...place }, headers }
}

/** Runs `make` once; a failure is not kept, and the next call tries again. */
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    }))
}

const toStrings = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ""]))

/** The route through a proxy: one CONNECT for one request. `origin` is the route of a direct request. */
const tunnel = async (url: URL, proxy: Route, origin: Route, signal: AbortSignal): Promise<Route> => {
  const tls = await import("node:tls")
  const target = `${url.hostname}:${url.port || 443}`
  const connecting = proxy.module.request({
    ...proxy.options,
    method: "CONNECT",
    path: target,
    agent: false,
    signal,
  })
  connecting.setHeader("host", target)
  for (const { name, value } of proxy.headers) connecting.setHeader(name, value)
  const socket = await opened(connecting)
  const { agent: _, ...options } = origin.options
  const servername = /^[\d.]+$|:/.test(url.hostname) ? "" : url.hostname
  const { ca, secureContext } = options
  const trusted = ca === undefined || secureContext === undefined ? {} : { ca, secureContext }
  const createConnection = () => tls.connect({ ...trusted, socket, host: url.hostname, servername })
  return { module: origin.module, options: { ...options, createConnection }, headers: [] }
}

const opened = (connecting: Http.ClientRequest): Promise<Duplex> =>
  new Promise((resolve, reject) => {
    connecting.on("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`the proxy answered ${statusCode} to CONNECT`))
    })
    connecting.on("response", ({ statusCode }) => {
      connecting.destroy()
      reject(new Error(`the proxy answered ${statusCode} to CONNECT`))
    })
    connecting.on("error", reject).end()
  })

/**
 * Authorities that are trusted beside the runtime's own: those that `CODEX_CA_CERTIFICATE` (a variable of the peer
 * implementation), `SSL_CERT_FILE` or `SSL_CERT_DIR` (variables of OpenSSL) name; none where the environment names
 * none.
 */
export const readAuthorities = async (env: NodeJS.ProcessEnv): Promise<Trusted> => {
  const file = env["CODEX_CA_CERTIFICATE"] || env["SSL_CERT_FILE"]
  const folder = file ? undefined : env["SSL_CERT_DIR"]
  if (!file && !folder) return {}
  const texts = file ? [await readFile(file, "utf8")] : await readAll(folder ?? "")
  // `ca` replaces the runtime's authorities, so they have to be in the list too.
  const extra = env["NODE_EXTRA_CA_CERTS"]
  if (extra) texts.push(await readFile(extra, "utf8").catch(() => ""))
  const { createSecureContext, rootCertificates } = await import("node:tls")
  const ca = [...rootCertificates, ...texts.filter((text) => text.includes("-----BEGIN CERTIFICATE-----"))]
  // Share one context: parsing hundreds of certificates for each connection would take longer than the connection.
  return { ca, secureContext: createSecureContext({ ca }) }
}

/** Authorities for TLS; without any, those of the runtime. */
export interface Trusted {
  readonly ca?: Array<string>
  readonly secureContext?: SecureContext
}

/** The readable files of a folder, which may hold more than certificates. */
const readAll = async (folder: string): Promise<Array<string>> => {
  const names = await readdir(folder).catch(() => [])
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "")))
}
