/**
 * `http/request`: one exchange made by the server, with the whole body in the result.
 */
import { gzipSync } from "node:zlib"
import { Check, type JsonObject } from "../Vocabulary.ts"
import * as HttpOrigin from "../wire/HttpOrigin.ts"
import { bodyOf, headerOf, originTable, streamed } from "./origin.ts"

const header = (name: string, value: string) => ({ name, value })

const zipped = gzipSync("zipped")
/** The same by zstd, which not every runtime has. */
const zstd = Buffer.from("KLUv/QRYMQAAemlwcGVkGuR6+w==", "base64")

const wrongSum = Buffer.from(zipped)
wrongSum.writeUInt32LE(0, zipped.length - 8)
const badly: { readonly [path: string]: Buffer } = {
  "/no-gzip": Buffer.from("this is plain text"),
  "/cut-off": zipped.subarray(0, zipped.length - 9),
  "/without-its-end": zipped.subarray(0, zipped.length - 3),
  "/wrong-sum": wrongSum,
}
const badZstd: { readonly [path: string]: Buffer } = {
  "/zstd/none": Buffer.from("this is plain text"),
  "/zstd/cut-off": zstd.subarray(0, zstd.length - 6),
  "/zstd/without-its-end": zstd.subarray(0, zstd.length - 3),
}

/** The headers of a response that was decoded. */
const plainHead = (result: JsonObject): void => {
  Check.equal(result["status"], 200, "status")
  Check.equal(headerOf(result, "x-one"), ["1"], "x-one")
  for (const name of ["content-encoding", "content-length"]) Check.equal(headerOf(result, name), [], name)
}

