/**
 * `fs/getMetadata`: kind, size and times.
 */
import * as Check from "../Check.ts"
import type { JsonObject } from "../Json.ts"
import { folderTable, noFile } from "./folder.ts"

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
    says:
      "fs/getMetadata returns isFile and the size for a file, isDirectory for a folder, and times as whole " +
      "milliseconds.",
    run: async ({ ok, uri }) => {
      const file = await ok("fs/getMetadata", { path: uri("a") })
      Check.equal(kind(file), { isDirectory: false, isFile: true, isSymlink: false, size: 3 }, "the file")
      for (const time of ["createdAtMs", "modifiedAtMs"]) Check.integer(file[time], time)
      const folder = await ok("fs/getMetadata", { path: uri("d") })
      Check.equal([folder["isDirectory"] ?? null, folder["isFile"] ?? null], [true, false], "the folder")
    },
  },
  "link-tells-its-target": {
    spec: ["b24"],
    setup: "printf bye >a; ln -s a l; mkdir d; : >d/x; ln -s d ld",
    says:
      "fs/getMetadata of a link returns the kind and the size of its target, and isSymlink; files below a " +
      "linked folder are not links.",
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
