/**
 * Paths of files on the wire: valid and invalid `file:` URIs, mostly with `fs/readFile`.
 */
import * as Check from "../Check.ts"
import { folderTable, readFile } from "./folder.ts"

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
