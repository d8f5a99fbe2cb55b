import { describe, expect, it } from "vitest"
import * as Glob from "./Glob.ts"

/** Those of `paths` that one of the patterns matches, in the folder /w. */
const matched = (text: string, paths: string, dot = false) =>
  paths
    .split(" ")
    .filter((path) => Glob.parse(text, "/w").some((each) => Glob.find(each, `/w/${path}`, dot).matches))
    .join(" ")

describe("a pattern", () => {
  it.each([
    ["*.ts", "a.ts b.tsx .ts d/a.ts .a.ts", "a.ts"],
    ["a*c*", "ac abc acb abb xac abcabc", "ac abc acb abcabc"],
    ["a**c", "ac abc a/c", "ac abc"],
    ["?", "a ab é 😀 .", "a é 😀"],
    ["[a-cx]?", "a1 x1 d1 -1", "a1 x1"],
    ["[!a-c]", "a d ]", "d ]"],
    ["[^]a]", "a ] b", "b"],
    ["[]a]", "a ] b", "a ]"],
    ["[a", "[a a", "[a"],
    ["**", "a d/b d/e/c .x d/.y/z", "a d/b d/e/c"],
    ["**/*.ts", "a.ts d/b.ts d/e/c.ts d/.e/c.ts", "a.ts d/b.ts d/e/c.ts"],
    ["d/**", "d d/a d/e/f e", "d d/a d/e/f"],
    ["**/d/*", "d/a x/d/a x/y/d/a d/e/a", "d/a x/d/a x/y/d/a"],
    ["**/x/**/y", "x/y a/x/b/c/y x/b a/y", "x/y a/x/b/c/y"],
    ["{a,b}.{c,d}", "a.c b.d a.e", "a.c b.d"],
    ["{src,test/{one,two}}/*", "src/a test/one/a test/two/a test/a", "src/a test/one/a test/two/a"],
    ["{a}", "a {a}", "{a}"],
    ["a\\*", "a* ab", "a*"],
    ["\\{a,b\\}", "a {a,b}", "{a,b}"],
    [".*", ".a a .a.b", ".a .a.b"],
    ["*/.github/*", "a/.github/x a/.github/.x b/x", "a/.github/x"],
    ["./a/./b/../c", "a/c a/b/c", "a/c"],
    ["/w/a*", "a ab b", "a ab"],
  ])("%s of %s is %s", (text, paths, expected) => {
    expect(matched(text, paths)).toBe(expected)
  })

  it("matches names that begin with a dot, if it is told to", () => {
    expect(matched("**/*", ".a d/.b .c/d", true)).toBe(".a d/.b .c/d")
  })

  it("tells whether something below a folder can match, and how deep", () => {
    const [one] = Glob.parse("src/*/x/*.ts", "/w")
    if (one === undefined) throw new Error("no pattern")
    const leads = (path: string) => Glob.find(one, path, false).leads
    expect([one.root, Glob.depth(one)]).toEqual(["/w/src", 2])
    expect(["/w/src", "/w/src/a", "/w/src/a/x", "/w/src/a/y", "/w/src/a/x/a.ts"].map(leads)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(Glob.parse("../b/a\\*", "/w/a").map(({ root }) => root)).toEqual(["/w/b"])
    expect(Glob.parse("a/**/b", "/w").map((each) => Glob.depth(each))).toEqual([Infinity])
  })

  it("takes a time that does not grow with what it could mean", () => {
    expect(matched(`${"*a".repeat(200)}*b`, "a".repeat(2000))).toBe("")
    expect(matched("**/".repeat(100) + "x", `${"a/".repeat(200)}b`)).toBe("")
  })

  it.each([
    ["", 'fs.glob takes a pattern, not ""'],
    [5 as never, "fs.glob takes a pattern, not 5"],
    ["!a", 'fs.glob takes no pattern with ! before it: name "a" in `ignore`'],
    ["./", 'fs.glob takes a pattern with a name, not "./"'],
    ["*/../a", 'fs.glob takes no .. behind a wildcard, nor at the end: "*/../a"'],
    ["a/..", 'fs.glob takes no .. behind a wildcard, nor at the end: "a/.."'],
    ["{a,b}".repeat(11), `fs.glob takes at most 1000 alternatives: "${"{a,b}".repeat(11)}"`],
  ])("is refused as %s", (text, message) => {
    expect(() => Glob.parse(text, "/w")).toThrow(message)
  })
})
