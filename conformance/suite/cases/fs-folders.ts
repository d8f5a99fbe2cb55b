/**
 * `fs/createDirectory`, `fs/readDirectory` and `fs/canonicalize`. `fs/getMetadata`: kind, size and times.
 */
import { Check, type Json, type JsonObject } from "../Vocabulary.ts"
import { type Folder, folderTable, noFile, uriOf } from "./folder.ts"

const exists = "File exists (os error 17)"

export const fsCreateDirectory = folderTable("fs/createDirectory", {
  "recursive-by-default": {
    spec: ["b22"],
    says: "fs/createDirectory creates missing parents, and succeeds if the folder exists.",
    run: async ({ ok, uri, sh }) => {
      for (let round = 0; round < 2; round++) {
        await ok("fs/createDirectory", { path: uri("a/b/c") }, {})
        await sh("test -d a/b/c")
      }
      await ok("fs/createDirectory", { path: uri("d/e"), recursive: true })
      await sh("test -d d/e")
    },
  },
  "not-recursive": {
    spec: ["b23"],
    setup: "mkdir a",
    says: `With recursive:false only the folder itself is created: an existing one is refused with -32603
      and File exists (os error 17), a missing parent with -32004.`,
    run: async ({ ok, refused, uri, sh }) => {
      await ok("fs/createDirectory", { path: uri("b"), recursive: false })
      await sh("test -d b")
      await refused("fs/createDirectory", { path: uri("a"), recursive: false }, -32603, exists)
      await refused("fs/createDirectory", { path: uri("none/c"), recursive: false }, -32004, noFile)
    },
  },
  "root-without-links": {
    level: "peer",
    says: "The root, with recursive:false and followSymlinks:false, is refused with -32603 and directory already exists.",
    run: async ({ refused }) => {
      const params = { path: "file:///", recursive: false, followSymlinks: false }
      await refused("fs/createDirectory", params, -32603, "directory already exists")
    },
  },
  "file-in-the-way-refused": {
    spec: ["b22"],
    setup: ": >a",
    says: "fs/createDirectory at the path of a file is refused with -32603 and File exists (os error 17).",
    run: async ({ refused, uri }) => {
      await refused("fs/createDirectory", { path: uri("a") }, -32603, exists)
    },
  },
})

