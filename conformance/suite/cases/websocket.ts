/**
 * The WebSocket listener: frames, pings and the end of a connection. The WebSocket listener as an HTTP server: the
 * upgrade, and the endpoints beside it.
 */
import { Check, idText, table, within } from "../Vocabulary.ts"
import { probe, upgradeHeaders } from "../wire/HttpProbe.ts"
import { awaitExit, firstLine } from "../wire/ServerProcess.ts"

const ws = { transports: "ws" } as const

export const websocket = table("websocket", ws, {
  "bound-url-on-stdout": {
    spec: [51],
    server: "fresh",
    says: `A server started on port 0 prints exactly one line on its standard output, ws://127.0.0.1:PORT,
      and nothing else.`,
    run: async (t) => {
      const server = t.launch([])
      let seen = ""
      server.child.stdout.on("data", (bytes: Buffer) => (seen += bytes.toString("utf8")))
      const line = await firstLine(server, t.timeoutMs)
      Check.isTrue(/^ws:\/\/127\.0\.0\.1:[1-9]\d*$/.test(line), `the first line is ${JSON.stringify(line)}`)
      await probe(line, { path: "/readyz" }, t.timeoutMs)
      server.signal("SIGTERM")
      await awaitExit(server, t.timeoutMs)
      Check.equal(seen, `${line}\n`, "the standard output")
    },
  },
  "answers-in-text-frames": {
    spec: [46],
    says: "A request in a binary frame is answered in a text frame.",
    play: async (wire, t) => {
      await wire.barrier()
      const from = wire.inbox.messages.length
      wire.sendBytes(Buffer.from('{"id":31,"method":"environment/status"}'))
      const answer = await wire.inbox.wait("the answer", t.timeoutMs, ({ messages }) => messages[from])
      Check.equal(idText(answer.text), "31", "the id of the answer")
      Check.equal(answer.binary, false, "the answer is a binary frame")
    },
  },
  "blank-frame-refused": {
    spec: [30],
    says: "An empty text frame is answered with id -1 and -32600.",
    run: async (t) => {
      const { error, message } = await (await t.open()).exchange("")
      Check.equal(idText(message.text), "-1", "the id of the answer")
      Check.equal(error?.code, -32600, "the code of the answer")
    },
  },
  "two-values-in-a-frame-refused": {
    spec: [47],
    says: "Two requests in one frame, with a newline between them, are malformed: one answer with id -1 and -32600.",
    play: async (wire) => {
      const one = '{"id":1,"method":"environment/status"}'
      const { error, message } = await wire.exchange(`${one}\n${one}`)
      Check.equal(idText(message.text), "-1", "the id of the answer")
      Check.equal(error?.code, -32600, "the code of the answer")
      const from = wire.inbox.messages.length
      await wire.barrier()
      Check.equal(wire.inbox.messages.length - from, 1, "messages after the error and one request")
    },
  },
  "ping-answered": {
    spec: [48],
    says: 'A ping with the payload "hey" is answered with a pong of the same payload, also before the handshake.',
    run: async (t) => {
      const wire = await t.connect()
      wire.channel.ping("hey")
      const pong = await wire.inbox.wait("the pong", t.timeoutMs, ({ controls }) =>
        controls.find(({ kind }) => kind === "pong"),
      )
      Check.equal(pong.payload, "hey", "the payload of the pong")
    },
  },
  "server-pings": {
    level: "should",
    spec: [49],
    slow: true,
    says: "On an idle connection the server sends a ping at least once in 60 seconds.",
    play: async (wire) => {
      const ping = await wire.inbox.wait("a ping", 60_000, ({ controls }) =>
        controls.find(({ kind }) => kind === "ping"),
      )
      Check.equal(ping.payload, "", "the payload of the ping")
    },
  },
  "no-close-frame": {
    level: "peer",
    spec: [50],
    says: "After a violation the server ends the TCP connection without a close frame: the client sees code 1006.",
    play: async (wire, t) => {
      wire.sendText('{"method":"bogus"}')
      const how = await wire.inbox.wait("the end of the connection", t.timeoutMs, (inbox) => inbox.ended())
      Check.contains(how, "1006", "the end of the connection")
    },
  },
  // guards: idle-handshakes
  "connections-are-independent": {
    says: "While one connection waits in a long poll, another one is answered.",
    run: async (t) => {
      const [one, other] = [await t.open(), await t.open()]
      const params = {
        processId: "quiet",
        argv: ["/bin/sh", "-c", "sleep 30"],
        cwd: "file:///tmp",
        tty: false,
      }
      await one.ok("process/start", { ...params, env: one.childEnv })
      const poll = one.begin("process/read", { processId: "quiet", waitMs: t.timeoutMs * 2 })
      await other.barrier()
      await Promise.all(Array.from({ length: 20 }, () => other.barrier()))
      const first = await within(
        Promise.race([poll.then(() => "poll"), other.barrier()]),
        t.timeoutMs,
        "an answer",
      )
      Check.isTrue(first === undefined, "the long poll came back")
    },
  },
})

const http = { transports: "ws", requires: ["http-endpoints"] } as const

