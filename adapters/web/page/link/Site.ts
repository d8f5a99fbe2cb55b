/** The login of the page: who the visitor is, logging in and out. All addresses are relative: a proxy may be in front. */

export interface Info {
  readonly login: boolean
  /** True if the server takes tokens; otherwise only the links that it prints let in. */
  readonly tokens: boolean
  /** The rights of the visitor over the sessions of others: `observe`, `control`. */
  readonly scopes: ReadonlyArray<string>
  readonly name: string
  /** Another one after each start of the server. */
  readonly instance: string
}

/** The deadline of an answer of the site, in milliseconds. */
const patience = 3000

/** Asks the site. Rejects where no server answers. */
export const info = async (): Promise<Info> => {
  const answer = await fetch("info", { cache: "no-store", signal: AbortSignal.timeout(patience) })
  if (!answer.ok) throw new Error(`the server answers ${answer.status} ${answer.statusText}`)
  const { login, tokens, scopes, name = "", instance = "" } = (await answer.json()) as Partial<Info>
  return { login: login === true, tokens: tokens !== false, scopes: scopes ?? [], name, instance }
}

/** Logs in with a token, or with the secret of a link; resolves with why that was refused, if it was. */
export const login = async (
  secret: { readonly token: string } | { readonly once: string },
): Promise<string | undefined> => {
  const token = "once" in secret ? secret.once : secret.token
  const answer = await post("login", { token })
  if (answer.ok) return undefined
  if (answer.status === 429) return "Too many attempts. Wait a moment, then try again."
  if (answer.status !== 401 && answer.status !== 403) return `The server answers ${answer.status}.`
  return "once" in secret
    ? "This link was used already, or is too old."
    : "The server does not know this token."
}

export const logout = async (): Promise<void> => {
  await post("logout", {})
}

const post = (path: string, body: object) =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    cache: "no-store",
  })

/** True if the address has the secret of a link. */
export const hasOnce = (): boolean => new URLSearchParams(location.hash.slice(1)).has("once")

/** Takes the secret of a link out of the address at once, so that it is in no history and in no picture. */
export const takeOnce = (): string | undefined => {
  const once = new URLSearchParams(location.hash.slice(1)).get("once")
  if (once === null) return undefined
  history.replaceState(null, "", location.pathname + location.search)
  return once
}

export const socketUrl = (): string => {
  const url = new URL("ws", location.href)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  url.search = ""
  url.hash = ""
  return url.href
}
