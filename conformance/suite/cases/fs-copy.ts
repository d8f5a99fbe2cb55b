/**
 * `fs/copy`: files, links and trees.
 */
import * as Check from "../Check.ts"
import { folderTable, noFile, type Folder } from "./folder.ts"

const params = ({ uri }: Folder, from: string, to: string, recursive = false) => ({
  sourcePath: uri(from),
  destinationPath: uri(to),
  recursive,
})

export const fsCopy = folderTable("fs/copy", {
  file: {
    spec: ["b36"],
    setup: "printf new >a; printf 'old and longer' >b",
    says: "fs/copy of a file creates another or replaces its content, and returns {}.",
    run: async (folder) => {
      for (const to of ["b", "c"]) {
        await folder.ok("fs/copy", params(folder, "a", to), {})
        Check.equal((await folder.cat(to)).toString("utf8"), "new", `the content of ${to}`)
      }
    },
  },
  "recursive-required": {
    spec: ["b33"],
    setup: "printf new >a",
    says: "fs/copy without the member recursive is refused with -32602 and a text that names it.",
    run: async ({ refused, uri }) => {
      const text = await refused("fs/copy", { sourcePath: uri("a"), destinationPath: uri("b") }, -32602)
      Check.contains(text, "recursive", "the text")
    },
  },
  "folder-needs-recursive": {
    spec: ["b34"],
    setup: "mkdir d",
    says: "fs/copy of a folder with recursive:false is refused with -32600 and a text that says so.",
    run: async (folder) => {
      const text = "fs/copy requires recursive: true when sourcePath is a directory"
      await folder.refused("fs/copy", params(folder, "d", "e"), -32600, text)
      await folder.sh("test ! -e e")
    },
  },
  "folder-into-itself-refused": {
    spec: ["b34"],
    setup: "mkdir -p d/e; : >d/f; ln -s d l",
    says: "fs/copy of a folder to itself or below itself is refused with -32600, also through a link.",
    run: async (folder) => {
      const text = "fs/copy cannot copy a directory to itself or one of its descendants"
      for (const to of ["d", "d/new", "d/e/new", "l/new"]) {
        await folder.refused("fs/copy", params(folder, "d", to, true), -32600, text)
      }
      Check.equal(await folder.sh("ls d d/e"), "d:\ne\nf\n\nd/e:\n", "what is in the folder")
    },
  },
  "special-file-refused": {
    spec: ["b34"],
    setup: "mkfifo p",
    says: "fs/copy of a pipe or a device is refused at once with -32600 and a text that lists what can be copied.",
    run: async (folder) => {
      const text = "fs/copy only supports regular files, directories, and symlinks"
      await folder.refused("fs/copy", params(folder, "p", "x"), -32600, text)
      const device = { ...params(folder, "p", "x"), sourcePath: "file:///dev/zero" }
      await folder.refused("fs/copy", device, -32600, text)
    },
  },
  "link-stays-a-link": {
    spec: ["b35"],
    setup: "printf a >a; ln -s a l; ln -s none gone",
    says: `fs/copy of a link, dangling or not, creates a link with the same target; at an existing path it
      is refused with -32603 and File exists (os error 17).`,
    run: async (folder) => {
      for (const [from, to] of [
        ["l", "m"],
        ["gone", "n"],
      ] as const) {
        await folder.ok("fs/copy", params(folder, from, to))
      }
      Check.equal(await folder.sh("readlink m n"), "a\nnone\n", "the targets of the copies")
      await folder.refused("fs/copy", params(folder, "l", "a"), -32603, "File exists (os error 17)")
      Check.equal((await folder.cat("a")).toString("utf8"), "a", "the content of what is in the way")
    },
  },
  "keeps-permission-bits": {
    spec: ["b36"],
    setup: "printf a >a; chmod 750 a; printf b >b; chmod 400 b",
    says: "fs/copy to a new name keeps the permission bits.",
    run: async (folder) => {
      for (const name of ["a", "b"]) await folder.ok("fs/copy", params(folder, name, `new-${name}`))
      Check.equal(await folder.sh("ls -l new-a new-b | cut -c1-10"), "-rwxr-x---\n-r--------\n", "the modes")
    },
  },
  "onto-itself-loses-nothing": {
    spec: ["b37"],
    setup: "printf 'precious data' >a; ln a hard; ln -s a soft",
    says: `fs/copy of a file onto itself, also through a hard or a symbolic link, may be refused or succeed,
      and leaves its content as it was.`,
    run: async (folder) => {
      for (const to of ["a", "hard", "soft"]) {
        await folder.wire.begin("fs/copy", params(folder, "a", to))
        Check.equal(
          (await folder.cat("a")).toString("utf8"),
          "precious data",
          `the content after a copy to ${to}`,
        )
      }
    },
  },
  "trees-merge": {
    setup:
      "mkdir -p s/sub t; printf 1 >s/a; printf 2 >s/sub/b; ln -s a s/l; printf old >t/a; printf kept >t/z",
    says: `fs/copy of a folder with recursive:true copies its content, links as links, and keeps what else
      is at the destination.`,
    run: async (folder) => {
      await folder.ok("fs/copy", params(folder, "s", "t", true))
      await folder.ok("fs/copy", params(folder, "s", "u", true))
      const seen = await folder.sh("cat t/a t/sub/b t/z u/a u/sub/b; readlink t/l u/l")
      Check.equal(seen, "12kept12a\na\n", "the copies")
    },
  },
  "onto-a-link-that-loops": {
    level: "should",
    setup: "mkdir -p s/in; ln -s loop loop",
    says: `fs/copy of a folder onto a link that loops is refused with -32603 and the text of EEXIST; one of
      a folder to a place below such a link in it with -32600, as any copy into itself.`,
    run: async ({ refused, uri }) => {
      const copy = (source: string, to: string) => ({
        sourcePath: source,
        destinationPath: uri(to),
        recursive: true,
      })
      await refused("fs/copy", copy(uri("s"), "loop"), -32603, "File exists (os error 17)")
      const text = await refused("fs/copy", copy(uri(""), "loop/x"), -32600)
      Check.contains(text, "to itself or one of its descendants", "the text")
    },
  },
  "kinds-that-clash-refused": {
    setup: "mkdir d; : >f",
    says: `fs/copy of a file onto a folder, or of a folder onto a file, is refused with -32603 and the text
      of the OS; a copy of a missing path with -32004.`,
    run: async (folder) => {
      await folder.refused("fs/copy", params(folder, "f", "d"), -32603, "Is a directory (os error 21)")
      await folder.refused("fs/copy", params(folder, "d", "f", true), -32603, "File exists (os error 17)")
      await folder.refused("fs/copy", params(folder, "none", "x"), -32004, noFile)
    },
  },
})
