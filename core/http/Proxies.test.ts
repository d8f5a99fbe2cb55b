import { describe, expect, it } from "vitest"
import { isExempt, proxyOf } from "./Proxies.ts"

const host = (url: string, env: Record<string, string>) => proxyOf(url, env)?.hostname

describe("the proxy of a request", () => {
  it("is the one of its scheme, else the one for all, the upper case first", () => {
    const env = { HTTP_PROXY: "http://h", https_proxy: "http://s", ALL_PROXY: "http://a" }
    expect(host("http://x.example/", env)).toBe("h")
    expect(host("https://x.example/", env)).toBe("s")
    expect(host("http://x.example/", { ALL_PROXY: "http://a" })).toBe("a")
    expect(host("http://x.example/", { HTTP_PROXY: "http://h", http_proxy: "http://l" })).toBe("h")
    expect(host("http://x.example/", { HTTP_PROXY: "h:3128" })).toBe("h")
    expect(host("http://x.example/", { HTTP_PROXY: "" })).toBeUndefined()
    expect(host("http://x.example/", { HTTP_PROXY: "::" })).toBeUndefined()
  })

  it("ignores HTTP_PROXY in a CGI program, where clients can set it", () => {
    expect(host("http://x.example/", { HTTP_PROXY: "http://h", REQUEST_METHOD: "GET" })).toBeUndefined()
  })

  it.each([
    ["a.example", "a.example", true],
    ["b.a.example", "a.example", true],
    ["a.example", ".a.example", true],
    ["ba.example", "a.example", false],
    ["A.EXAMPLE", "other, a.example", true],
    ["127.0.0.1", "127.0.0.0/8", true],
    ["128.0.0.1", "127.0.0.0/8", false],
    ["10.1.2.3", "10.1.2.0/24", true],
    ["10.1.3.3", "10.1.2.0/24", false],
    ["[::1]", "::1", true],
    ["a.example", "*", true],
    ["127.0.0.1", "0.0.0.0/0", true],
    ["10.0.0.1", "10.0.0.1/32", true],
    ["10.0.0.2", "10.0.0.1/32", false],
    ["10.0.0.1", "10.0.0.1/33", false],
    ["a.example", "10.0.0.0/8", false],
    ["a.example", "", false],
  ])("for %s with the exemptions %j is asked directly: %s", (name, list, exempt) => {
    expect(isExempt(name, list)).toBe(exempt)
  })
})
