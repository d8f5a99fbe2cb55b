/**
 * The cookie that names a visitor's session. No script can read it, and no other site's request carries it. Its name
 * has the port, because browsers do not tell the ports of a host apart.
 */

/** The attributes of every cookie of a listener. */
export interface Jar {
  readonly port: number
  /** The path of the page: `/`, or `/p/` behind a proxy. */
  readonly path: string
}

/** The header `Set-Cookie` for so many milliseconds; `secure` keeps it to TLS. */
export const set = ({ port, path }: Jar, secret: string, millis: number, secure: boolean): string => {
  const age = Math.max(0, Math.ceil(millis / 1000))
  const attributes = [`Path=${path}`, `Max-Age=${age}`, "HttpOnly", "SameSite=Strict"]
  return [`${nameOf(port)}=${secret}`, ...attributes, ...(secure ? ["Secure"] : [])].join("; ")
}

/** The header that takes the cookie back. */
export const clear = (jar: Jar, secure: boolean): string => set(jar, "", 0, secure)

/** The secrets in a header `Cookie`; there may be several, of different paths. */
export const read = ({ port }: Jar, header: string | undefined): ReadonlyArray<string> => {
  const begin = `${nameOf(port)}=`
  return (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin) && pair.length > begin.length)
    .map((pair) => pair.slice(begin.length))
}

const nameOf = (port: number): string => `procwire_${port}`
