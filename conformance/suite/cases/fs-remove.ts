/**
 * `fs/remove`, and the methods with `followSymlinks: false`, for which no component of a path may be a link.
 */
import * as Check from "../Check.ts"
import { base64, folderTable, noFile, readFile } from "./folder.ts"

export const fsRemove = folderTable("fs/remove", {
  "removes-files-and-trees": {
    spec: ["b28"],
    setup: ": >a; mkdir -p d/e; : >d/e/f; : >d/.g",
    says: "fs/remove removes a file, or a folder with its content, and returns {}.",
    run: async ({ ok, uri, sh }) => {
      await ok("fs/remove", { path: uri("a") }, {})
      await ok("fs/remove", { path: uri("d") }, {})
      Check.equal(await sh("ls -A"), "", "what is left")
    },
  },
  "missing-is-fine-by-default": {
    spec: ["b28"],
    says: "fs/remove of a missing path returns {}; with force:false it is refused with -32004.",
    run: async ({ ok, refused, uri }) => {
      await ok("fs/remove", { path: uri("none") }, {})
      await refused("fs/remove", { path: uri("none"), force: false }, -32004, noFile)
    },
  },
  "full-folder-refused": {
    spec: ["b29"],
    setup: "mkdir d e; : >d/f",
    says: `With recursive:false an empty folder is removed, and a non-empty one is refused with -32603 and
      Directory not empty (os error 39).`,
    run: async ({ ok, refused, uri, sh }) => {
      await ok("fs/remove", { path: uri("e"), recursive: false })
      const text = "Directory not empty (os error 39)"
      await refused("fs/remove", { path: uri("d"), recursive: false }, -32603, text)
      Check.equal(await sh("ls . d"), ".:\nd\n\nd:\nf\n", "what is left")
    },
  },
  "link-to-a-folder": {
    spec: ["b30"],
    setup: "mkdir d; : >d/f; ln -s d l; ln -s none gone",
    says: "fs/remove of a link removes the link and leaves its target as it is.",
    run: async ({ ok, uri, sh }) => {
      for (const name of ["l", "gone"]) await ok("fs/remove", { path: uri(name) })
      Check.equal(await sh("ls . d"), ".:\nd\n\nd:\nf\n", "what is left")
    },
  },
  "tree-with-a-link-out": {
    spec: ["b30"],
    setup: "mkdir d out; : >out/f; ln -s ../out d/l",
    says: "fs/remove of a folder does not follow the links in it.",
    run: async ({ ok, uri, sh }) => {
      await ok("fs/remove", { path: uri("d") })
      Check.equal(await sh("ls . out"), ".:\nout\n\nout:\nf\n", "what is left")
    },
  },
})

const noFollow = { followSymlinks: false } as const

export const fsNoFollow = folderTable("fs/noFollow", {
  "plain-paths-work": {
    spec: ["b31"],
    setup: "printf bye >a; mkdir d",
    says: `With followSymlinks:false and no link in the path, readFile, writeFile, createDirectory,
      getMetadata and remove work as usual.`,
    run: async (folder) => {
      const { ok, uri, sh } = folder
      Check.equal((await readFile(folder, uri("a"), noFollow)).toString("utf8"), "bye", "the content")
      await ok("fs/writeFile", { path: uri("b"), dataBase64: base64("x"), ...noFollow })
      await ok("fs/createDirectory", { path: uri("d/e"), ...noFollow })
      Check.equal((await ok("fs/getMetadata", { path: uri("a"), ...noFollow }))["size"], 3, "the size")
      await ok("fs/remove", { path: uri("a"), recursive: false, ...noFollow })
      Check.equal(await sh("ls . d"), ".:\nb\nd\n\nd:\ne\n", "what is left")
    },
  },
  "links-refused": {
    spec: ["b31"],
    setup: "printf bye >a; ln -s a l; ln -s . here",
    says: `With followSymlinks:false readFile of a link is refused with -32603 and os error 40, getMetadata
      and remove with -32600 and path contains a symbolic link.`,
    run: async ({ refused, uri, sh }) => {
      const text = await refused("fs/readFile", { path: uri("l"), ...noFollow }, -32603)
      Check.contains(text, "(os error 40)", "the text")
      const contains = "path contains a symbolic link"
      await refused("fs/getMetadata", { path: uri("l"), ...noFollow }, -32600, contains)
      await refused("fs/remove", { path: uri("l"), recursive: false, ...noFollow }, -32600, contains)
      await sh("test -L l")
    },
  },
  "linked-parents-refused": {
    spec: ["b31"],
    setup: "mkdir d; printf bye >d/a; ln -s d l",
    says: `With followSymlinks:false a path through a linked folder is refused with -32603 and Not a
      directory (os error 20), and nothing is written.`,
    run: async ({ refused, uri, sh }) => {
      const text = "Not a directory (os error 20)"
      await refused("fs/readFile", { path: uri("l/a"), ...noFollow }, -32603, text)
      await refused("fs/getMetadata", { path: uri("l/a"), ...noFollow }, -32603, text)
      await refused("fs/remove", { path: uri("l/a"), recursive: false, ...noFollow }, -32603, text)
      for (const name of ["l", "l/b", "l/b/c"]) {
        await refused("fs/createDirectory", { path: uri(name), ...noFollow }, -32603, text)
      }
      await refused("fs/writeFile", { path: uri("l/b"), dataBase64: base64("x"), ...noFollow }, -32603)
      Check.equal(await sh("ls d"), "a\n", "what is in the folder")
    },
  },
  "link-is-not-written-through": {
    spec: ["b31"],
    setup: "printf old >a; ln -s a l; ln -s new gone",
    says: "With followSymlinks:false writeFile to a link is refused, and neither its target nor the link changes.",
    run: async ({ refused, uri, sh, cat }) => {
      for (const name of ["l", "gone"]) {
        await refused("fs/writeFile", { path: uri(name), dataBase64: base64("x"), ...noFollow }, -32603)
      }
      Check.equal((await cat("a")).toString("utf8"), "old", "the content")
      await sh("test -L l && test -L gone && test ! -e new")
    },
  },
  "what-is-no-file-refused": {
    spec: ["b31"],
    setup: "mkdir d; mkfifo p",
    says: `With followSymlinks:false readFile of a folder or a pipe is refused at once with -32600,
      writeFile to them with -32603.`,
    run: async ({ refused, uri }) => {
      for (const name of ["d", "p"]) {
        await refused("fs/readFile", { path: uri(name), ...noFollow }, -32600, "path is not a regular file")
      }
      const write = (name: string) => ({ path: uri(name), dataBase64: base64("x"), ...noFollow })
      await refused("fs/writeFile", write("d"), -32603, "Is a directory (os error 21)")
      await refused("fs/writeFile", write("p"), -32603, "No such device or address (os error 6)")
    },
  },
  "recursive-remove-refused": {
    spec: ["b32"],
    setup: "mkdir d; : >d/a",
    says: `With followSymlinks:false, fs/remove without recursive:false is refused with -32603 and recursive
      no-follow removal is unsupported.`,
    run: async ({ refused, uri, sh }) => {
      const text = "recursive no-follow removal is unsupported"
      await refused("fs/remove", { path: uri("d"), ...noFollow }, -32603, text)
      await sh("test -f d/a")
    },
  },
})
