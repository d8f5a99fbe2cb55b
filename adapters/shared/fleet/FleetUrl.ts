/** The addresses of a router: that of clients, and below it those of hosts and of other routers. */

export type Role = "client" | "host" | "dial" | "hop"

const roles: Readonly<Record<string, Role>> = {
  "/": "client",
  "/host": "host",
  "/dial": "dial",
  "/hop": "hop",
}

/** The address for a role, below that of clients. */
export const of = (
  url: string,
  role: Exclude<Role, "client"> | "hosts" | "drain",
  query: Readonly<Record<string, string>> = {},
) => {
  const whole = new URL(url)
  whole.pathname = `${whole.pathname.replace(/\/$/, "")}/${role}`
  whole.search = new URLSearchParams(query).toString()
  return whole.href
}

/** The purpose of a request, and its query; undefined for no request to a router. */
export const read = (
  requested: string,
): { readonly role: Role; readonly query: URLSearchParams } | undefined => {
  if (!requested.startsWith("/")) return undefined
  const { pathname, searchParams: query } = new URL(requested, "http://router")
  const role = Object.hasOwn(roles, pathname) ? roles[pathname] : undefined
  return role === undefined ? undefined : { role, query }
}

/** `K=V` for each label; undefined if one is none. */
export const labelsOf = (texts: ReadonlyArray<string>): Readonly<Record<string, string>> | undefined => {
  const found = texts.map((text) => /^([^=]+)=(.*)$/s.exec(text))
  return found.includes(null) ? undefined : Object.fromEntries(found.map((one) => [one?.[1], one?.[2]]))
}
