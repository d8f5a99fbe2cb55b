/**
 * `fs/walk`: what counts for its limits, and how paths are spelled.
 */
import * as Check from "../Check.ts"
import type { JsonObject } from "../Json.ts"
import { folderTable, noFile, type Folder } from "./folder.ts"

const options = { maxDepth: 10, maxDirectories: 100, maxEntries: 100, followDirectorySymlinks: false }

const tooLittle = "filesystem walk limits must be greater than zero"

/** The paths of the entries, and whether there are more. */
const walk = async ({ ok }: Folder, path: string, other: JsonObject = {}) => {
  const result = await ok("fs/walk", { path, options: { ...options, ...other } })
  const paths = Check.list(result["entries"], "entries").map((item) =>
    Check.text(Check.object(item, "an entry")["path"], "the path of an entry"),
  )
  Check.equal(result["errors"], [], "errors")
  return { paths, truncated: Check.flag(result["truncated"], "truncated") }
}

export const fsWalkBounds = folderTable(
  "fs/walk",
  {
    "root-keeps-its-spelling": {
      setup: "mkdir -p 'w(1)/a'; : >'w(1)/a/é'",
      says: "The paths of the entries begin with the root as the request spells it; a slash at its end is dropped.",
      run: async (folder) => {
        for (const root of ["w%281%29", "/w(1)", "%77(1)"]) {
          const uri = `${folder.uri()}/${root}`
          const paths = [`${uri}/a`, `${uri}/a/%C3%A9`]
          for (const end of ["", "/"]) {
            Check.equal(
              await walk(folder, uri + end),
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
        Check.equal(await walk(folder, uri, { maxEntries: 2 }), { paths: [], truncated: true }, "two entries")
        const whole = { paths: [`${uri}/c`], truncated: false }
        Check.equal(await walk(folder, uri, { maxEntries: 3 }), whole, "three entries")
      },
    },
    "link-without-target-refused": {
      level: "should",
      setup: "ln -s none dangling; ln -s loop loop; mkdir w; ln -s w link",
      says:
        "fs/walk of a dangling link is refused with -32004 and of a link to itself with -32603, of a link to a " +
        "folder it is empty without followDirectorySymlinks.",
      run: async (folder) => {
        const { refused, uri } = folder
        for (const followDirectorySymlinks of [false, true]) {
          const at = (name: string) => ({ path: uri(name), options: { ...options, followDirectorySymlinks } })
          await refused("fs/walk", at("dangling"), -32004, noFile)
          await refused("fs/walk", at("loop"), -32603, "Symbolic link loop (os error 40)")
        }
        Check.equal(await walk(folder, uri("link")), { paths: [], truncated: false }, "the walk of the link")
      },
    },
    "looping-links-left-out": {
      level: "should",
      setup: "mkdir w; ln -s loop w/loop; ln -s b w/a; ln -s a w/b; : >w/c",
      says: "With followDirectorySymlinks links that lead to themselves are left out and are no errors.",
      run: async (folder) => {
        const walked = await walk(folder, folder.uri("w"), { followDirectorySymlinks: true })
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
          Check.contains(
            await refused("fs/walk", at({ maxDepth: 65 }), -32600),
            "exceed maximums",
            "the text",
          )
        }
      },
    },
    "answer-cut-at-4-mib": {
      level: "peer",
      // Long paths fill the answer with few files.
      setup:
        'x=$(printf "%0200d" 0); d=w/$x/$x/$x/$x/$x/$x/$x/$x; mkdir -p $d; cd $d; seq 3000 | xargs touch',
      says: "An answer of more than 4 MiB, with 64 bytes for each entry beside its path, is cut: truncated is true.",
      run: async (folder) => {
        const { paths, truncated } = await walk(folder, folder.uri("w"), { maxEntries: 50_000 })
        Check.equal(truncated, true, "truncated")
        const bytes = paths.reduce((sum, path) => sum + path.length + 64, 0)
        Check.isTrue(bytes <= 4_194_304 && bytes > 4_192_304, `the answer has ${bytes} bytes`)
      },
    },
  },
  ["filesystem", "filesystem-walk"],
)
