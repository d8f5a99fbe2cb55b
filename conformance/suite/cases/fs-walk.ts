/**
 * `fs/walk`: a whole tree in one answer, within limits.
 */
import * as Check from "../Check.ts"
import type { Json, JsonObject } from "../Json.ts"
import { folderTable, noFile, readFile, type Folder } from "./folder.ts"

const requires = ["filesystem", "filesystem-walk"] as const

const options = { maxDepth: 10, maxDirectories: 100, maxEntries: 100, followDirectorySymlinks: false }

/** Walks; returns the entries as paths relative to the folder, those of folders with a slash at the end. */
const walk = async ({ ok, uri }: Folder, name: string, other: JsonObject = {}) => {
  const result = await ok("fs/walk", { path: uri(name), options: { ...options, ...other } })
  const names = Check.list(result["entries"], "entries").map((item) => {
    const { path, kind } = Check.object(item, "an entry")
    Check.oneOf(kind, ["file", "directory"], "the kind of an entry")
    const start = `${uri()}/`
    const text = Check.text(path, "the path of an entry")
    Check.isTrue(text.startsWith(start), `${text} is outside of the folder`)
    return `${text.slice(start.length)}${kind === "directory" ? "/" : ""}`
  })
  Check.equal(result["errors"], [], "errors")
  return { names, truncated: Check.flag(result["truncated"], "truncated") }
}

const whole = (names: ReadonlyArray<string>): Json => ({ names: [...names], truncated: false })

