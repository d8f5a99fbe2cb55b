/**
 * `fs/readFile`: the whole content of a file as base64, and paths that are not files. `fs/writeFile`: creates or
 * truncates in place, and what it refuses.
 */
import { Check, type Json } from "../Vocabulary.ts"
import { base64, folderTable, noFile, readFile, writeFile } from "./folder.ts"
import { once } from "node:events"
import { createServer } from "node:net"

export const fsReadFile = folderTable("fs/readFile", {
  "three-bytes": {
    spec: ["b4"],
    setup: "printf bye >a",
    says: 'fs/readFile of a file with the bytes "bye" returns {"dataBase64":"Ynll"}.',
    run: async ({ ok, uri }) => {
      await ok("fs/readFile", { path: uri("a") }, { dataBase64: "Ynll" })
    },
  },
  "empty-file": {
    spec: ["b5"],
    setup: ": >a",
    says: 'fs/readFile of an empty file returns {"dataBase64":""}.',
    run: async ({ ok, uri }) => {
      await ok("fs/readFile", { path: uri("a") }, { dataBase64: "" })
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
    says: `fs/readFile of a file that does not exist is refused with -32004 and No such file or directory
      (os error 2).`,
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

export const fsWriteFile = folderTable("fs/writeFile", {
  "creates-and-truncates": {
    spec: ["b19"],
    setup: "printf 'something longer' >old",
    says: "fs/writeFile creates a file or replaces its content, and returns {}.",
    run: async (folder) => {
      for (const name of ["new", "old"]) {
        await writeFile(folder, folder.uri(name), "bye")
        Check.equal((await folder.cat(name)).toString("utf8"), "bye", `the content of ${name}`)
        await writeFile(folder, folder.uri(name), "")
        Check.equal((await folder.cat(name)).length, 0, `the size of ${name}`)
      }
    },
  },
  "bytes-are-exact": {
    says: "fs/writeFile of a megabyte of all byte values writes exactly these bytes.",
    run: async (folder) => {
      const bytes = Buffer.from(Array.from({ length: 1_000_003 }, (_, index) => (index * 7) % 256))
      await writeFile(folder, folder.uri("a"), bytes)
      Check.isTrue(bytes.equals(await folder.cat("a")), "the file holds other bytes")
    },
  },
  "keeps-the-mode": {
    spec: ["b19"],
    setup: "printf old >a; chmod 600 a; printf old >b; chmod 755 b",
    says: "fs/writeFile to an existing file keeps its permission bits.",
    run: async (folder) => {
      for (const name of ["a", "b"]) await writeFile(folder, folder.uri(name), "new")
      const modes = await folder.sh("ls -l a b | cut -c1-10")
      Check.equal(modes, "-rw-------\n-rwxr-xr-x\n", "the modes")
    },
  },
  "writes-through-links": {
    spec: ["b19"],
    setup: "printf old >a; ln a hard; ln -s a soft; ln -s new dangling",
    says: `fs/writeFile writes to the target of a hard or symbolic link; the link stays, and a dangling link
      creates its target.`,
    run: async (folder) => {
      await writeFile(folder, folder.uri("hard"), "one")
      Check.equal((await folder.cat("a")).toString("utf8"), "one", "the content after the hard link")
      await writeFile(folder, folder.uri("soft"), "two")
      Check.equal((await folder.cat("hard")).toString("utf8"), "two", "the content after the symbolic link")
      await writeFile(folder, folder.uri("dangling"), "three")
      Check.equal((await folder.cat("new")).toString("utf8"), "three", "the content of the new target")
      await folder.sh("test -L soft && test -L dangling")
    },
  },
  "bad-base64-refused": {
    spec: ["b20"],
    setup: "printf old >a",
    says: `dataBase64 that is not strict base64 (other characters, no padding, another alphabet, a newline,
      stray bits) is refused with -32600 and a text about base64; the file is unchanged.`,
    run: async ({ refused, uri, cat }) => {
      for (const dataBase64 of ["@@@", "YQ", "_-==", "Ynll\n", "YR==", "Y"]) {
        const text = await refused("fs/writeFile", { path: uri("a"), dataBase64 }, -32600)
        Check.contains(text, "fs/writeFile requires valid base64 dataBase64: ", "the text")
      }
      Check.equal((await cat("a")).toString("utf8"), "old", "the content")
    },
  },
  "base64-texts-of-the-peer": {
    level: "peer",
    spec: ["b20"],
    says: "Refused base64 has the exact texts of Codex.",
    run: async ({ refused, uri }) => {
      const texts = {
        "@@@": "Invalid symbol 64, offset 0.",
        Ynk: "Invalid padding",
        "_-==": "Invalid symbol 95, offset 0.",
        "Ynll\n": "Invalid symbol 10, offset 4.",
        "YQ==\n": "Invalid symbol 10, offset 4.",
        "YQ==YQ==": "Invalid symbol 61, offset 2.",
        YWJjé: "Invalid symbol 195, offset 4.",
        "YQ=\n": "Invalid symbol 61, offset 2.",
      }
      for (const [dataBase64, text] of Object.entries(texts)) {
        const whole = `fs/writeFile requires valid base64 dataBase64: ${text}`
        await refused("fs/writeFile", { path: uri("a"), dataBase64 }, -32600, whole)
      }
    },
  },
  "parents-are-not-made": {
    spec: ["b21"],
    says: "fs/writeFile into a folder that does not exist is refused with -32004.",
    run: async ({ refused, uri }) => {
      await refused("fs/writeFile", { path: uri("none/a"), dataBase64: base64("x") }, -32004, noFile)
    },
  },
  "without-waiting-for-answers": {
    setup: "printf old >a",
    says: `Requests about the same file, sent without waiting for answers, take effect in the order in which
      they were sent.`,
    run: async ({ wire, uri }) => {
      const path = uri("a")
      const write = (content: string) => wire.begin("fs/writeFile", { path, dataBase64: base64(content) })
      const read = async () => {
        const { result, error } = await wire.begin("fs/readFile", { path })
        const { dataBase64 } = result === undefined ? {} : Check.object(result, "the result")
        return dataBase64 ?? error?.code ?? null
      }
      const seen = [read(), write("one"), read(), write("two"), read()]
      const gone = [wire.begin("fs/remove", { path }), read()]
      Check.equal(
        [await seen[0], await seen[2], await seen[4], await gone[1]] as ReadonlyArray<Json>,
        [base64("old"), base64("one"), base64("two"), -32004],
        "what was read",
      )
    },
  },
  "nobody-sees-half": {
    level: "should",
    setup: "printf old >a",
    says: "A reader of a file that fs/writeFile replaces sees all of the old content or all of the new.",
    run: async (folder) => {
      const look = 's=$(wc -c <a); [ "$s" -eq 3 ] || [ "$s" -eq 3000000 ] || echo "$s"; n=$((n + 1))'
      const script = `n=0; while [ ! -e stop ]; do ${look}; done; echo "$n" >looks`
      const looking = folder.sh(script)
      for (let round = 0; round < 4; round += 1) {
        await writeFile(folder, folder.uri("a"), Buffer.alloc(3_000_000, round))
        await writeFile(folder, folder.uri("a"), "new")
      }
      await writeFile(folder, folder.uri("stop"), "")
      Check.equal(await looking, "", "the other sizes that were seen")
      Check.isTrue(Number(await folder.sh("cat looks")) > 0, "nobody has looked")
    },
  },
  "device-refused-without-links": {
    spec: ["b21"],
    setup: "mkfifo p",
    says: `fs/writeFile of /dev/null with followSymlinks false is refused with -32600 and path is not a
      regular file; without it the device is written.`,
    run: async ({ ok, refused }) => {
      const params = { path: "file:///dev/null", dataBase64: base64("x") }
      const text = "path is not a regular file"
      await refused("fs/writeFile", { ...params, followSymlinks: false }, -32600, text)
      await ok("fs/writeFile", params, {})
    },
  },
  "root-refused-without-links": {
    level: "peer",
    says: "Reading, writing or removing / with followSymlinks false is refused with -32600.",
    run: async ({ refused }) => {
      const params = { path: "file:///", followSymlinks: false }
      const text = "path must name an entry"
      await refused("fs/writeFile", { ...params, dataBase64: "" }, -32600, text)
      await refused("fs/readFile", params, -32600, text)
      await refused("fs/remove", { ...params, recursive: false }, -32600, text)
    },
  },
  "folder-refused": {
    spec: ["b21"],
    says: "fs/writeFile onto a folder is refused with -32603 and Is a directory (os error 21).",
    run: async ({ refused, uri }) => {
      const params = { path: uri(), dataBase64: base64("x") }
      await refused("fs/writeFile", params, -32603, "Is a directory (os error 21)")
    },
  },
})