export const websocketHttp = table("websocket", http, {
  "readyz-is-200": {
    spec: [52, "b76"],
    says: "GET and HEAD of /readyz, also with a query, are answered with 200 and an empty body.",
    run: async (t) => {
      const { url = "" } = await t.server()
      for (const [method, path] of [
        ["GET", "/readyz"],
        ["HEAD", "/readyz"],
        ["GET", "/readyz?x=1"],
      ] as const) {
        const answer = await probe(url, { method, path }, t.timeoutMs)
        Check.equal(answer.status, 200, `${method} ${path}`)
        Check.equal(answer.body, "", `the body of ${method} ${path}`)
      }
    },
  },
  "readyz-post-refused": {
    level: "should",
    spec: [52],
    says: "POST /readyz is answered with 405 and allow: GET,HEAD.",
    run: async (t) => {
      const answer = await probe(
        (await t.server()).url ?? "",
        { method: "POST", path: "/readyz" },
        t.timeoutMs,
      )
      Check.equal(answer.status, 405, "POST /readyz")
      Check.equal(answer.headers["allow"], "GET,HEAD", "the allow header")
    },
  },
  "other-paths-are-404": {
    level: "should",
    spec: [56],
    says: "/livez, /readyz/ and an upgrade at /foo are answered with 404.",
    run: async (t) => {
      const { url = "" } = await t.server()
      for (const path of ["/livez", "/readyz/"]) {
        Check.equal((await probe(url, { path }, t.timeoutMs)).status, 404, `GET ${path}`)
      }
      const upgrade = await probe(url, { path: "/foo", headers: upgradeHeaders }, t.timeoutMs)
      Check.equal(upgrade.status, 404, "an upgrade at /foo")
    },
  },
  "healthz-and-metrics-are-404": {
    level: "peer",
    spec: [53],
    says: "/healthz and /metrics are answered with 404.",
    run: async (t) => {
      const { url = "" } = await t.server()
      for (const path of ["/healthz", "/metrics"]) {
        Check.equal((await probe(url, { path }, t.timeoutMs)).status, 404, `GET ${path}`)
      }
    },
  },
  "upgrade-with-query": {
    spec: [56],
    says: "An upgrade at /?q=1 succeeds.",
    run: async (t) => {
      const { url = "" } = await t.server()
      const answer = await probe(url, { path: "/?q=1", headers: upgradeHeaders }, t.timeoutMs)
      Check.equal(answer.status, 101, "an upgrade at /?q=1")
      Check.equal(answer.headers["sec-websocket-protocol"] ?? null, null, "the subprotocol")
      Check.equal(answer.headers["sec-websocket-extensions"] ?? null, null, "the extensions")
    },
  },
  "late-upgrade": {
    level: "should",
    slow: true,
    says: "A client that is silent for 15 seconds after it has connected is still upgraded.",
    run: async (t) => {
      const { url = "" } = await t.server()
      const answer = await probe(url, { path: "/", headers: upgradeHeaders, silentMs: 15_000 }, t.timeoutMs)
      Check.equal(answer.status, 101, "the late upgrade")
    },
  },
  "no-compression-negotiated": {
    level: "should",
    says: "An upgrade that offers a subprotocol and permessage-deflate succeeds, and neither is negotiated.",
    run: async (t) => {
      const offer = { "sec-websocket-protocol": "a, b", "sec-websocket-extensions": "permessage-deflate" }
      const headers = { ...upgradeHeaders, ...offer }
      const answer = await probe((await t.server()).url ?? "", { path: "/", headers }, t.timeoutMs)
      Check.equal(answer.status, 101, "the upgrade")
      Check.equal(answer.headers["sec-websocket-protocol"] ?? null, null, "the subprotocol")
      Check.equal(answer.headers["sec-websocket-extensions"] ?? null, null, "the extensions")
    },
  },
  "plain-requests-refused": {
    level: "should",
    spec: [54, 55],
    says: "GET / without an upgrade is answered with 400, POST / with 405.",
    run: async (t) => {
      const { url = "" } = await t.server()
      Check.equal((await probe(url, { path: "/" }, t.timeoutMs)).status, 400, "GET /")
      Check.equal((await probe(url, { method: "POST", path: "/" }, t.timeoutMs)).status, 405, "POST /")
    },
  },
  "bad-upgrades-refused": {
    level: "should",
    says: "An upgrade with another version than 13, or without a key, is answered with 400.",
    run: async (t) => {
      const { url = "" } = await t.server()
      const { "sec-websocket-key": key, ...keyless } = upgradeHeaders
      const old = { ...keyless, "sec-websocket-key": key, "sec-websocket-version": "8" }
      Check.equal((await probe(url, { path: "/", headers: old }, t.timeoutMs)).status, 400, "version 8")
      Check.equal((await probe(url, { path: "/", headers: keyless }, t.timeoutMs)).status, 400, "no key")
    },
  },
  "texts-of-the-peer": {
    level: "peer",
    spec: [54, 55],
    says: "Refused HTTP requests have the exact bodies of Codex.",
    run: async (t) => {
      const { url = "" } = await t.server()
      const get = await probe(url, { path: "/" }, t.timeoutMs)
      Check.equal(get.body, "Connection header did not include 'upgrade'", "GET /")
      const post = await probe(url, { method: "POST", path: "/" }, t.timeoutMs)
      Check.equal(post.body, "Request method must be `GET`", "POST /")
    },
  },
  // guards: page-origin
  "origin-refused": {
    spec: [57, "b76"],
    says: `Any request with an Origin header, even null, empty or the server's own, is answered with 403 on
      /, /readyz and any other path.`,
    run: async (t) => {
      const { url = "" } = await t.server()
      for (const origin of ["http://evil.example", "null", "", url.replace("ws:", "http:")]) {
        for (const path of ["/", "/readyz", "/nope"]) {
          const headers = { ...(path === "/" ? upgradeHeaders : {}), origin }
          const answer = await probe(url, { path, headers }, t.timeoutMs)
          Check.equal(answer.status, 403, `${path} with the origin ${JSON.stringify(origin)}`)
        }
      }
    },
  },
})
