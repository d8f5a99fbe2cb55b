/**
 * The WebSocket listener as an HTTP server: the upgrade, and the endpoints beside it.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import { probe, upgradeHeaders } from "../wire/HttpProbe.ts"

const http = { transports: "ws", requires: ["http-endpoints"] } as const

export const websocketHttp = table("websocket", {
  "readyz-is-200": {
    ...http,
    level: "must",
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
    ...http,
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
    ...http,
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
    ...http,
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
    ...http,
    level: "must",
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
  "no-compression-negotiated": {
    ...http,
    level: "should",
    spec: [],
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
    ...http,
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
    ...http,
    level: "should",
    spec: [],
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
    ...http,
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
    ...http,
    level: "must",
    spec: [57, "b76"],
    says:
      "Any request with an Origin header, even null, empty or the server's own, is answered with 403 on /, " +
      "/readyz and any other path.",
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
