import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { fromParams, protectedVariables } from "./OutgoingRequest.ts"

const wanted = { method: "GET", url: "http://a.example/", headers: [], bodyBase64: null }
const text = (change: object, env = {}) =>
  Result.getOrThrow(Result.flip(fromParams({ ...wanted, ...change }, env)))
const headers = (change: object, env = {}) =>
  Result.getOrThrow(fromParams({ ...wanted, ...change }, env)).headers.map(
    ({ name, value }) => `${name}: ${value}`,
  )

describe("OutgoingRequest", () => {
  it("has the given headers in their order, and accept", () => {
    const given = ["X-B", "x-a", "x-B"].map((name, index) => ({ name, value: `${index}` }))
    expect(headers({ headers: given })).toEqual(["x-b: 0", "x-a: 1", "x-b: 2", "accept: */*"])
    expect(headers({ headers: [{ name: "Accept", value: "text/html" }] })).toEqual(["accept: text/html"])
  })

  it("moves credentials from the URL to an authorization header, unless there is one", () => {
    const url = "http://me:p%40ss@a.example/x#part"
    expect(headers({ url })).toEqual(["authorization: Basic bWU6cEBzcw==", "accept: */*"])
    expect(Result.getOrThrow(fromParams({ ...wanted, url }, {})).url).toBe("http://a.example/x")
    const own = [{ name: "Authorization", value: "mine" }]
    expect(headers({ url, headers: own })).toEqual(["authorization: mine", "accept: */*"])
  })

  it.each([
    ["/relative", "relative URL without a base"],
    ["", "relative URL without a base"],
    ["http://", "empty host"],
    ["http://x:99999/", "invalid port number"],
    ["http://a b/", "invalid international domain name"],
    ["http://[::g]/", "invalid IPv6 address"],
  ])("refuses the URL %s in the words of the peer", (url, fault) => {
    expect(text({ url })).toBe(`http/request url is invalid: ${fault}`)
  })

  it("refuses invalid methods, names and values", () => {
    for (const method of ["", "BAD METHOD", "A\n"]) {
      expect(text({ method })).toBe("http/request method is invalid: invalid HTTP method")
    }
    expect(text({ headers: [{ name: "", value: "" }] })).toContain("header name is invalid")
    for (const value of ["a\nb", "a\u0001", "a\u007f"]) {
      expect(text({ headers: [{ name: "x", value }] })).toContain("header value is invalid for x")
    }
    expect(headers({ headers: [{ name: "x", value: "a\tbé" }] })[0]).toBe("x: a\tbé")
    expect(text({ url: "ftp://x" })).toBe("http/request only supports http and https URLs, got ftp")
  })

  it("takes values from the environment, but refuses missing, empty, protected and invalid ones", () => {
    const of = (valueEnvVar: string) => ({ headers: [{ name: "A", value: "Bearer ", valueEnvVar }] })
    expect(headers(of("V"), { V: "x" })[0]).toBe("a: Bearer x")
    expect(text(of("V"))).toContain("requires executor environment variable V")
    expect(text(of("toString"))).toContain("requires executor environment variable toString")
    expect(text(of("V"), { V: "" })).toContain("requires a non-empty executor environment variable V")
    expect(text(of("V"), { V: "a\nb" })).toContain("header value is invalid for A")
    for (const name of protectedVariables) {
      expect(text(of(name.toLowerCase()), { [name]: "x", [name.toLowerCase()]: "x" })).toContain("cannot use")
    }
  })
})
