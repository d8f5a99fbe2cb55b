// @ts-check
// The folder that a sequence works in: what is in it before, and what is in it afterwards.
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { short } from "./notices.mjs"

/** Folders below the work folder, by their decoded names. */
export const folders = ["dir", "dir/sub", "dir/sub/deep", "bin", "br[id]", "a|b^c", "we(i)r", ".hid", "void"]

/** Files, with their content and mode. @type {readonly (readonly [string, string, number?])[]} */
const files = [
  ["a.txt", "abc"],
  ["b.bin", String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index))],
  ["empty", ""],
  ["lines", "one\ntwo\nthree\n"],
  ["sp ace", "blank"],
  ["per%cent", "per"],
  ["back\\slash", "back"],
  ["hash#mark?", "hash"],
  ["secret", "mode", 0o600],
  ["dir/one", "1"],
  ["dir/sub/two", "22"],
  ["dir/sub/deep/three", "333"],
  ["br[id]/page.tsx", "page"],
  ["a|b^c/x", "x"],
  ["we(i)r/x", "y"],
  [".hid/.hidden", "dot"],
  ["run.sh", "#!/bin/sh\nprintf ran\n", 0o755],
  ["bin/tool", "#!/bin/sh\nprintf 'tool %s' \"$1\"\n", 0o755],
  ["noexec", "#!/bin/sh\n", 0o644],
  ["noshebang", "printf plain\n", 0o755],
  ["present", "p"],
]

/** Links, with what they lead to. @type {readonly (readonly [string, string])[]} */
const links = [
  ["lnk", "a.txt"],
  ["dirlnk", "dir"],
  ["dangling", "nowhere"],
  ["loop", "loop"],
  ["ping", "pong"],
  ["pong", "ping"],
  ["dir/up", ".."],
  ["dir/sub/lnk3", "deep/three"],
  ["tolong", "lnk"],
]

/** Where a work folder is below the folder of its sequence, so that `..` and `\` stay inside. */
const depth = "q/r/w"

/** Fills a new folder. @param {string} top @returns {string} the work folder */
export const fill = (top) => {
  const work = join(top, depth)
  mkdirSync(work, { recursive: true })
  for (const name of folders) mkdirSync(join(work, name))
  for (const [name, content, mode] of files) {
    writeFileSync(join(work, name), content, "latin1")
    if (mode !== undefined) chmodSync(join(work, name), mode)
  }
  const bytes = Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0x6e, 0xff, 0xfe])])
  writeFileSync(bytes, "bytes")
  writeFileSync(join(work, "ü.txt"), "umlaut")
  for (const [name, target] of links) symlinkSync(target, join(work, name))
  symlinkSync(join(work, "dir"), join(work, "absolute"))
  linkSync(join(work, "lines"), join(work, "hard"))
  utimesSync(join(work, "a.txt"), 1_000_000_000, 1_000_000_000)
  const before1970 = new Date(-1_000_000)
  utimesSync(join(work, "lines"), before1970, before1970)
  return work
}

/** Makes the fifo that every work folder has by a hard link. @param {string} path */
export const makeFifo = (path) => spawnSync("mkfifo", [path]).status === 0

/** The largest file that is looked into; a sparse one may be far larger. */
const readable = 32 * 2 ** 20

/** @param {Buffer} path @param {number} size @param {(text: string) => string} plain */
const contentOf = (path, size, plain) =>
  size > readable ? `${size} bytes` : JSON.stringify(short(plain(readFileSync(path, "latin1"))))

/**
 * What is below a folder, as one line for each entry.
 * @param {string} top
 * @param {(text: string) => string} plain makes the paths of both sides equal
 * @returns {Record<string, string>}
 */
export const snapshot = (top, plain) => {
  /** @type {Record<string, string>} */
  const all = {}
  /** @param {Buffer} folder @param {string} name */
  const look = (folder, name) => {
    for (const entry of readdirSync(folder, { encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), entry])
      const key = `${name}/${entry.toString("latin1")}`
      const stat = lstatSync(path)
      const mode = (stat.mode & 0o7777).toString(8)
      if (stat.isSymbolicLink()) all[key] = `link to ${plain(readlinkSync(path, "latin1"))}`
      else if (stat.isDirectory()) {
        all[key] = `folder ${mode}`
        look(path, key)
      } else if (stat.isFile()) all[key] = `file ${mode} ${stat.nlink} ${contentOf(path, stat.size, plain)}`
      else all[key] = `other ${mode}`
    }
  }
  look(Buffer.from(top), "")
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}
