/**
 * Paths of files on the wire: the spellings of a `file:` URI that the URL standard allows.
 */
import * as Check from "../Check.ts"
import { folderTable, noFile, readFile, uriOf, writeFile, type Folder } from "./folder.ts"

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
    says:
      "A path that is no file URI, or has %00 in it, is refused with -32602 before the handshake, a handle that is " +
      "taken, bad base64, and members and elements that follow it are told.",
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
