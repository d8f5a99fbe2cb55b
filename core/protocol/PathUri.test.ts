import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as PathUri from "./PathUri.ts"

const toPath = (uri: string, platform = "linux") => Either.merge(PathUri.toPath(uri, platform))

describe("PathUri", () => {
  it.each([
    ["file:///tmp", "/tmp"],
    ["file:///t%6Dp", "/tmp"],
    ["file:/tmp", "/tmp"],
    ["FILE:///tmp", "/tmp"],
    ["file://localhost/tmp", "/tmp"],
    ["file://LOCALHOST/tmp", "/tmp"],
    ["file:///usr/", "/usr"],
    ["file:///tmp/../usr", "/usr"],
    ["file:///tmp/./a//b", "/tmp/a/b"],
    ["file:///../..", "/"],
    ["file:///", "/"],
    ["file://", "/"],
    ["file:///a%20b%25%23%3F", "/a b%#?"],
    ["file:///a b", "/a b"],
    ["file:///é", "/é"],
    ["file:///%C3%A9", "/é"],
    ["file:///100%", "/100%"],
    ["file:///a%2", "/a%2"],
  ])("reads %s as %s", (uri, path) => {
    expect(PathUri.toPath(uri, "linux")).toEqual(Either.right(path))
  })

  it.each([
    ["/tmp", "invalid URI: relative URL without a base"],
    ["tmp", "invalid URI: relative URL without a base"],
    ["", "invalid URI: relative URL without a base"],
    ["1file:///x", "invalid URI: relative URL without a base"],
    ["http://x/y", "unsupported path URI scheme `http`"],
    ["HTTP://x/y", "unsupported path URI scheme `http`"],
    ["file:///tmp?x", "query parameters are not allowed in path URIs"],
    ["file:///tmp?", "query parameters are not allowed in path URIs"],
    ["file:///tmp#f", "fragments are not allowed in path URIs"],
    ["file://otherhost/p", "'file://otherhost/p' is invalid on 'linux'"],
    ["file:///C:/x", "'file:///C:/x' is invalid on 'linux'"],
    ["file:///a%00b", "'file:///a%00b' is invalid on 'linux'"],
  ])("refuses %s: %s", (uri, message) => {
    expect(PathUri.toPath(uri, "linux")).toEqual(Either.left(message))
  })

  it("names the platform that a URI is invalid on", () => {
    expect(toPath("file:///C:/x", "macos")).toBe("'file:///C:/x' is invalid on 'macos'")
    expect(toPath("file://host/share", "windows")).toBe("'file://host/share' is invalid on 'windows'")
  })

  it("reads drive letters on Windows", () => {
    expect(toPath("file:///C:/Users/a/../b", "windows")).toBe("C:/Users/b")
    expect(PathUri.fromPath("C:\\Users\\b c")).toBe("file:///C:/Users/b%20c")
  })

  it("encodes what would not be read back", () => {
    expect(PathUri.fromPath("/a b/%?#[é]\\")).toBe("file:///a%20b/%25%3F%23%5B%C3%A9%5D%5C")
  })

  it("reads back every absolute path it has written", () => {
    const segment = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((s) => !/[/\0]/.test(s) && s !== "." && s !== "..")
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        const path = `/${segments.join("/")}`
        fc.pre(!/^\/[A-Za-z]:/.test(path))
        expect(toPath(PathUri.fromPath(path))).toBe(path)
      }),
    )
  })

  it("takes what begins with a slash for the native path that earlier clients send", () => {
    expect(PathUri.isNativePath("/tmp")).toBe(true)
    expect(PathUri.isNativePath("file:///tmp")).toBe(false)
    expect(PathUri.normalise("/tmp//a/../b/")).toBe("/tmp/b")
  })
})
