/** A route to an `https:` origin through a proxy: one CONNECT with TLS inside, for one request. */
import type { ClientRequest } from "node:http"
import type { Duplex } from "node:stream"
import type { Route } from "./Route.ts"

/** `proxy` is the route to the proxy, `origin` the route of a direct request. */
export const tunnel = async (url: URL, proxy: Route, origin: Route, signal: AbortSignal): Promise<Route> => {
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

const opened = (connecting: ClientRequest): Promise<Duplex> =>
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
