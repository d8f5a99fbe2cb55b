/**
 * An extension that a server may announce as `fsChange` in `environmentInfo.capabilities`: `fs/rename`, `fs/setMode`
 * and `fs/createSymlink`.
 */
import { Check, Child, type JsonObject } from "../Vocabulary.ts"
import { folderTable, noFile, type Folder } from "./folder.ts"

const requires = ["filesystem", "filesystem-change"] as const

const exists = "File exists (os error 17)"
const noFolder = "Not a directory (os error 20)"
const containsLink = "path contains a symbolic link"
const noFollow = { followSymlinks: false } as const

const move = ({ uri }: Folder, from: string, to: string, more: JsonObject = {}): JsonObject => ({
  sourcePath: uri(from),
  destinationPath: uri(to),
  ...more,
})

export const fsRename = folderTable("fs/rename", requires, {
  "moves-what-is-named": {
    setup: "printf a >a; mkdir d e; printf x >d/x; ln -s a l; ln -s none gone; stat -c %i a d >before",
    says: `fs/rename moves a file or a folder with what is in it, and a link itself, dangling or not, to a
        name that nothing has; each stays what it is. The result is {}.`,
    run: async (folder) => {
      for (const [from, to] of [
        ["a", "e/new"],
        ["d", "moved"],
        ["l", "link"],
        ["gone", "e/gone"],
      ] as const) {
        await folder.ok("fs/rename", move(folder, from, to), {})
      }
      await folder.sh("stat -c %i e/new moved | diff - before")
      const seen = await folder.sh("rm before; ls . e moved; readlink link e/gone; cat e/new moved/x")
      Check.equal(seen, ".:\ne\nlink\nmoved\n\ne:\ngone\nnew\n\nmoved:\nx\na\nnone\nax", "what is there")
    },
  },
  "replaces-nothing-unasked": {
    setup: "printf a >a; printf b >b; mkdir d e; printf x >d/x; ln -s a l; ln -s none gone",
    says: `Without overwrite, or with overwrite:false, fs/rename to a path where anything is, also an
        empty folder, a dangling link or the source itself, is refused with -32603 and File exists (os error
        17); nothing changes.`,
    run: async (folder) => {
      for (const from of ["a", "d", "l"])
        for (const to of ["b", "e", "gone", from])
          for (const more of [{}, { overwrite: false }, { overwrite: null }])
            await folder.refused("fs/rename", move(folder, from, to, more), -32603, exists)
      const seen = await folder.sh("cat a b d/x; ls . e; readlink l gone")
      Check.equal(seen, "abx.:\na\nb\nd\ne\ngone\nl\n\ne:\na\nnone\n", "what is there")
    },
  },
  "overwrite-replaces": {
    setup: "printf a >a; printf b >b; printf c >c; mkdir d e; printf x >d/x; ln -s c l",
    says: `With overwrite:true fs/rename replaces a file by a file, a link by a file without a change of
        what it leads to, and an empty folder by a folder.`,
    run: async (folder) => {
      const overwrite = true
      await folder.ok("fs/rename", move(folder, "a", "b", { overwrite }))
      await folder.ok("fs/rename", move(folder, "b", "l", { overwrite }))
      await folder.ok("fs/rename", move(folder, "d", "e", { overwrite }))
      const seen = await folder.sh("test ! -L l; cat l c e/x; ls")
      Check.equal(seen, "acxc\ne\nl\n", "what is there")
    },
  },
  "overwrite-spares-folders": {
    setup: "printf a >a; mkdir d e; printf x >d/x; printf y >e/y",
    says: `Also with overwrite:true fs/rename of a folder to one that is not empty is refused with -32603
        and the text of ENOTEMPTY, of a file to a folder with that of EISDIR, and of a folder to a file with
        that of ENOTDIR.`,
    run: async (folder) => {
      const to = (from: string, name: string) => move(folder, from, name, { overwrite: true })
      await folder.refused("fs/rename", to("d", "e"), -32603, "Directory not empty (os error 39)")
      await folder.refused("fs/rename", to("a", "e"), -32603, "Is a directory (os error 21)")
      await folder.refused("fs/rename", to("d", "a"), -32603, noFolder)
      Check.equal(await folder.sh("cat a d/x e/y"), "axy", "what is there")
    },
  },
  "missing-refused": {
    setup: "printf a >a",
    says: `fs/rename of a path where nothing is, or to one in a folder that is not there, is refused with
        -32004; of or to a path below a file with -32603 and the text of ENOTDIR.`,
    run: async (folder) => {
      for (const overwrite of [false, true]) {
        const refused = (from: string, to: string, code: number, text: string) =>
          folder.refused("fs/rename", move(folder, from, to, { overwrite }), code, text)
        await refused("none", "x", -32004, noFile)
        await refused("none", "a", -32004, noFile)
        await refused("a", "none/x", -32004, noFile)
        await refused("a/x", "x", -32603, noFolder)
        await refused("a", "a/x", -32603, noFolder)
      }
      Check.equal(await folder.sh("cat a; ls"), "aa\n", "what is there")
    },
  },
  "into-itself-refused": {
    setup: "mkdir -p d/e",
    says: "fs/rename of a folder to a path in it is refused with -32600 and the text of EINVAL; nothing is left there.",
    run: async (folder) => {
      for (const overwrite of [false, true])
        for (const to of ["d/new", "d/e/new"])
          await folder.refused(
            "fs/rename",
            move(folder, "d", to, { overwrite }),
            -32600,
            "Invalid argument (os error 22)",
          )
      Check.equal(await folder.sh("ls -R"), ".:\nd\n\n./d:\ne\n\n./d/e:\n", "what is there")
    },
  },
  "other-file-system-refused": {
    requires: ["procfs"],
    setup: "printf a >a; mkdir d",
    says: "fs/rename to another file system is refused with -32603 and Cross-device link (os error 18): nothing is copied.",
    run: async (folder) => {
      const text = "Cross-device link (os error 18)"
      for (const name of ["a", "d"])
        for (const overwrite of [false, true]) {
          const destinationPath = "file:///proc/procwire-renamed"
          const params = { sourcePath: folder.uri(name), destinationPath, overwrite }
          await folder.refused("fs/rename", params, -32603, text)
        }
      Check.equal(await folder.sh("ls"), "a\nd\n", "what is there")
    },
  },
  "no-follow": {
    setup: "mkdir d; printf a >d/a; ln -s d l; ln -s a d/la",
    says: `With followSymlinks:false fs/rename of or to a link is refused with -32600 and path contains a
        symbolic link, through a linked folder with -32603 and the text of ENOTDIR; other paths are moved as
        usual.`,
    run: async (folder) => {
      const refused = (from: string, to: string, code: number, text: string) =>
        folder.refused("fs/rename", move(folder, from, to, { ...noFollow, overwrite: true }), code, text)
      await refused("d/la", "b", -32600, containsLink)
      await refused("d/a", "d/la", -32600, containsLink)
      await refused("l/a", "b", -32603, noFolder)
      await refused("d/a", "l/b", -32603, noFolder)
      await folder.ok("fs/rename", move(folder, "d/a", "d/b", noFollow))
      Check.equal(await folder.sh("ls d; cat d/b"), "b\nla\na", "what is there")
    },
  },
  "one-of-many-wins": {
    setup: "for name in 0 1 2 3 4 5 6 7; do printf $name >f$name; mkdir d$name; : >d$name/x; done",
    says: `Of several fs/rename without overwrite to one name, on two connections at once, one succeeds,
        and the others are refused with File exists (os error 17) and move nothing.`,
    run: async (folder) => {
      const other = await folder.t.open()
      for (const kind of ["f", "d"]) {
        const replies = await Promise.all(
          [0, 1, 2, 3, 4, 5, 6, 7].map((name) =>
            [folder.wire, other][name % 2]?.begin("fs/rename", move(folder, `${kind}${name}`, `${kind}x`)),
          ),
        )
        const texts = replies.flatMap((reply) => (reply?.error === undefined ? [] : [reply.error.message]))
        Check.equal(
          texts,
          Array.from({ length: 7 }, () => exists),
          "the errors",
        )
      }
      Check.equal(await folder.sh("ls -d f? d? | wc -l; ls dx | wc -l"), "16\n1\n", "how many there are")
    },
  },
  "a-reader-finds-one-or-the-other": {
    setup: "printf 0 >x; seq 1 200 | while read n; do printf $n >f$n; done",
    says: "While fs/rename with overwrite:true replaces a file again and again, it is there at every moment.",
    run: async (folder) => {
      const script =
        "echo reading; n=0; until test -e stop; do test -s x || n=$((n+1)); done; echo missed $n times"
      const child = await Child.start(folder.wire, { script, params: { cwd: folder.uri() } })
      await child.says("reading")
      for (let n = 1; n <= 200; n += 1)
        await folder.ok("fs/rename", move(folder, `f${n}`, "x", { overwrite: true }))
      await folder.sh(": >stop")
      await child.ended()
      Check.contains(child.text(), "missed 0 times", "what a reader says")
      Check.equal(await folder.sh("cat x; ls"), "200stop\nx\n", "what is there")
    },
  },
})

