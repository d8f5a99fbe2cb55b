import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Request } from "./HttpClient.ts"
import * as Redirect from "./Redirect.ts"

const from: Request = {
  method: "POST",
  url: "http://one.example/a/b?c",
  headers: ["content-type", "authorization", "cookie", "host", "x-mine"].map((name) => ({
    name,
    value: "1",
  })),
  body: Uint8Array.of(1),
}

const next = (status: number, location: string, change: Partial<Request> = {}) =>
  Redirect.next({ ...from, ...change }, { status, headers: [{ name: "location", value: location }] })

const followed = (...args: Parameters<typeof next>) => {
  const request = Result.getOrThrow(next(...args))
  if (request === undefined) throw new Error("it is the answer")
  return { ...request, headers: Object.fromEntries(request.headers.map(({ name, value }) => [name, value])) }
}

describe("a redirect", () => {
  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "GET", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
  ])("with %i makes of %s a %s", (status, method, expected) => {
    const request = followed(status, "/d", { method })
    expect([request.method, request.url]).toEqual([expected, "http://one.example/d"])
    const keeps = expected === method && status !== 303
    expect([request.body.length === 1, "content-type" in request.headers]).toEqual([keeps, keeps])
  })

  it("keeps credentials on the same origin and drops them elsewhere, with the host that the caller has set", () => {
    expect(Object.keys(followed(307, "/d").headers)).toEqual([
      ...from.headers.map(({ name }) => name),
      "referer",
    ])
    for (const location of ["http://two.example/", "http://one.example:8080/", "//two.example/x"]) {
      expect(Object.keys(followed(307, location).headers)).toEqual(["content-type", "x-mine", "referer"])
    }
  })

  it("sends the whole URL as referer to its origin, only the origin to others, nothing from https to http", () => {
    expect(followed(307, "/d").headers["referer"]).toBe("http://one.example/a/b?c")
    expect(followed(307, "http://two.example/").headers["referer"]).toBe("http://one.example/")
    expect("referer" in followed(307, "http://one.example/", { url: "https://one.example/" }).headers).toBe(
      false,
    )
  })

  it("is no redirect without a valid location or with another status", () => {
    for (const location of ["http://", "http://[x"])
      expect(next(302, location)).toEqual(Result.succeed(undefined))
    for (const status of [200, 300, 304, 305, 306])
      expect(next(status, "/d")).toEqual(Result.succeed(undefined))
    expect(Redirect.next(from, { status: 302, headers: [] })).toEqual(Result.succeed(undefined))
  })

  it("to another scheme fails, and credentials of a location are dropped", () => {
    expect(next(302, "ftp://one.example/")).toEqual(Result.fail("ftp"))
    const request = followed(302, "http://me:secret@one.example/x#part")
    expect(request.url).toBe("http://one.example/x")
  })
})
