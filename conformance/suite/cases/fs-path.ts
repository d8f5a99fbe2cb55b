/**
 * Paths of files on the wire: valid and invalid `file:` URIs, mostly with `fs/readFile`. Paths of files on the
 * wire: the spellings of a `file:` URI that the URL standard allows.
 */
import * as Check from "../Check.ts"
import { type Folder, folderTable, noFile, readFile, uriOf, writeFile } from "./folder.ts"

export const fsPath = folderTable("fs/path", {
  "native-path-refused": {
    spec: ["b10"],
    setup: ": >a",
    says: "A path that is not a URI (native, relative, empty) is refused with -32602.",
    run: async ({ refused, path }) => {
      for (const native of [`${path}/a`, "a", "./a", ""]) {
        await refused("fs/readFile", { path: native }, -32602)
      }
    },
  },
  "other-scheme-refused": {
    spec: ["b11"],
    says: "A URI with the scheme http is refused with -32602.",
    run: async ({ refused }) => {
      await refused("fs/readFile", { path: "http://x/y" }, -32602)
    },
  },
  "foreign-host-refused": {
    spec: ["b12"],
    setup: ": >a",
    says: "A file URI with a host name is refused with -32600 and a text that names the URI.",
    run: async ({ refused, path }) => {
      const uri = `file://otherhost${path}/a`
      Check.contains(
        await refused("fs/readFile", { path: uri }, -32600),
        `'${uri}' is invalid on`,
        "the text",
      )
    },
  },
  "localhost-accepted": {
    spec: ["b12"],
    setup: "printf bye >a",
    says: "file:///x, file://localhost/x and file:/x are the same file.",
    run: async (folder) => {
      for (const start of ["file://", "file://localhost", "file:"]) {
        Check.equal((await readFile(folder, `${start}${folder.path}/a`)).toString("utf8"), "bye", start)
      }
    },
  },
  "query-and-fragment-refused": {
    spec: ["b13"],
    setup: ": >a",
    says: "A URI with a query or a fragment is refused with -32602.",
    run: async ({ refused, uri }) => {
      for (const end of ["?x=1", "#f"]) await refused("fs/readFile", { path: `${uri("a")}${end}` }, -32602)
    },
  },
  "nul-refused": {
    spec: ["b14"],
    setup: ": >a",
    says: "A URI with %00 in its path is refused with -32602.",
    run: async ({ refused, uri }) => {
      await refused("fs/readFile", { path: `${uri("a")}%00b` }, -32602)
    },
  },
  "special-characters": {
    spec: ["b15"],
    setup: "printf 1 >'a b'; printf 2 >'100%'; printf 3 >'c#d?'; printf 4 >é",
    says: "Percent-encoding is decoded; a space and letters outside ASCII may also be written raw.",
    run: async (folder) => {
      const names = {
        "a%20b": "1",
        "a b": "1",
        "100%25": "2",
        "c%23d%3F": "3",
        "%C3%A9": "4",
        é: "4",
        "%61 b": "1",
      }
      for (const [name, content] of Object.entries(names)) {
        const bytes = await readFile(folder, `file://${folder.path}/${name}`)
        Check.equal(bytes.toString("utf8"), content, `the content of ${name}`)
      }
    },
  },
  "name-that-is-not-utf-8": {
    level: "should",
    spec: ["b15"],
    setup: "printf 5 >\"$(printf 'x\\377\\376')\"",
    says: "%FF%FE in a URI stands for these two bytes of a file name, which are not UTF-8.",
    run: async (folder) => {
      const bytes = await readFile(folder, `file://${folder.path}/x%FF%FE`)
      Check.equal(bytes.toString("utf8"), "5", "the content")
    },
  },
  "dots-resolved-in-the-text": {
    spec: ["b16"],
    setup: "mkdir -p d/e; ln -s d/e l; printf top >a; printf deep >d/a",
    says: "x/.. is removed from a URI before the file system sees it, even if x is a symbolic link.",
    run: async (folder) => {
      for (const name of ["d/../a", "none/../a", "l/../a", "./a"]) {
        const bytes = await readFile(folder, `file://${folder.path}/${name}`)
        Check.equal(bytes.toString("utf8"), "top", `the content of ${name}`)
      }
    },
  },
  "slash-behind-a-file": {
    level: "peer",
    setup: "printf bye >a",
    says: "A slash after the name of a file is ignored.",
    run: async (folder) => {
      const bytes = await readFile(folder, `${folder.uri("a")}/`)
      Check.equal(bytes.toString("utf8"), "bye", "the content")
    },
  },
  "wrong-types-refused": {
    spec: ["b17"],
    says: "Missing or null params, a missing path, and a path that is a number are refused with -32602.",
    run: async ({ refused }) => {
      for (const params of [undefined, null, {}, { path: 5 }, { path: null }]) {
        await refused("fs/readFile", params, -32602)
      }
      for (const method of ["fs/writeFile", "fs/createDirectory", "fs/getMetadata", "fs/canonicalize"]) {
        await refused(method, null, -32602)
      }
      for (const method of ["fs/readDirectory", "fs/remove", "fs/copy"]) await refused(method, null, -32602)
    },
  },
  "unknown-members-ignored": {
    spec: ["b18"],
    setup: "printf longer >a",
    says: "Unknown members of params are ignored: fs/writeFile with append:true truncates.",
    run: async ({ ok, uri, cat }) => {
      await ok("fs/writeFile", { path: uri("a"), dataBase64: "Ynll", append: true, zzz: { a: 1 } })
      Check.equal((await cat("a")).toString("utf8"), "bye", "the content")
    },
  },
  "null-options-accepted": {
    spec: ["b72"],
    setup: "printf bye >a",
    says: "sandbox may be null, and followSymlinks absent.",
    run: async (folder) => {
      const bytes = await readFile(folder, folder.uri("a"), { sandbox: null })
      Check.equal(bytes.toString("utf8"), "bye", "the content")
    },
  },
  "positional-params": {
    level: "peer",
    setup: "printf bye >a",
    says: "Params may be an array of all fields: fs/getMetadata [path, null, null].",
    run: async ({ wire, uri }) => {
      const { result } = await wire.begin("fs/getMetadata", [uri("a"), null, null])
      Check.equal(Check.object(result, "the result")["size"], 3, "the size")
    },
  },
  "texts-of-the-peer": {
    level: "peer",
    spec: ["b10", "b11", "b13", "b17"],
    setup: ": >a",
    says: "Refused paths have the exact texts of Codex.",
    run: async ({ refused, uri, path }) => {
      const texts = {
        [`${path}/a`]: "invalid URI: relative URL without a base",
        "http://x/y": "unsupported path URI scheme `http`",
        [`${uri("a")}?x=1`]: "query parameters are not allowed in path URIs",
        [`${uri("a")}#f`]: "fragments are not allowed in path URIs",
        [`${uri("a")}%00b`]: `'${uri("a")}%00b' is invalid on 'linux'`,
      }
      for (const [given, text] of Object.entries(texts)) {
        await refused("fs/readFile", { path: given }, -32602, text)
      }
      const text = await refused("fs/readFile", null, -32602)
      Check.contains(text, "invalid type: null, expected struct", "the text for null params")
    },
  },
})

