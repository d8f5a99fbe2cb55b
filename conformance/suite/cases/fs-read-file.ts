/**
 * `fs/readFile`: the whole content of a file as base64, and paths that are not files.
 */
import { once } from "node:events"
import { createServer } from "node:net"
import * as Check from "../Check.ts"
import { folderTable, noFile, readFile } from "./folder.ts"

export const fsReadFile = folderTable("fs/readFile", {
  "three-bytes": {
    spec: ["b4"],
    setup: "printf bye >a",
    says: 'fs/readFile of a file with the bytes "bye" returns {"dataBase64":"Ynll"}.',
    run: async ({ ok, uri }) => {
      Check.equal(await ok("fs/readFile", { path: uri("a") }), { dataBase64: "Ynll" }, "the result")
    },
  },
  "empty-file": {
    spec: ["b5"],
    setup: ": >a",
    says: 'fs/readFile of an empty file returns {"dataBase64":""}.',
    run: async ({ ok, uri }) => {
      Check.equal(await ok("fs/readFile", { path: uri("a") }), { dataBase64: "" }, "the result")
    },
  },
  "bytes-are-exact": {
    setup: "head -c 3000000 /dev/urandom >a; cksum <a >sum",
    says: "fs/readFile of three megabytes of all byte values returns exactly these bytes.",
    run: async (folder) => {
      const bytes = await readFile(folder, folder.uri("a"))
      Check.equal(bytes.length, 3_000_000, "the number of bytes")
      Check.isTrue(bytes.equals(await folder.cat("a")), "the bytes differ from those that cat has read")
    },
  },
  "socket-refused-by-the-system": {
    level: "peer",
    setup: "ln -s socket link",
    says: "fs/readFile of a socket, or of a link to one, is refused with -32603 and No such device or address (os error 6).",
    run: async ({ path, uri, refused }) => {
      const socket = createServer().listen(`${path}/socket`)
      await once(socket, "listening")
      try {
        for (const name of ["socket", "link"])
          await refused("fs/readFile", { path: uri(name) }, -32603, "No such device or address (os error 6)")
      } finally {
        socket.close()
      }
    },
  },
  "missing-file-refused": {
    spec: ["b6"],
    says:
      "fs/readFile of a file that does not exist is refused with -32004 and No such file or directory (os " +
      "error 2).",
    run: async ({ refused, uri }) => {
      await refused("fs/readFile", { path: uri("none") }, -32004, noFile)
      await refused("fs/readFile", { path: uri("none/none") }, -32004, noFile)
    },
  },
  "folder-refused": {
    spec: ["b7"],
    says: "fs/readFile of a folder or a device is refused with -32600 and the text path `/…` is not a file.",
    run: async ({ refused, uri, path }) => {
      await refused("fs/readFile", { path: uri() }, -32600, `path \`${path}\` is not a file`)
      await refused("fs/readFile", { path: "file:///dev/null" }, -32600, "path `/dev/null` is not a file")
    },
  },
  "huge-file-refused": {
    spec: ["b8"],
    setup: "dd if=/dev/zero of=a bs=1 count=1 seek=536870912 2>&1",
    says: "fs/readFile of a file of 512 MiB and a byte is refused with -32600 and a text that names the limit.",
    run: async ({ refused, uri }) => {
      const text = "file is too large to read: limit is 536870912 bytes"
      await refused("fs/readFile", { path: uri("a") }, -32600, text)
    },
  },
  "proc-file-without-a-size": {
    level: "should",
    spec: ["b9"],
    requires: ["procfs"],
    says: "fs/readFile of /proc/version, whose size is 0, returns its text.",
    run: async (folder) => {
      const bytes = await readFile(folder, "file:///proc/version")
      Check.equal(bytes.toString("utf8"), await folder.sh("cat /proc/version"), "the text")
    },
  },
  "link-followed": {
    setup: "printf bye >a; ln -s a b; mkdir d; printf in >d/c; ln -s d e",
    says: "fs/readFile follows symbolic links, in the last component and before it.",
    run: async (folder) => {
      Check.equal((await readFile(folder, folder.uri("b"))).toString("utf8"), "bye", "through a link")
      Check.equal((await readFile(folder, folder.uri("e/c"))).toString("utf8"), "in", "in a linked folder")
    },
  },
  "file-as-a-folder-refused": {
    setup: ": >a",
    says: "fs/readFile of something below a file is refused with -32603 and Not a directory (os error 20).",
    run: async ({ refused, uri }) => {
      await refused("fs/readFile", { path: uri("a/b") }, -32603, "Not a directory (os error 20)")
    },
  },
})
