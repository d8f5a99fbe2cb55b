/** Ports on which processes listen: the one that a text names, and the URL of its page. */
import type { PortResult } from "../../../../core/features/port/wire.ts"

/** The port of the last address of this machine in a text: servers print where they listen. */
export const lastIn = (text: string): number | undefined => {
  const last = [...text.matchAll(/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{1,5})(?!\d)/g)].at(-1)
  return last === undefined ? undefined : Number(last[1])
}

/**
 * The URL that leads a browser to an address on the loopback of the server; undefined if the page itself does not come
 * from a loopback. Its host is never that of the page: browsers send the cookie of a host to each of its ports, and so
 * to the process.
 */
export const urlOf = (pageHost: string, { host, port }: PortResult): string | undefined => {
  if (!/^(?:127(?:\.\d+){3}|\[::1\]|(?:.+\.)?localhost)$/.test(pageHost)) return undefined
  return `http://${pageHost === host ? "localhost" : host}:${port}/`
}
