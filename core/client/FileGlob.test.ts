import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Call } from "./Calls.ts"
import { glob } from "./Glob.ts"
import type { GlobOptions } from "./FileOptions.ts"

/** A server whose answers have at most four entries, with these files. */
const serverOf = (files: ReadonlyArray<string>) => {
  const walked: Array<string> = []
  const entriesOf = (folder: string, depth: number) => {
    const found = new Map<string, "file" | "directory">()
    for (const file of files.filter((each) => each.startsWith(`${folder}/`))) {
      const names = file.slice(folder.length + 1).split("/")
      for (const [index] of names.slice(0, depth + 1).entries()) {
        const path = `${folder}/${names.slice(0, index + 1).join("/")}`
        found.set(path, index === names.length - 1 ? "file" : "directory")
      }
    }
    return [...found].map(([path, kind]) => ({ path: `file://${path}`, kind }))
  }
  const call = (method: string, params: { path: string; options?: { maxDepth: number } }) => {
    if (method === "fs/canonicalize") return Effect.succeed({ path: params.path })
    const folder = params.path.slice("file://".length)
    const depth = params.options?.maxDepth ?? 0
    walked.push(`${folder} ${depth}`)
    const all = entriesOf(folder, depth)
    return Effect.succeed({ entries: all.slice(0, 4), errors: [], truncated: all.length > 4 })
  }
  const find = (patterns: string, options: GlobOptions = {}) =>
    glob(call as unknown as Call, { cwd: "file:///w" } as never, patterns, options)
  return { walked, find }
}

const tree =
  "/w/a.ts /w/lib/b.ts /w/lib/deep/c.ts /w/lib/deep/d.js /w/skip/e.ts /w/skip/f.ts /w/skip/g.ts".split(" ")

describe("files by a pattern", () => {
  it("are all found in a tree that is too large for one answer", () => {
    const { walked, find } = serverOf(tree)
    expect(Effect.runSync(find("**/*.ts"))).toEqual(tree.filter((path) => path.endsWith(".ts")))
    expect(walked).toEqual(["/w 64", "/w 0", "/w/lib 64", "/w/skip 64"])
  })

  it("are looked for only where they can be", () => {
    const { walked, find } = serverOf(tree)
    expect(Effect.runSync(find("l*/**/*.ts", { ignore: ["**/deep"] }))).toEqual(["/w/lib/b.ts"])
    expect(walked).toEqual(["/w 64", "/w 0", "/w/lib 64"])
    walked.length = 0
    expect(Effect.runSync(find("**/*.ts", { ignore: ["skip/**"] }))).toHaveLength(3)
    expect(walked).toEqual(["/w 64", "/w 0", "/w/lib 64"])
    walked.length = 0
    expect(Effect.runSync(find("*/*", { ignore: ["skip"] }))).toEqual(["/w/lib/b.ts"])
    expect(walked).toEqual(["/w 1", "/w 0", "/w/lib 0"])
  })

  it("are not told in part: a folder with too many fails, by its name", () => {
    const { find } = serverOf([1, 2, 3, 4, 5].map((name) => `/w/x/${name}`))
    expect(Effect.runSync(Effect.flip(find("**")))).toMatchObject({
      method: "glob",
      path: "/w/x",
      message: "glob /w/x: the directory has more entries than a server lists (50,000, or 4 MiB of paths)",
    })
  })
})