export const fsWalk = folderTable(
  "fs/walk",
  {
    "breadth-first-and-sorted": {
      spec: ["b51"],
      setup: "mkdir -p w/b/d w/a w/.git; : >w/z; : >w/b/c; : >w/b/d/e; : >w/a/f; : >w/.git/g; : >w/B",
      says: "fs/walk lists folders and files by depth, sorted by bytes within a folder, without the root itself.",
      run: async (folder) => {
        const names = [".git/", "B", "a/", "b/", "z", ".git/g", "a/f", "b/c", "b/d/", "b/d/e"]
        Check.equal(await walk(folder, "w"), whole(names.map((name) => `w/${name}`)), "the walk")
      },
    },
    "name-that-is-not-utf-8": {
      level: "should",
      spec: ["b51"],
      setup: "mkdir w; printf 5 >\"$(printf 'w/x\\377\\376')\"",
      says: "fs/walk lists a name that is not UTF-8 percent-encoded, and the file can be read by that URI.",
      run: async (folder) => {
        Check.equal(await walk(folder, "w"), whole(["w/x%FF%FE"]), "the walk")
        const bytes = await readFile(folder, `${folder.uri("w")}/x%FF%FE`)
        Check.equal(bytes.toString("utf8"), "5", "the content")
      },
    },
    "links-left-out": {
      spec: ["b51"],
      setup: "mkdir -p w/a; : >w/f; ln -s a w/l; ln -s f w/m; ln -s none w/n; mkfifo w/p",
      says: "Without followDirectorySymlinks links to folders and to files are left out, and so are pipes.",
      run: async (folder) => {
        Check.equal(await walk(folder, "w"), whole(["w/a/", "w/f"]), "the walk")
      },
    },
    "cycles-end": {
      spec: ["b51"],
      setup:
        "mkdir -p w/a out; : >w/a/f; : >out/x; ln -s ../a w/a/loop; ln -s ../out w/l; ln -s .. w/up; ln -s a/f w/m",
      says:
        "With followDirectorySymlinks linked folders are listed as folders and each folder is entered once, " +
        "so that cycles end; links to files are left out.",
      run: async (folder) => {
        const { names, truncated } = await walk(folder, "w", { followDirectorySymlinks: true })
        Check.equal(truncated, false, "truncated")
        Check.equal(names.slice(0, 3), ["w/a/", "w/l/", "w/up/"], "the first level")
        const files = names.filter((name) => name.endsWith("/x"))
        Check.equal(
          files.length,
          1,
          `how often the file in the linked folder is listed in ${names.join(" ")}`,
        )
        Check.isTrue(!names.includes("w/m"), "a link to a file is listed")
        Check.isTrue(names.filter((name) => name.endsWith("/f")).length === 1, "a folder was entered twice")
      },
    },
    "limits-truncate": {
      spec: ["b52"],
      setup: "mkdir -p w/a/b/c w/d; : >w/a/f; : >w/e",
      says:
        "Beyond maxEntries or maxDirectories truncated is true; what is deeper than maxDepth is left out " +
        "without it.",
      run: async (folder) => {
        const few = await walk(folder, "w", { maxEntries: 2 })
        Check.equal(few, { names: ["w/a/", "w/d/"], truncated: true }, "two entries")
        Check.equal(
          (await walk(folder, "w", { maxDirectories: 1 })).truncated,
          true,
          "truncated for one folder",
        )
        Check.equal(await walk(folder, "w", { maxDepth: 0 }), whole(["w/a/", "w/d/", "w/e"]), "depth 0")
        const one = whole(["w/a/", "w/d/", "w/e", "w/a/b/", "w/a/f"])
        Check.equal(await walk(folder, "w", { maxDepth: 1 }), one, "depth 1")
        Check.equal(
          (await walk(folder, "w", { maxEntries: 6 })).truncated,
          false,
          "truncated with room for all",
        )
      },
    },
    "hidden-folders-pruned": {
      setup: "mkdir -p w/.git w/a; : >w/.git/x; : >w/.f",
      says: "With pruneHiddenDirectories a folder whose name begins with a dot is listed, but not its content.",
      run: async (folder) => {
        const { names } = await walk(folder, "w", { pruneHiddenDirectories: true })
        Check.equal(names, ["w/.f", "w/.git/", "w/a/"], "the entries")
      },
    },
    "too-high-limits-refused": {
      spec: ["b53"],
      says:
        "Limits above 64 levels, 10000 folders or 50000 entries are refused with -32600, and so are 0 folders " +
        "or entries.",
      run: async ({ ok, refused, uri }) => {
        const at = (other: JsonObject) => ({ path: uri(), options: { ...options, ...other } })
        const most = "filesystem walk limits exceed maximums: depth=64, directories=10000, entries=50000"
        for (const over of [{ maxDepth: 65 }, { maxDirectories: 10_001 }, { maxEntries: 50_001 }]) {
          await refused("fs/walk", at(over), -32600, most)
        }
        const least = "filesystem walk limits must be greater than zero"
        for (const none of [{ maxDirectories: 0 }, { maxEntries: 0 }]) {
          await refused("fs/walk", at(none), -32600, least)
        }
        await ok("fs/walk", at({ maxDepth: 64, maxDirectories: 10_000, maxEntries: 50_000 }))
      },
    },
    "options-required": {
      spec: ["b53"],
      says:
        "Missing options, or one of maxDepth, maxDirectories, maxEntries and followDirectorySymlinks missing, " +
        "are refused with -32602 and a text that names it.",
      run: async ({ refused, uri }) => {
        Check.contains(await refused("fs/walk", { path: uri() }, -32602), "options", "the text")
        for (const name of Object.keys(options)) {
          const rest = Object.fromEntries(Object.entries(options).filter(([other]) => other !== name))
          Check.contains(await refused("fs/walk", { path: uri(), options: rest }, -32602), name, "the text")
        }
      },
    },
    "file-is-empty-missing-refused": {
      setup: ": >a",
      says: "fs/walk of a file returns no entries; of a missing path it is refused with -32004.",
      run: async (folder) => {
        Check.equal(await walk(folder, "a"), whole([]), "the walk")
        await folder.refused("fs/walk", { path: folder.uri("none"), options }, -32004, noFile)
      },
    },
  },
  requires,
)
