import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as PathUri from "./PathUri.ts"

/** The path, or `reason: message` of the error. */
const toPath = (uri: string, platform = "linux", read = PathUri.toPath) =>
  Either.merge(Either.mapLeft(read(uri, platform), ({ reason, message }) => `${reason}: ${message}`))

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
    expect(toPath(uri)).toBe(path)
  })

  it.each([
    ["/tmp", "Malformed: invalid URI: relative URL without a base"],
    ["tmp", "Malformed: invalid URI: relative URL without a base"],
    ["", "Malformed: invalid URI: relative URL without a base"],
    ["1file:///x", "Malformed: invalid URI: relative URL without a base"],
    ["http://x/y", "Malformed: unsupported path URI scheme `http`"],
    ["HTTP://x/y", "Malformed: unsupported path URI scheme `http`"],
    ["file:///tmp?x", "Malformed: query parameters are not allowed in path URIs"],
    ["file:///tmp?", "Malformed: query parameters are not allowed in path URIs"],
    ["file:///tmp#f", "Malformed: fragments are not allowed in path URIs"],
    ["file://otherhost/p", "NotNative: 'file://otherhost/p' is invalid on 'linux'"],
    ["file:///C:/x", "NotNative: 'file:///C:/x' is invalid on 'linux'"],
    ["file:///a%00b", "Nul: 'file:///a%00b' is invalid on 'linux'"],
    ["file://otherhost/a%00b", "Nul: 'file://otherhost/a%00b' is invalid on 'linux'"],
    ["file:///a\0b", "NotNative: 'file:///a\0b' is invalid on 'linux'"],
  ])("refuses %s: %s", (uri, message) => {
    expect(toPath(uri)).toBe(message)
  })

  it("names the platform that a URI is invalid on", () => {
    expect(toPath("file:///C:/x", "macos")).toBe("NotNative: 'file:///C:/x' is invalid on 'macos'")
    expect(toPath("file://host/share", "windows")).toBe(
      "NotNative: 'file://host/share' is invalid on 'windows'",
    )
  })

  it("refuses bytes that are not UTF-8 where only text will do", () => {
    const uri = "file:///a%FF"
    expect(PathUri.fromPath(toPath(uri))).toBe(uri)
    expect(toPath(uri, "linux", PathUri.toTextPath)).toBe(`NotNative: '${uri}' is invalid on 'linux'`)
    expect(toPath("file:///%C3%A9", "linux", PathUri.toTextPath)).toBe("/é")
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
