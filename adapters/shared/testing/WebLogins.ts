/** A listener with the login for browsers, and requests as a browser, or what pretends to be one, would send them. */
import { once } from "node:events"
import * as net from "node:net"
import * as nodeTls from "node:tls"
import { brotliCompressSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { WebSocket } from "real-ws"
import type { Transport } from "../../../core/transport/Transport.ts"
import * as Bearer from "../auth/Bearer.ts"
import * as WebLogin from "../weblogin/WebLogin.ts"
import type { PageFiles } from "../weblogin/PageFiles.ts"
import type { ServerTls } from "../transport/Tls.ts"
import * as WebSocketListener from "../transport/WebSocketListener.ts"

const file = (type: string, text: string) => ({
  bytes: brotliCompressSync(text),
  type,
  hash: text.slice(0, 4),
})

/** The files of a small page. */
export const files: PageFiles = new Map([
  ["/", file("text/html; charset=utf-8", "<!doctype html>")],
  ["/page.js", file("text/javascript; charset=utf-8", "start()")],
])

/** Tokens for each scope. */
export const rule = Bearer.fromDigests([
  { digest: Bearer.sha256("t-own") },
  { digest: Bearer.sha256("t-observe"), name: "reader", scope: "observe" },
  { digest: Bearer.sha256("t-control"), name: "writer", scope: "control" },
])

/** The answer of a listener. */
export interface Reply {
  readonly status: number
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Headers to add, or with undefined to leave out. */
export type Headers = Readonly<Record<string, string | undefined>>

/** An open login. */
export interface Opened {
  readonly port: number
  /** The origin of the page: `http://127.0.0.1:39211`. */
  readonly origin: string
  readonly issue: WebLogin.WebLogin["issue"]
  /** Sends `GET /page.js`, or what the line says, with the headers of a browser that has found the listener. */
  readonly ask: (line: string, headers?: Headers, body?: string) => Promise<Reply>
  /** Logs in as the page does. */
  readonly login: (token: string, headers?: Headers) => Promise<Reply>
  /** Opens a WebSocket from the page with a cookie; it has opened, and its transport is the last one. */
  readonly connect: (cookie: string) => Promise<WebSocket>
  /** Every transport of a WebSocket so far. */
  readonly transports: ReadonlyArray<Transport>
  /** Lets time pass. */
  readonly pass: (millis: number) => Promise<void>
}

interface Options extends Partial<WebLogin.Options> {
  readonly tls?: ServerTls
  readonly host?: string
}

/** The cookie that a reply gives, as the browser sends it. */
export const cookieOf = ({ headers }: Reply): string => headers["set-cookie"]?.split(";")[0] ?? ""

/** Opens a login while `test` uses it. Time stands still. */
export const opened = <A>(test: (login: Opened) => Promise<A>, options: Options = {}) =>
  Effect.gen(function* () {
    const { tls, host = "127.0.0.1", ...rest } = options
    const own = { files, rule, hosts: [], prefix: "", scope: "own", name: "testing", ...rest } as const
    const login = yield* WebLogin.make({ sessionMillis: 3_600_000, ...own })
    const transports: Array<Transport> = []
    const serve = (transport: Transport) => {
      transports.push(transport)
      transport.write("hello")
      return transport.incoming.await.pipe(Effect.ignore)
    }
    const secure = tls === undefined ? {} : { tls }
    const admit = async () => ({ reply: { status: 401, body: "no" } })
    const listener = yield* WebSocketListener.make({ port: 0, host, site: login.site, admit, ...secure })
    yield* Effect.forkScoped(listener.run(serve))
    const port = Number(listener.address.replace(/.*:/u, ""))
    const origin = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`
    const clock = yield* TestClock.testClockWith(Effect.succeed)
    const ask: Opened["ask"] = (line, headers = {}, body = "") =>
      exchange(port, tls !== undefined, line, { host: `127.0.0.1:${port}`, ...headers }, body)
    return yield* Effect.promise(() =>
      test({
        port,
        origin,
        issue: login.issue,
        ask,
        login: (token, headers) => {
          const json = { "content-type": "application/json", origin }
          return ask(`POST ${own.prefix}/login`, { ...json, ...headers }, JSON.stringify({ token }))
        },
        connect: async (cookie) => {
          const url = `${origin.replace("http", "ws")}/ws`
          const socket = new WebSocket(url, { origin, headers: { cookie }, rejectUnauthorized: false })
          socket.on("error", () => {})
          await once(socket, "message")
          return socket
        },
        transports,
        pass: (millis) => Effect.runPromise(clock.adjust(millis)),
      }),
    )
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), silent, Effect.runPromise)

const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** The headers of an upgrade to a WebSocket. */
export const upgrade: Headers = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
}

/** One exchange, byte for byte as it is written here: HTTP clients would tidy paths and headers up. */
const exchange = async (
  port: number,
  secure: boolean,
  line: string,
  headers: Headers,
  body: string,
): Promise<Reply> => {
  const socket = secure
    ? nodeTls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : net.connect(port, "127.0.0.1")
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }
  const lines = Object.entries({ connection: "close", ...length, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  )
  socket.write(`${line} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`)
  let all = Buffer.alloc(0)
  for await (const chunk of socket) {
    all = Buffer.concat([all, chunk as Buffer])
    if (all.toString("latin1").startsWith("HTTP/1.1 101")) break
    const at = all.indexOf("\r\n\r\n")
    const whole = /\r\ncontent-length: (\d+)\r\n/i.exec(all.toString("latin1"))?.[1]
    if (at >= 0 && whole !== undefined && !line.startsWith("HEAD") && all.length >= at + 4 + Number(whole))
      break
  }
  socket.destroy()
  const at = all.indexOf("\r\n\r\n")
  const [first = "", ...rest] = all.subarray(0, at).toString("latin1").split("\r\n")
  const found = rest.map((each) => {
    const colon = each.indexOf(":")
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()] as const
  })
  return {
    status: Number(first.split(" ")[1]),
    headers: Object.fromEntries(found),
    body: all.subarray(at + 4),
  }
}
