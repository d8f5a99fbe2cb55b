import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as PathUri from "./PathUri.ts"

/** The path, or `reason: message` of the error. */
const toPath = (uri: string, platform = "linux", read = PathUri.toPath) =>
  Result.merge(Result.mapError(read(uri, platform), ({ reason, message }) => `${reason}: ${message}`))

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
    ["file:", "/"],
    ["file:a", "/a"],
    [" file:///a\t\n", "/a"],
    ["\u0000fi\tle:\r//\n/a", "/a"],
    ["file:\\\\\\a\\..\\b", "/b"],
    ["file:///a%5Cb", "/a\\b"],
    ["file://%6cocalh%4fst/a", "/a"],
    ["file://loca\u00adlhost/a", "/a"],
    ["file:///a%00/../b", "/b"],
    ["file:///a\0/%2E%2e/%2e/b", "/b"],
    ["file:///a/hid/.hidden/.", "/a/hid/.hidden"],
    ["file:///a/...", "/a/..."],
    ["file:///a//..", "/a"],
    ["file:///a%2F..%2Fb", "/b"],
    ["file://///a", "/a"],
    ["file:///a/C:/..", "/a/C:"],
    ["file:///C|/x", "/C|/x"],
    ["file:///C:x", "/C:x"],
    ["file:///%43:/x", "/C:/x"],
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
    ["file:///a\0b", "Nul: 'file:///a%00b' is invalid on 'linux'"],
    ["file:///c:\\x/../..", "NotNative: 'file:///C:/' is invalid on 'linux'"],
    ["file:C|/x", "NotNative: 'file:///C:/x' is invalid on 'linux'"],
    ["file://C|\\x", "NotNative: 'file:///C:/x' is invalid on 'linux'"],
    ["file://host/C|/x", "NotNative: 'file:///C:/x' is invalid on 'linux'"],
    ["file:////..//C:/x", "NotNative: 'file:///C:/x' is invalid on 'linux'"],
    ["file:///c%3A", "NotNative: 'file:///C%3A' is invalid on 'linux'"],
    [
      'file://HOST\\a b"<é>`{}[]|^~',
      "NotNative: 'file://host/a%20b%22%3C%C3%A9%3E%60%7B%7D[]|^~' is invalid on 'linux'",
    ],
    ["file://256/x", "NotNative: 'file://0.0.1.0/x' is invalid on 'linux'"],
    ["file://[::0001]/x", "NotNative: 'file://[::1]/x' is invalid on 'linux'"],
    ["file://é/x", "NotNative: 'file://xn--9ca/x' is invalid on 'linux'"],
    ["file://a b/x?y", "Malformed: invalid URI: invalid international domain name"],
    ["file://localhost:80/x", "Malformed: invalid URI: invalid international domain name"],
    ["file://me@localhost/x", "Malformed: invalid URI: invalid international domain name"],
    ["file://a%00b/x", "Malformed: invalid URI: invalid international domain name"],
    ["file://[::1/x", "Malformed: invalid URI: invalid IPv6 address"],
    ["file://1.2.3.400/x", "Malformed: invalid URI: invalid IPv4 address"],
    ["file://\u00ad/x", "Malformed: invalid URI: empty host"],
    ["file:///a%00?x#y", "Malformed: query parameters are not allowed in path URIs"],
    ["file:///a#x?y", "Malformed: fragments are not allowed in path URIs"],
    ["http://", "Malformed: invalid URI: empty host"],
    ["http://a:99999", "Malformed: invalid URI: invalid port number"],
    ["foo://a b", "Malformed: invalid URI: invalid domain character"],
    ["C:\\x", "Malformed: unsupported path URI scheme `c`"],
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
    expect(PathUri.fromPath("/a b/%?#[é]\\")).toBe("file:///a%20b/%25%3F%23[%C3%A9]%5C")
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

  it("writes an accepted URI in the form of the peer, with the spelling of its percent codes", () => {
    const spellings = {
      "file:///a/b": "file:///a/b",
      " file://localhost\\we%28i%29r/./é//": "file:///we%28i%29r/%C3%A9//",
      "file:///a/..": "file:///",
    }
    for (const [uri, spelling] of Object.entries(spellings)) {
      expect(PathUri.canonical(uri, "linux")).toEqual(Result.succeed(spelling))
    }
  })

  it("resolves a URI as the URL parser of the runtime does, where that follows the standard", () => {
    // Without a name that begins with a dot: Node 20 keeps `/.` and `/..` behind one.
    const piece = fc.constantFrom(
      "/",
      "/",
      "/a",
      "/.",
      "/..",
      "\\",
      "/%2e",
      "/.%2E",
      "/b.",
      "/é ",
      "/[|]",
      "/%zz",
      "\t",
    )
    const uri = fc.array(piece, { maxLength: 8 }).map((pieces) => ` file:///x${pieces.join("")}/end\n`)
    fc.assert(
      fc.property(uri, (text) => {
        const standard = new URL(text).href
        fc.pre(!standard.startsWith("file:////")) // the peer makes one slash of those at the beginning
        // The parser of some runtimes encodes `|` and `^`.
        const written = Result.getOrThrow(PathUri.canonical(text, "linux"))
        expect(written).toBe(standard.replaceAll("%7C", "|").replaceAll("%5E", "^"))
      }),
    )
  })

  it("takes what begins with a slash for the native path that earlier clients send", () => {
    expect(PathUri.isNativePath("/tmp")).toBe(true)
    expect(PathUri.isNativePath("file:///tmp")).toBe(false)
    expect(PathUri.normalise("/tmp//a/../b/")).toBe("/tmp/b")
  })
})