export const fsSetMode = folderTable("fs/setMode", requires, {
  "sets-all-bits": {
    setup: "printf a >a; mkdir d; ln -s a l",
    says: `fs/setMode sets the permission bits of a file or a folder, set-id and sticky among them, and of
        what a link leads to. The result is {}.`,
    run: async (folder) => {
      const set = async (name: string, mode: number) =>
        await folder.ok("fs/setMode", { path: folder.uri(name), mode }, {})
      await set("a", 0o640)
      await set("d", 0o1751)
      Check.equal(await folder.sh("stat -c %a a d"), "640\n1751\n", "the modes")
      await set("l", 0o4711)
      Check.equal(await folder.sh("stat -c %a a"), "4711\n", "the mode")
      await set("a", 0)
      Check.equal(await folder.sh("stat -c %a a"), "0\n", "the mode")
    },
  },
  "what-is-no-mode-refused": {
    setup: "printf a >a; chmod 640 a",
    says: `fs/setMode with a mode that is missing, null, no whole number, negative or above 4095 is
        refused with -32602 and a text that names it.`,
    run: async (folder) => {
      const path = folder.uri("a")
      for (const params of [
        { path },
        ...[null, "755", -1, 4096, 1.5, 2 ** 53].map((mode) => ({ path, mode })),
      ])
        Check.contains(await folder.refused("fs/setMode", params, -32602), "mode", "the text")
      Check.equal(await folder.sh("stat -c %a a"), "640\n", "the mode")
    },
  },
  "missing-refused": {
    setup: "printf a >a; ln -s none gone",
    says: `fs/setMode of a path where nothing is, or of a dangling link, is refused with -32004; below a
        file with -32603 and the text of ENOTDIR.`,
    run: async ({ refused, uri }) => {
      for (const name of ["none", "none/x", "gone"])
        await refused("fs/setMode", { path: uri(name), mode: 0 }, -32004, noFile)
      await refused("fs/setMode", { path: uri("a/x"), mode: 0 }, -32603, noFolder)
    },
  },
  "no-follow": {
    setup: "mkdir d; printf a >d/a; chmod 640 d/a; ln -s d l; ln -s a d/la",
    says: `With followSymlinks:false fs/setMode of a link is refused with -32600 and path contains a
        symbolic link, through a linked folder with -32603 and the text of ENOTDIR; of another path it works
        as usual.`,
    run: async ({ ok, refused, uri, sh }) => {
      const at = (name: string) => ({ path: uri(name), mode: 0o600, ...noFollow })
      await refused("fs/setMode", at("d/la"), -32600, containsLink)
      await refused("fs/setMode", at("l/a"), -32603, noFolder)
      Check.equal(await sh("stat -c %a d/a"), "640\n", "the mode")
      await ok("fs/setMode", at("d/a"))
      Check.equal(await sh("stat -c %a d/a"), "600\n", "the mode")
    },
  },
})

