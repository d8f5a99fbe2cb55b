/**
 * `fs/walk`: a whole tree in one answer, within limits. `fs/walk`: what counts for its limits, and how paths are
 * spelled.
 */
import { Check, type Json, type JsonObject } from "../Vocabulary.ts"
import { type Folder, folderTable, noFile, readFile } from "./folder.ts"

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

export const fsWalk = folderTable("fs/walk", requires, {
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
    says: `With followDirectorySymlinks linked folders are listed as folders and each folder is entered
        once, so that cycles end; links to files are left out.`,
    run: async (folder) => {
      const { names, truncated } = await walk(folder, "w", { followDirectorySymlinks: true })
      Check.equal(truncated, false, "truncated")
      Check.equal(names.slice(0, 3), ["w/a/", "w/l/", "w/up/"], "the first level")
      const files = names.filter((name) => name.endsWith("/x"))
      Check.equal(files.length, 1, `how often the file in the linked folder is listed in ${names.join(" ")}`)
      Check.isTrue(!names.includes("w/m"), "a link to a file is listed")
      Check.isTrue(names.filter((name) => name.endsWith("/f")).length === 1, "a folder was entered twice")
    },
  },
  "limits-truncate": {
    spec: ["b52"],
    setup: "mkdir -p w/a/b/c w/d; : >w/a/f; : >w/e",
    says: `Beyond maxEntries or maxDirectories truncated is true; what is deeper than maxDepth is left out
        without it.`,
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
    says: `Limits above 64 levels, 10000 folders or 50000 entries are refused with -32600, and so are 0
        folders or entries.`,
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
    says: `Missing options, or one of maxDepth, maxDirectories, maxEntries and followDirectorySymlinks
        missing, are refused with -32602 and a text that names it.`,
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
})

const tooLittle = "filesystem walk limits must be greater than zero"

const pathsOf = async ({ ok }: Folder, path: string, other: JsonObject = {}) => {
  const result = await ok("fs/walk", { path, options: { ...options, ...other } })
  const paths = Check.list(result["entries"], "entries").map((item) =>
    Check.text(Check.object(item, "an entry")["path"], "the path of an entry"),
  )
  Check.equal(result["errors"], [], "errors")
  return { paths, truncated: Check.flag(result["truncated"], "truncated") }
}

export const fsWalkBounds = folderTable("fs/walk", ["filesystem", "filesystem-walk"], {
  "root-keeps-its-spelling": {
    setup: "mkdir -p 'w(1)/a'; : >'w(1)/a/é'",
    says: "The paths of the entries begin with the root as the request spells it; a slash at its end is dropped.",
    run: async (folder) => {
      for (const root of ["w%281%29", "/w(1)", "%77(1)"]) {
        const uri = `${folder.uri()}/${root}`
        const paths = [`${uri}/a`, `${uri}/a/%C3%A9`]
        for (const end of ["", "/"]) {
          Check.equal(
            await pathsOf(folder, uri + end),
            { paths, truncated: false },
            `the walk of ${root}${end}`,
          )
        }
      }
    },
  },
  "every-entry-counts": {
    level: "should",
    spec: ["b52"],
    setup: "mkdir w; mkfifo w/a; ln -s c w/b; : >w/c; ln -s none w/d",
    says: "Pipes and links that are left out count for maxEntries, dangling links do not.",
    run: async (folder) => {
      const uri = folder.uri("w")
      Check.equal(
        await pathsOf(folder, uri, { maxEntries: 2 }),
        { paths: [], truncated: true },
        "two entries",
      )
      const whole = { paths: [`${uri}/c`], truncated: false }
      Check.equal(await pathsOf(folder, uri, { maxEntries: 3 }), whole, "three entries")
    },
  },
  "link-without-target-refused": {
    level: "should",
    setup: "ln -s none dangling; ln -s loop loop; mkdir w; ln -s w link",
    says: `fs/walk of a dangling link is refused with -32004 and of a link to itself with -32603, of a
        link to a folder it is empty without followDirectorySymlinks.`,
    run: async (folder) => {
      const { refused, uri } = folder
      for (const followDirectorySymlinks of [false, true]) {
        const at = (name: string) => ({ path: uri(name), options: { ...options, followDirectorySymlinks } })
        await refused("fs/walk", at("dangling"), -32004, noFile)
        await refused("fs/walk", at("loop"), -32603, "Symbolic link loop (os error 40)")
      }
      Check.equal(await pathsOf(folder, uri("link")), { paths: [], truncated: false }, "the walk of the link")
    },
  },
  "looping-links-left-out": {
    level: "should",
    setup: "mkdir w; ln -s loop w/loop; ln -s b w/a; ln -s a w/b; : >w/c",
    says: "With followDirectorySymlinks links that lead to themselves are left out and are no errors.",
    run: async (folder) => {
      const walked = await pathsOf(folder, folder.uri("w"), { followDirectorySymlinks: true })
      Check.equal(walked, { paths: [folder.uri("w/c")], truncated: false }, "the walk")
    },
  },
  "zero-judged-first": {
    level: "peer",
    spec: ["b53"],
    says: "A limit of 0 is told before one that is too high, and both before what is wrong with the root.",
    run: async ({ refused, uri }) => {
      for (const path of [uri("none"), "file:///C:/x"]) {
        const at = (other: JsonObject) => ({ path, options: { ...options, ...other } })
        await refused("fs/walk", at({ maxEntries: 0, maxDepth: 65 }), -32600, tooLittle)
        Check.contains(await refused("fs/walk", at({ maxDepth: 65 }), -32600), "exceed maximums", "the text")
      }
    },
  },
  "answer-cut-at-4-mib": {
    level: "peer",
    // Long paths fill the answer with few files.
    setup: 'x=$(printf "%0200d" 0); d=w/$x/$x/$x/$x/$x/$x/$x/$x; mkdir -p $d; cd $d; seq 3000 | xargs touch',
    says: "An answer of more than 4 MiB, with 64 bytes for each entry beside its path, is cut: truncated is true.",
    run: async (folder) => {
      const { paths, truncated } = await pathsOf(folder, folder.uri("w"), { maxEntries: 50_000 })
      Check.equal(truncated, true, "truncated")
      const bytes = paths.reduce((sum, path) => sum + path.length + 64, 0)
      Check.isTrue(bytes <= 4_194_304 && bytes > 4_192_304, `the answer has ${bytes} bytes`)
    },
  },
})
