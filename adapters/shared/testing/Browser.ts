/** A browser without a window: what the page of a server does over HTTP, and where it connects. */

/** The page at a link, as the browser that opens it talks to the server. */
export const visit = async (link: string) => {
  const [page = "", secret = ""] = link.split("#once=")
  const { origin } = new URL(page)
  const post = (path: string, body: object, headers = {}) =>
    fetch(new URL(path, page), {
      method: "POST",
      headers: { origin, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    })
  const login = await post("login", { token: secret })
  const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  const info = async () =>
    (await (await fetch(new URL("info", page), { headers: { cookie } })).json()) as object
  const url = new URL("ws", page).href.replace(/^http/, "ws")
  return { status: login.status, secret, cookie, post, info, target: { url, headers: { origin, cookie } } }
}