export const fsCreateSymlink = folderTable("fs/createSymlink", requires, {
  "keeps-the-target-as-it-is": {
    setup: "mkdir d; printf a >a",
    says: `fs/createSymlink makes a link with the target of the request, letter for letter, whether it is
        absolute or relative to the folder of the link, and whether it exists or not. The result is {}.`,
    run: async (folder) => {
      const { ok, uri, sh } = folder
      for (const [target, name] of [
        ["../a", "d/l"],
        ["./none//x/../é ", "d/odd"],
        [`${folder.path}/a`, "l"],
        ["file:///a", "uri"],
      ] as const)
        await ok("fs/createSymlink", { target, path: uri(name) }, {})
      const seen = await sh("cat d/l l; readlink d/l d/odd l uri")
      Check.equal(seen, `aa../a\n./none//x/../é \n${folder.path}/a\nfile:///a\n`, "what the links lead to")
    },
  },
  "existing-refused": {
    setup: "printf a >a; mkdir d; ln -s none gone",
    says: `fs/createSymlink at a path where anything is, also a dangling link, is refused with -32603 and
        File exists (os error 17).`,
    run: async ({ refused, uri, sh }) => {
      for (const name of ["a", "d", "gone"])
        await refused("fs/createSymlink", { target: "x", path: uri(name) }, -32603, exists)
      Check.equal(await sh("cat a; readlink gone; ls d"), "anone\n", "what is there")
    },
  },
  "what-is-no-target-refused": {
    says: `fs/createSymlink with a target that is empty or has a NUL is refused with -32600 and a text
        that says so, without one with -32602.`,
    run: async ({ refused, uri, sh }) => {
      const path = uri("l")
      const empty = await refused("fs/createSymlink", { target: "", path }, -32600)
      Check.contains(empty, "empty", "the text")
      const nul = await refused("fs/createSymlink", { target: "a\0b", path }, -32600)
      Check.contains(nul, "NUL", "the text")
      Check.contains(await refused("fs/createSymlink", { path }, -32602), "target", "the text")
      Check.equal(await sh("ls"), "", "what is there")
    },
  },
  "missing-refused": {
    setup: "printf a >a",
    says: `fs/createSymlink in a folder that is not there is refused with -32004; below a file with -32603
        and the text of ENOTDIR.`,
    run: async ({ refused, uri }) => {
      await refused("fs/createSymlink", { target: "x", path: uri("none/l") }, -32004, noFile)
      await refused("fs/createSymlink", { target: "x", path: uri("a/l") }, -32603, noFolder)
    },
  },
  "no-follow": {
    setup: "mkdir d; ln -s d l",
    says: `With followSymlinks:false fs/createSymlink through a linked folder is refused with -32603 and
        the text of ENOTDIR; elsewhere it works as usual.`,
    run: async ({ ok, refused, uri, sh }) => {
      const at = (name: string) => ({ target: "x", path: uri(name), ...noFollow })
      await refused("fs/createSymlink", at("l/new"), -32603, noFolder)
      await ok("fs/createSymlink", at("d/new"))
      Check.equal(await sh("ls d; readlink d/new"), "new\nx\n", "what is there")
    },
  },
})
