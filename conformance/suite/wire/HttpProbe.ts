/**
 * One HTTP request to the listener of a WebSocket server, upgrades included.
 */
import { once } from "node:events"
import { request, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { within } from "../Deadline.ts"

/** A request; `GET` by default. */
export interface Question {
  readonly method?: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  /** Milliseconds for which the connection is silent before the request; 0 by default. */
  readonly silentMs?: number
}

/** An answer; its body is empty after an upgrade. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export const upgradeHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
}

const facts = (message: IncomingMessage, body: string): Answer => ({
  status: message.statusCode ?? 0,
  headers: message.headers,
  body,
})

export const probe = async (url: string, question: Question, timeoutMs: number): Promise<Answer> => {
  const { hostname, port } = new URL(url)
  const { method = "GET", path, headers = {}, silentMs = 0 } = question
  const socket = connect(Number(port), hostname)
  await within(once(socket, "connect"), timeoutMs, `a connection to ${url}`)
  await pause(silentMs)
  const answer = new Promise<Answer>((resolve, reject) => {
    const asking = request(
      { hostname, port, method, path, headers, createConnection: () => socket },
      (message) => {
        let body = ""
        message.on("data", (bytes: Buffer) => (body += bytes.toString("utf8")))
        message.on("end", () => resolve(facts(message, body)))
      },
    )
    asking.on("upgrade", (message, socket) => {
      socket.destroy()
      resolve(facts(message, ""))
    })
    asking.on("error", reject)
    asking.end()
  })
  return within(answer, timeoutMs, `the answer to ${method} ${path}`)
}