/** The content of `x/a` must be read under each of these URIs. */
const sameFile = async (folder: Folder, uris: ReadonlyArray<string>): Promise<void> => {
  for (const uri of uris) {
    const bytes = await readFile(folder, uri)
    Check.equal(bytes.toString("utf8"), "bye", `the content of ${JSON.stringify(uri)}`)
  }
}

const setup = "mkdir x; printf bye >x/a"

export const fsPathUrl = folderTable("fs/path", {
  "backslash-is-a-slash": {
    setup,
    says: "A backslash in a URI is a slash; %5C is a character of a name.",
    run: async (folder) => {
      const { path, sh, refused } = folder
      await writeFile(folder, `file://${path}\\x\\new`, "new")
      Check.equal(await sh("cat x/new"), "new", "the content")
      await sameFile(folder, [`file:\\\\${path}\\x\\a`, `file:/\\${path}/x\\a`])
      await refused("fs/readFile", { path: `file://${path}/x%5Ca` }, -32004, noFile)
    },
  },
  "blanks-and-line-ends-dropped": {
    level: "should",
    setup,
    says: "Blanks and control characters around a URI are dropped, and so are tabs and line ends in it.",
    run: async (folder) => {
      const uri = folder.uri("x/a")
      await sameFile(folder, [` ${uri}\t`, `\u0000\u001f${uri}\r\n`, uri.replace("file", "fi\tle")])
      await sameFile(folder, [uri.replace("/x", "/\nx"), `${uri}  `])
    },
  },
  "host-percent-decoded": {
    level: "should",
    setup,
    says: "file://%6cocalhost/x is the file /x of this host.",
    run: (folder) => sameFile(folder, [`file://%6cocalhost${folder.path}/x/a`]),
  },
  "drive-letter-refused": {
    says: "A URI with a drive letter is refused with -32600 by a host without drives, however it is written.",
    run: async ({ refused }) => {
      for (const uri of ["file:///C:/x", "file:C:/x", "file:/c|/x", "file://C:/x", "file:///./C:/../../x"]) {
        Check.contains(await refused("fs/readFile", { path: uri }, -32600), "is invalid on", "the text")
      }
      await refused("fs/readFile", { path: "file:///C:x" }, -32004, noFile)
    },
  },
  "dots-resolved-before-nul": {
    level: "should",
    setup,
    says: "Dots are resolved, also percent-encoded ones, before a URI with %00 is refused.",
    run: async (folder) => {
      const { path } = folder
      await sameFile(folder, [`file://${path}/a%00b/../x/a`, `file://${path}/a%00b/%2e%2E/x/%2e/a`])
      await folder.refused("fs/readFile", { path: `file://${path}/x/../a%00b` }, -32602)
    },
  },
  "bad-host-refused": {
    level: "should",
    setup,
    says: "A URI with a host that is no host name, or with a port or credentials, is refused with -32602.",
    run: async ({ path, refused }) => {
      for (const host of ["a b", "localhost:80", "me@localhost", "a%00b", "[::1", "1.2.3.400"]) {
        await refused("fs/readFile", { path: `file://${host}${path}/x/a` }, -32602)
      }
    },
  },
  "judged-while-decoding": {
    level: "should",
    spec: ["b10"],
    setup,
    requires: ["filesystem-blocks"],
    says: `A path that is no file URI, or has %00 in it, is refused with -32602 before the handshake, a
      handle that is taken, bad base64, and members and elements that follow it are told.`,
    run: async ({ t, uri, ok, refused }) => {
      const early = await t.connect()
      await early.refused("fs/readFile", { path: "none" }, -32602)
      const nul = `${uri("x/a")}%00`
      for (const params of [{ path: nul }, { path: nul, followSymlinks: 5 }, [nul], [nul, 1, 2, 3, 4]]) {
        const told = await early.refused("fs/readFile", params, -32602)
        Check.contains(told, "%00' is invalid on", `the text for ${Check.show(params)}`)
      }
      await ok("fs/open", { handleId: "h", path: uri("x/a") })
      for (const path of ["none", "http://x/y", `${uri("x/a")}%00`]) {
        await refused("fs/writeFile", { path, dataBase64: "@@@" }, -32602)
        await refused("fs/open", { handleId: "h", path }, -32602)
        await refused(
          "fs/copy",
          { sourcePath: "file:///C:/x", destinationPath: path, recursive: false },
          -32602,
        )
      }
      const permissions = { type: "disabled" }
      const sandbox = { permissions, windowsSandboxLevel: "disabled", workspaceRoots: ["none"] }
      await refused("fs/readFile", { path: uri("x/a"), sandbox }, -32602)
    },
  },
  "text-names-the-canonical-uri": {
    level: "peer",
    says: "The text of a refused URI names its canonical form.",
    run: async ({ refused }) => {
      const canonical = {
        "file:c|/../a b": "file:///C:/a%20b",
        " file://HOST\\é": "file://host/%C3%A9",
        "file://256/x": "file://0.0.1.0/x",
      }
      for (const [uri, text] of Object.entries(canonical)) {
        const told = await refused("fs/readFile", { path: uri }, -32600)
        Check.contains(told, `'${text}' is invalid on`, "the text")
      }
    },
  },
  "brackets-not-encoded": {
    level: "should",
    setup: "mkdir -p 'r[id]/a|b^c'",
    requires: ["filesystem-walk"],
    says: "[, ], | and ^ in a name have no percent codes in the paths of fs/canonicalize and fs/walk.",
    run: async (folder) => {
      const root = `${uriOf(folder.path)}/r[id]`
      Check.equal(
        await folder.ok("fs/canonicalize", { path: folder.uri("r[id]/a|b^c") }),
        { path: `${root}/a|b^c` },
        "the path",
      )
      const options = { maxDepth: 1, maxDirectories: 9, maxEntries: 9, followDirectorySymlinks: false }
      const { entries } = await folder.ok("fs/walk", { path: root, options })
      Check.equal(entries, [{ path: `${root}/a|b^c`, kind: "directory" }], "the entries of the walk")
    },
  },
})
