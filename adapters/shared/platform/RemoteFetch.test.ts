/** `HttpClient` and `Path` of procwire/effect/platform, over a server of HTTP on this host. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { Path } from "effect/Path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, expect, it } from "vitest"
import { onEachServer } from "../testing/PlatformServices.ts"

/** More than the windows of a connection hold. */
const long = 8 * 1024 * 1024

let server: Server
let url: string
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/long") return response.end(new Uint8Array(long))
    if (request.url === "/empty") return response.writeHead(204).end()
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (piece: string) => (body += piece))
    request.on("end", () => {
      const { method, headers } = request
      response.writeHead(request.url === "/none" ? 404 : 200, {
        "x-own": "yes",
        "content-type": "application/json",
      })
      response.end(JSON.stringify({ method, body, type: headers["content-type"], own: headers["x-own"] }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

onEachServer("HttpClient", (run) => {
  it("makes requests with headers and bodies, and gives every status as a response", async () => {
    const asked = await run(
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const post = HttpClientRequest.post(`${url}/`, {
          headers: { "x-own": "1" },
          body: HttpBody.jsonUnsafe({ a: "ä" }),
        })
        const one = yield* client.execute(post)
        const pieces = Stream.make(new TextEncoder().encode("from a "), new TextEncoder().encode("stream"))
        const two = yield* client.put(`${url}/`, { body: HttpBody.stream(pieces, "text/plain") })
        const form = new FormData()
        form.append("field", "value")
        const three = yield* client.post(`${url}/`, { body: HttpBody.formData(form) })
        const none = yield* client.get(`${url}/none`)
        const empty = yield* client.get(`${url}/empty`)
        expect([one.headers["x-own"], none.status, empty.status, yield* empty.text]).toEqual([
          "yes",
          404,
          204,
          "",
        ])
        return [yield* one.json, yield* two.json, yield* three.json]
      }),
    )
    const [json, stream, form] = asked as ReadonlyArray<Readonly<Record<string, string>>>
    expect(json).toEqual({ method: "POST", body: '{"a":"ä"}', type: "application/json", own: "1" })
    expect(stream).toEqual({ method: "PUT", body: "from a stream", type: "text/plain" })
    expect(form?.["type"]).toMatch(/^multipart\/form-data; boundary=/)
    expect(form?.["body"]).toContain('name="field"')
  })

  it("streams a body, whole or as far as its reader goes", async () => {
    const body = Stream.unwrap(Effect.map(HttpClient.get(`${url}/long`), ({ stream }) => stream))
    expect(Option.getOrThrow(await run(Stream.runHead(body))).length).toBeGreaterThan(0)
    expect(
      await run(
        Stream.runFold(
          body,
          () => 0,
          (sum, bytes) => sum + bytes.length,
        ),
      ),
    ).toBe(long)
  })

  it("fails with a TransportError where nobody listens", async () => {
    const error = await run(Effect.flip(HttpClient.get("http://127.0.0.1:1/")))
    expect([error._tag, error.reason._tag]).toEqual(["HttpClientError", "TransportError"])
  })

  it("resolves paths from the server's directory", async () => {
    const path = await run(Path)
    expect(path.join("a", "..", "b")).toBe("b")
    expect(path.resolve("a")).toBe(`${process.cwd()}/a`)
    expect(path.relative("a/b", "a/c")).toBe("../c")
    expect((await run(path.toFileUrl("a b/"))).href).toBe(`file://${process.cwd()}/a%20b/`)
  })
})
