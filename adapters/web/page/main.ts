/**
 * The page of a server: logs in, connects, and lists processes. All addresses are relative, so that a proxy may put the
 * page anywhere.
 */
import { connect } from "../../../core/client/Dialects.ts"
import * as WebSocketTransport from "../WebSocketTransport.ts"

const element = <E extends HTMLElement>(id: string) => document.getElementById(id) as E

const post = (path: string, body: object) =>
  fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  })

/** Takes the secret of a link out of the address, so that it is in no history. */
const useLink = async () => {
  const once = new URLSearchParams(location.hash.slice(1)).get("once")
  if (once === null) return
  history.replaceState(null, "", "./")
  await post("login", { token: once })
}

const show = async () => {
  const { login } = (await (await fetch("info")).json()) as { readonly login: boolean }
  element("login").hidden = !login
  const list = element("processes")
  list.hidden = login
  if (login) return
  const url = new URL("ws", location.href)
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  const client = await connect(WebSocketTransport.connect(url.href), { reconnect: {} })
  const { processListAll } = client.environmentInfo.capabilities ?? {}
  const rows: Array<string> = []
  for await (const { processId, state } of client.list(processListAll === true ? { sessions: "all" } : {}))
    rows.push(`${processId} ${state}`)
  list.textContent = rows.join("\n")
  list.dataset["connected"] = "true"
}

element("login").addEventListener("submit", (event) => {
  event.preventDefault()
  const token = new FormData(event.target as HTMLFormElement).get("token")
  void post("login", { token }).then(show)
})

await useLink()
await show()