const entries = async ({ ok, uri }: Folder, name?: string): Promise<ReadonlyArray<Json>> => {
  const result = await ok("fs/readDirectory", { path: uri(name) })
  const nameOf = (entry: Json) => Check.text(Check.object(entry, "an entry")["fileName"], "fileName")
  return [...Check.list(result["entries"], "entries")].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

export const fsReadDirectory = folderTable("fs/readDirectory", {
  "names-and-kinds": {
    spec: ["b27"],
    setup: "mkdir d; : >f; : >.hidden; ln -s d ld; ln -s f lf; mkfifo p",
    says: `fs/readDirectory lists each name with its kind, links with the kind of their target; a pipe is
      neither a folder nor a file.`,
    run: async (folder) => {
      const entry = (fileName: string, isDirectory: boolean, isFile: boolean) => ({
        fileName,
        isDirectory,
        isFile,
      })
      const wanted = [
        entry(".hidden", false, true),
        entry("d", true, false),
        entry("f", false, true),
        entry("ld", true, false),
        entry("lf", false, true),
        entry("p", false, false),
      ]
      Check.equal(await entries(folder), wanted, "the entries")
      Check.equal(await entries(folder, "d"), [], "the entries of an empty folder")
    },
  },
  "dangling-links-listed": {
    level: "should",
    spec: ["b27"],
    setup: "ln -s none gone; : >f",
    says: "fs/readDirectory lists a dangling link too, as neither a folder nor a file, and fs/remove removes it.",
    run: async (folder) => {
      const gone = { fileName: "gone", isDirectory: false, isFile: false }
      const file = { fileName: "f", isDirectory: false, isFile: true }
      Check.equal(await entries(folder), [file, gone], "the entries")
    },
  },
  "name-that-is-not-utf-8": {
    level: "peer",
    setup: ": >\"$(printf 'x\\377')\"",
    says: "fs/readDirectory returns a name that is not UTF-8 with U+FFFD for its invalid bytes.",
    run: async (folder) => {
      Check.equal(
        await entries(folder),
        [{ fileName: "x\ufffd", isDirectory: false, isFile: true }],
        "the entries",
      )
    },
  },
  "too-many-entries-refused": {
    spec: ["b27"],
    // In memory where there is such a folder: on a disk they take seconds to make, and minutes on a slow one.
    setup:
      "d=$(mktemp -d /dev/shm/procwire.XXXXXX 2>/dev/null || mktemp -d /tmp/procwire.XXXXXX) && " +
      'ln -s "$d" many && cd many && seq 1 50001 | xargs touch',
    says: `fs/readDirectory of more than 50000 entries is refused with -32603 and a text that names the
      limit; with 50000 it succeeds.`,
    run: async (folder) => {
      const path = await folder.sh("readlink many")
      const text = "fs/readDirectory returned 50001 entries; limit is 50000"
      try {
        await folder.refused("fs/readDirectory", { path: uriOf(path.trim()) }, -32603, text)
        await folder.sh("rm many/50001")
        const { entries } = await folder.ok("fs/readDirectory", { path: uriOf(path.trim()) })
        Check.equal(Check.list(entries, "entries").length, 50_000, "the number of entries")
      } finally {
        await folder.sh(`rm -r '${path.trim()}'`)
      }
    },
  },
  "missing-and-file-refused": {
    setup: ": >a",
    says: `fs/readDirectory of a missing path is refused with -32004, of a file with -32603 and Not a
      directory (os error 20).`,
    run: async ({ refused, uri }) => {
      await refused("fs/readDirectory", { path: uri("none") }, -32004, noFile)
      await refused("fs/readDirectory", { path: uri("a") }, -32603, "Not a directory (os error 20)")
    },
  },
})

export const fsCanonicalize = folderTable("fs/canonicalize", {
  "resolves-links": {
    spec: ["b26"],
    setup: "mkdir d; : >'d/a b'; ln -s d l",
    says: "fs/canonicalize resolves links and returns a percent-encoded URI without a slash at its end.",
    run: async ({ ok, uri }) => {
      const canonical = (path: string) => ok("fs/canonicalize", { path })
      Check.equal(
        await canonical(uri("l/a b")),
        { path: uri("d/a b") },
        "the result for a file in a linked folder",
      )
      Check.equal(
        await canonical(`${uri("l")}/`),
        { path: uri("d") },
        "the result for a linked folder with a slash",
      )
      Check.equal(await canonical("file:///"), { path: uriOf("/") }, "the result for the root")
    },
  },
  "missing-refused": {
    spec: ["b26"],
    setup: "ln -s none gone",
    says: "fs/canonicalize of a missing path, or of a link to one, is refused with -32004.",
    run: async ({ refused, uri }) => {
      for (const name of ["none", "gone"])
        await refused("fs/canonicalize", { path: uri(name) }, -32004, noFile)
    },
  },
})

/** The result without the times. */
const kind = ({ isDirectory, isFile, isSymlink, size }: JsonObject): JsonObject => ({
  isDirectory,
  isFile,
  isSymlink,
  size,
})

export const fsMetadata = folderTable("fs/getMetadata", {
  "file-and-folder": {
    spec: ["b24"],
    setup: "printf bye >a; mkdir d",
    says: `fs/getMetadata returns isFile and the size for a file, isDirectory for a folder, and times as
      whole milliseconds.`,
    run: async ({ ok, uri }) => {
      const file = await ok("fs/getMetadata", { path: uri("a") })
      Check.equal(kind(file), { isDirectory: false, isFile: true, isSymlink: false, size: 3 }, "the file")
      for (const time of ["createdAtMs", "modifiedAtMs"]) Check.integer(file[time], time)
      const folder = await ok("fs/getMetadata", { path: uri("d") })
      Check.has(folder, { isDirectory: true, isFile: false }, "the folder")
    },
  },
  "link-tells-its-target": {
    spec: ["b24"],
    setup: "printf bye >a; ln -s a l; mkdir d; : >d/x; ln -s d ld",
    says: `fs/getMetadata of a link returns the kind and the size of its target, and isSymlink; files below
      a linked folder are not links.`,
    run: async ({ ok, uri }) => {
      const link = kind(await ok("fs/getMetadata", { path: uri("l") }))
      Check.equal(link, { isDirectory: false, isFile: true, isSymlink: true, size: 3 }, "the link")
      const below = await ok("fs/getMetadata", { path: uri("ld/x") })
      Check.equal(below["isSymlink"], false, "isSymlink of a file in a linked folder")
    },
  },
  "missing-refused": {
    spec: ["b24"],
    setup: "ln -s none gone",
    says: "fs/getMetadata of a missing path, or of a link to one, is refused with -32004.",
    run: async ({ refused, uri }) => {
      for (const name of ["none", "gone"])
        await refused("fs/getMetadata", { path: uri(name) }, -32004, noFile)
    },
  },
  "device-is-neither": {
    spec: ["b25"],
    says: "fs/getMetadata of /dev/null returns the size 0, and neither isFile nor isDirectory.",
    run: async ({ ok }) => {
      const device = kind(await ok("fs/getMetadata", { path: "file:///dev/null" }))
      Check.equal(device, { isDirectory: false, isFile: false, isSymlink: false, size: 0 }, "the device")
    },
  },
  "modified-time": {
    setup: "TZ=UTC touch -t 200102030405.06 a",
    says: "modifiedAtMs is the time of the last change, in milliseconds since 1970.",
    run: async ({ ok, uri }) => {
      const { modifiedAtMs } = await ok("fs/getMetadata", { path: uri("a") })
      Check.equal(modifiedAtMs, Date.UTC(2001, 1, 3, 4, 5, 6), "modifiedAtMs")
    },
  },
  "created-time": {
    level: "should",
    setup: ": >a",
    says: "createdAtMs is the creation time, where the file system records it.",
    run: async ({ ok, uri, sh, t }) => {
      const birth = Number((await sh("stat -c %W a 2>/dev/null || stat -f %B a")).trim())
      if (!(birth > 0)) return t.note("this file system does not tell when a file was made")
      const { createdAtMs } = await ok("fs/getMetadata", { path: uri("a") })
      const seconds = Math.floor(Check.integer(createdAtMs, "createdAtMs") / 1000)
      Check.equal(seconds, birth, "createdAtMs in seconds")
    },
  },
  "before-1970": {
    level: "should",
    setup: "TZ=UTC touch -t 196001010000 a",
    says: "A time before 1970 is returned as a negative number.",
    run: async ({ ok, uri }) => {
      const { modifiedAtMs } = await ok("fs/getMetadata", { path: uri("a") })
      Check.equal(modifiedAtMs, Date.UTC(1960, 0, 1), "modifiedAtMs")
    },
  },
})
