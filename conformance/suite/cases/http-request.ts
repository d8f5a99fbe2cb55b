/**
 * `http/request`: one exchange made by the server, with the whole body in the result.
 */
import { gzipSync } from "node:zlib"
import * as Check from "../Check.ts"
import * as HttpOrigin from "../wire/HttpOrigin.ts"
import { bodyOf, headerOf, originTable } from "./origin.ts"

const header = (name: string, value: string) => ({ name, value })

const zipped = gzipSync("zipped")

export const httpRequest = originTable("http/request", {
  "get-round-trip": {
    level: "must",
    spec: ["b54"],
    serve: (_, response) => {
      response.writeHead(200, [
        ["X-One", "1"],
        ["x-many", "a"],
        ["X-Many", "b"],
      ])
      response.end("hello")
    },
    says:
      "A GET returns the status, the headers in their order with names in lower case, repeated ones " +
      "included, and the body in bodyBase64.",
    run: async ({ ask, origin }) => {
      const result = await ask("/path?q=1")
      Check.equal(result["status"], 200, "status")
      Check.equal(bodyOf(result).toString("utf8"), "hello", "the body")
      Check.equal(headerOf(result, "x-one"), ["1"], "x-one")
      Check.equal(headerOf(result, "x-many"), ["a", "b"], "x-many")
      const [seen] = origin.seen
      Check.equal([seen?.method ?? "", seen?.path ?? ""], ["GET", "/path?q=1"], "what was asked")
    },
  },
  "post-round-trip": {
    level: "must",
    spec: ["b54"],
    serve: (seen, response) => response.end(seen.body),
    says:
      "A POST sends the bytes of bodyBase64 with their length, and the headers in their order, repeated " +
      "ones included.",
    run: async ({ ask, origin }) => {
      const body = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 11) % 256))
      const headers = [header("x-many", "a"), header("x-other", "c"), header("x-many", "b")]
      const result = await ask("/", { method: "POST", headers, bodyBase64: body.toString("base64") })
      Check.isTrue(bodyOf(result).equals(body), "the body came back changed")
      const [seen] = origin.seen
      if (seen === undefined) return Check.fail("no request arrived")
      Check.equal(seen.method, "POST", "the method")
      Check.equal([...HttpOrigin.values(seen, "x-many")], ["a", "b"], "x-many")
      Check.equal([...HttpOrigin.values(seen, "content-length")], ["70000"], "content-length")
    },
  },
  "header-in-an-array": {
    level: "should",
    spec: [],
    says: "A header may be an array of its name and its value, and the variable or null. One without a value is refused.",
    run: async ({ ask, wire, params, origin }) => {
      await ask("/", {
        headers: [
          ["x-one", "1"],
          ["x-two", "2", null],
        ],
      })
      const [seen] = origin.seen
      if (seen === undefined) return Check.fail("no request arrived")
      Check.equal([...HttpOrigin.values(seen, "x-one")], ["1"], "x-one")
      Check.equal([...HttpOrigin.values(seen, "x-two")], ["2"], "x-two")
      await wire.refused("http/request", params("/", { headers: [["x"]] }), -32602)
    },
  },
  "adds-few-headers": {
    level: "should",
    spec: ["b55"],
    says: "A GET adds only accept: */* and host to the requested headers: no user-agent and no accept-encoding.",
    run: async ({ ask, origin }) => {
      await ask("/", { headers: [header("x-mine", "1")] })
      const [seen] = origin.seen
      if (seen === undefined) return Check.fail("no request arrived")
      Check.equal([...HttpOrigin.names(seen)], ["accept", "host", "x-mine"], "the headers")
      Check.equal([...HttpOrigin.values(seen, "accept")], ["*/*"], "accept")
    },
  },
  "compressed-body-as-it-is": {
    level: "must",
    spec: ["b55"],
    serve: (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" })
      response.end(zipped)
    },
    says: "A body with content-encoding gzip is returned undecoded, with its header.",
    run: async ({ ask }) => {
      const result = await ask("/")
      Check.isTrue(bodyOf(result).equals(zipped), "the body is not the compressed one")
      Check.equal(headerOf(result, "content-encoding"), ["gzip"], "content-encoding")
    },
  },
  "error-statuses-are-results": {
    level: "must",
    spec: ["b56"],
    serve: (seen, response) => {
      response.writeHead(Number(seen.path.slice(1)))
      response.end()
    },
    says: "The statuses 204, 404 and 500 are results, not errors.",
    run: async ({ ask }) => {
      for (const status of [204, 404, 500]) {
        const result = await ask(`/${status}`)
        Check.equal(result["status"], status, "status")
        Check.equal(result["bodyBase64"], "", "bodyBase64")
      }
    },
  },
  "bad-input-refused": {
    level: "must",
    spec: ["b57"],
    says:
      "An invalid method, header name, header value, URL or base64, and a scheme other than http and https, " +
      "are refused with -32602, and nothing is sent.",
    run: async ({ wire, params, origin }) => {
      const faults = [
        { method: "BAD METHOD" },
        { headers: [header("bad name", "x")] },
        { headers: [header("x", "a\nb")] },
        { url: "/relative" },
        { url: "ftp://127.0.0.1/x" },
        { bodyBase64: "@@@" },
      ]
      for (const fault of faults) await wire.refused("http/request", params("/", fault), -32602)
      Check.equal(origin.seen.length, 0, "requests that arrived")
    },
  },
  "members-required": {
    level: "must",
    spec: ["b57"],
    says:
      "http/request without method, url or requestId is refused with -32602 and a text that names what is " +
      "missing.",
    run: async ({ wire, params }) => {
      for (const name of ["method", "url", "requestId"]) {
        const text = await wire.refused("http/request", params("/", { [name]: undefined }), -32602)
        Check.contains(text, name, "the text")
      }
    },
  },
  "input-texts-of-the-peer": {
    level: "peer",
    spec: ["b57"],
    says: "Refused inputs have the exact texts of Codex.",
    run: async ({ wire, params }) => {
      const texts = [
        [{ method: "BAD METHOD" }, "method is invalid: invalid HTTP method"],
        [{ headers: [header("bad name", "x")] }, "header name is invalid: invalid HTTP header name"],
        [{ headers: [header("x", "a\nb")] }, "header value is invalid for x: failed to parse header value"],
        [{ url: "/relative" }, "url is invalid: relative URL without a base"],
        [{ url: "ftp://127.0.0.1/x" }, "only supports http and https URLs, got ftp"],
      ] as const
      for (const [fault, text] of texts) {
        await wire.refused("http/request", params("/", fault), -32602, `http/request ${text}`)
      }
    },
  },
  "refused-connection": {
    level: "must",
    spec: ["b58"],
    says: "A request to a port without a listener fails with -32603 and a text that begins with http/request failed.",
    run: async ({ wire, params, origin }) => {
      origin.close()
      const text = await wire.refused("http/request", params("/"), -32603)
      Check.isTrue(text.startsWith("http/request failed: "), `the text is ${text}`)
    },
  },
  timeout: {
    level: "must",
    spec: ["b58"],
    serve: () => undefined,
    says: "A request with timeoutMs that is never answered fails with -32603; one without timeoutMs still waits.",
    run: async ({ t, wire, params }) => {
      let answered = false
      void wire.begin("http/request", params("/")).then(
        () => (answered = true),
        () => undefined,
      )
      const other = await t.open()
      const text = await other.refused("http/request", params("/", { timeoutMs: 200 }), -32603)
      Check.isTrue(text.startsWith("http/request failed: "), `the text is ${text}`)
      Check.isTrue(!answered, "the request without timeoutMs was answered")
    },
  },
  "timeout-of-zero": {
    level: "peer",
    spec: ["b58"],
    says: "timeoutMs 0 fails with -32603 http/request failed: route-aware request timed out.",
    run: async ({ wire, params }) => {
      const text = "http/request failed: route-aware request timed out"
      await wire.refused("http/request", params("/", { timeoutMs: 0 }), -32603, text)
    },
  },
  "redirect-followed": {
    level: "must",
    spec: ["b59"],
    serve: (seen, response) => {
      if (seen.path !== "/end") response.writeHead(302, { location: "/end" })
      response.end(seen.path)
    },
    says: "A redirect is followed by default, and returned with its location with redirectPolicy stop.",
    run: async ({ ask, origin }) => {
      for (const other of [{}, { redirectPolicy: "follow" }]) {
        const followed = await ask("/start", other)
        Check.equal(followed["status"], 200, "status")
        Check.equal(bodyOf(followed).toString("utf8"), "/end", "the body")
      }
      const before = origin.seen.length
      const stopped = await ask("/start", { redirectPolicy: "stop" })
      Check.equal(stopped["status"], 302, "status")
      Check.equal(headerOf(stopped, "location"), ["/end"], "location")
      Check.equal(origin.seen.length - before, 1, "requests that arrived for stop")
    },
  },
  "redirect-loop": {
    level: "must",
    spec: ["b59"],
    serve: (_, response) => {
      response.writeHead(302, { location: "/again" })
      response.end()
    },
    says: "A redirect to itself fails with -32603 and too many redirects.",
    run: async ({ wire, params }) => {
      const text = await wire.refused("http/request", params("/again"), -32603)
      Check.equal(text, "http/request failed: too many redirects", "the text")
    },
  },
  "credentials-in-the-url": {
    level: "should",
    spec: [],
    says: "A user and a password in the URL become Basic authentication.",
    run: async ({ ask, params, origin }) => {
      const url = Check.text(params("/")["url"], "url").replace("//", "//me:pass@")
      await ask("/", { url })
      const [seen] = origin.seen
      if (seen === undefined) return Check.fail("no request arrived")
      Check.equal([...HttpOrigin.values(seen, "authorization")], ["Basic bWU6cGFzcw=="], "authorization")
    },
  },
})