export const httpRequest = originTable("http/request", {
  "get-round-trip": {
    spec: ["b54"],
    serve: (_, response) => {
      response.writeHead(200, [
        ["X-One", "1"],
        ["x-many", "a"],
        ["X-Many", "b"],
      ])
      response.end("hello")
    },
    says: `A GET returns the status, the headers in their order with names in lower case, repeated ones
      included, and the body in bodyBase64.`,
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
    spec: ["b54"],
    serve: (seen, response) => response.end(seen.body),
    says: `A POST sends the bytes of bodyBase64 with their length, and the headers in their order, repeated
      ones included.`,
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
    peers: ["0.169"],
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
  "adds-accept-encoding": {
    level: "should",
    peers: ["0.171"],
    spec: ["b55"],
    says: `A GET adds only accept: */*, host, and an accept-encoding of zstd and gzip, or of one of them, to
      the requested headers: no user-agent. Who names accept or accept-encoding gets what it has named.`,
    run: async ({ ask, origin }) => {
      await ask("/", { headers: [header("x-mine", "1")] })
      await ask("/", { headers: [header("Accept-Encoding", "identity"), header("accept", "text/plain")] })
      const [plain, named] = origin.seen
      if (plain === undefined || named === undefined) return Check.fail("no request arrived")
      Check.equal(
        [...HttpOrigin.names(plain)],
        ["accept", "accept-encoding", "host", "x-mine"],
        "the headers",
      )
      Check.equal([...HttpOrigin.values(plain, "accept")], ["*/*"], "accept")
      const [asked = ""] = HttpOrigin.values(plain, "accept-encoding")
      Check.isTrue(["zstd,gzip", "zstd", "gzip"].includes(asked), `accept-encoding is ${asked}`)
      Check.equal([...HttpOrigin.values(named, "accept-encoding")], ["identity"], "accept-encoding as named")
      Check.equal([...HttpOrigin.values(named, "accept")], ["text/plain"], "accept as named")
    },
  },
  "compressed-body-is-decoded": {
    peers: ["0.171"],
    spec: ["b55"],
    serve: (seen, response) => {
      const [body, coding] =
        HttpOrigin.values(seen, "x-want")[0] === "zstd" ? [zstd, "zstd"] : [zipped, "gzip"]
      response.writeHead(200, { "x-one": "1", "content-encoding": coding, "content-length": body.length })
      response.end(seen.method === "HEAD" ? undefined : body)
    },
    says: `A body in a coding that the server has asked for (gzip, zstd) is decoded, whole and streamed,
      also after accept-encoding: identity. content-encoding and content-length are left out of the headers,
      also after HEAD.`,
    run: async ({ wire, ask, params, origin }) => {
      await ask("/")
      const asked = HttpOrigin.values(origin.seen[0] ?? Check.fail("no request arrived"), "accept-encoding")
      const codings = ["gzip", "zstd"].filter((one) => asked.join().includes(one))
      Check.isTrue(codings.length > 0, "the server has asked for no coding")
      for (const coding of codings) {
        const want = header("x-want", coding)
        for (const headers of [[want], [want, header("accept-encoding", "identity")]]) {
          const result = await ask("/", { headers })
          Check.equal(bodyOf(result).toString("utf8"), "zipped", `the body in ${coding}`)
          plainHead(result)
          const whole = params("/", { headers, streamResponse: true })
          plainHead(await wire.ok("http/request", whole))
          const frames = await streamed(wire, whole["requestId"])
          Check.equal(
            Buffer.concat(frames.map(({ bytes }) => bytes)).toString("utf8"),
            "zipped",
            "the stream",
          )
          Check.equal(frames.at(-1)?.error ?? null, null, "the error of the stream")
        }
        const head = await ask("/", { method: "HEAD", headers: [want] })
        plainHead(head)
        Check.equal(head["bodyBase64"], "", "the body of HEAD")
      }
    },
  },
  "other-codings-as-they-are": {
    peers: ["0.171"],
    spec: ["b55"],
    serve: (seen, response) => {
      response.writeHead(200, { "content-encoding": decodeURIComponent(seen.path.slice(1)) })
      response.end(zipped)
    },
    says: `A body whose content-encoding is not gzip or zstd alone (deflate, br, x-gzip, identity, GZIP, a
      list of several) is returned as it came, with its header.`,
    run: async ({ ask }) => {
      for (const coding of [
        "deflate",
        "br",
        "x-gzip",
        "identity",
        "GZIP",
        "gzip,gzip",
        "gzip, identity",
        "zstd,gzip",
      ]) {
        const result = await ask(`/${encodeURIComponent(coding)}`)
        Check.isTrue(bodyOf(result).equals(zipped), `the body in ${coding} is not the one that was sent`)
        Check.equal(headerOf(result, "content-encoding"), [coding], "content-encoding")
      }
    },
  },
  "frames-of-zstd": {
    peers: ["0.171"],
    serve: (_, response) => {
      response.writeHead(200, { "content-encoding": "zstd" })
      response.write(zstd)
      response.end(zstd)
    },
    says: "A server that asks for zstd decodes every frame of a body, and one that does not returns it as it came.",
    run: async ({ ask, origin }) => {
      const result = await ask("/")
      const asked = HttpOrigin.values(origin.seen[0] ?? Check.fail("no request arrived"), "accept-encoding")
      const wanted = asked.join().includes("zstd") ? Buffer.from("zippedzipped") : Buffer.concat([zstd, zstd])
      Check.isTrue(bodyOf(result).equals(wanted), `the body is ${bodyOf(result).toString("latin1")}`)
    },
  },
  "first-coding-counts": {
    level: "peer",
    peers: ["0.171"],
    serve: (seen, response) => {
      const codings = seen.path === "/gzip" ? ["gzip", "identity"] : ["identity", "gzip"]
      response.writeHead(
        200,
        codings.map((coding): [string, string] => ["content-encoding", coding]),
      )
      response.end(zipped)
    },
    says: "Of several content-encoding headers the first one decides, and all of them are left out where it is decoded.",
    run: async ({ ask }) => {
      const decoded = await ask("/gzip")
      Check.equal(bodyOf(decoded).toString("utf8"), "zipped", "the body")
      Check.equal(headerOf(decoded, "content-encoding"), [], "content-encoding")
      const kept = await ask("/identity")
      Check.isTrue(bodyOf(kept).equals(zipped), "the body is not the one that was sent")
      Check.equal(headerOf(kept, "content-encoding"), ["identity", "gzip"], "content-encoding")
    },
  },
  "empty-compressed-body": {
    peers: ["0.171"],
    spec: ["b55"],
    serve: (seen, response) => {
      response.writeHead(Number(seen.path.slice(1)), { "content-encoding": "gzip" })
      response.end()
    },
    says: "A response without a body that names the content-encoding gzip is no failure: its body is empty.",
    run: async ({ ask }) => {
      for (const status of [200, 204, 304]) {
        const result = await ask(`/${status}`)
        Check.has(result, { status, bodyBase64: "" }, "status and body")
        Check.equal(headerOf(result, "content-encoding"), [], "content-encoding")
      }
    },
  },
  "bad-compressed-body-fails": {
    peers: ["0.171"],
    spec: ["b55"],
    serve: ({ path }, response) => {
      response.writeHead(200, { "content-encoding": path in badZstd ? "zstd" : "gzip" })
      response.end(badly[path] ?? badZstd[path])
    },
    says: `A body that is no gzip, or no zstd if the server asks for that, although it says so, breaks off
      or has a wrong check sum fails with -32603 and error decoding response body; a streamed one has that
      as the error of its last frame.`,
    run: async ({ wire, params, ask, origin }) => {
      await ask("/", { method: "HEAD" })
      const asked = HttpOrigin.values(origin.seen[0] ?? Check.fail("no request arrived"), "accept-encoding")
      const paths = Object.keys(asked.join().includes("zstd") ? { ...badly, ...badZstd } : badly)
      for (const path of paths) {
        const text = "failed to read http/request response body: error decoding response body"
        await wire.refused("http/request", params(path), -32603, text)
        const whole = params(path, { streamResponse: true })
        await wire.ok("http/request", whole)
        const frames = await streamed(wire, whole["requestId"])
        Check.equal(frames.at(-1)?.error, "error decoding response body", `the error of ${path}`)
      }
    },
  },
  "compressed-body-as-it-is": {
    peers: ["0.169"],
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
    spec: ["b56"],
    serve: (seen, response) => {
      response.writeHead(Number(seen.path.slice(1)))
      response.end()
    },
    says: "The statuses 204, 404 and 500 are results, not errors.",
    run: async ({ ask }) => {
      for (const status of [204, 404, 500]) {
        const result = await ask(`/${status}`)
        Check.has(result, { status, bodyBase64: "" }, "the result")
      }
    },
  },
  "bad-input-refused": {
    spec: ["b57"],
    says: `An invalid method, header name, header value, URL or base64, and a scheme other than http and
      https, are refused with -32602, and nothing is sent.`,
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
    spec: ["b57"],
    says: `http/request without method, url or requestId is refused with -32602 and a text that names what
      is missing.`,
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
    spec: ["b58"],
    says: "A request to a port without a listener fails with -32603 and a text that begins with http/request failed.",
    run: async ({ wire, params, origin }) => {
      origin.close()
      const text = await wire.refused("http/request", params("/"), -32603)
      Check.isTrue(text.startsWith("http/request failed: "), `the text is ${text}`)
    },
  },
  timeout: {
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
