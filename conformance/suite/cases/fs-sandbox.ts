/**
 * The `sandbox` object of the methods about files.
 */
import { Check, type JsonObject } from "../Vocabulary.ts"
import { readOnly } from "../Manifest.ts"
import { base64, folderTable, noFile, readFile, type Folder } from "./folder.ts"

const level = { windowsSandboxLevel: "disabled" }

/** Access to one folder and to nothing else. */
const restricted = (uri: string, access = "read"): JsonObject => ({
  type: "managed",
  file_system: { type: "restricted", entries: [{ path: { type: "path", path: uri }, access }] },
  network: "restricted",
})

/** The same of a folder below that of the case. */
const only = ({ uri }: Folder, name: string, access: string): JsonObject => ({
  permissions: restricted(uri(name), access),
  ...level,
})

/** Every path of another host is refused with its own words; `root` are those for a workspace root. */
const tellsForeign = async (folder: Folder, root: string): Promise<void> => {
  const profile = only(folder, "a", "read")
  const foreign = "file:///C:/x"
  const texts: ReadonlyArray<readonly [string, JsonObject]> = [
    ["invalid sandbox permission path URI: ", { permissions: restricted(foreign), cwd: foreign }],
    ["", { cwd: foreign, workspaceRoots: [foreign] }],
    [root, { workspaceRoots: [foreign] }],
  ]
  for (const [text, more] of texts) {
    const params = { path: folder.uri("a"), sandbox: { ...profile, ...more } }
    await folder.refused("fs/readFile", params, -32600, `${text}'${foreign}' is invalid on 'linux'`)
  }
}

const setup = "mkdir in out; printf inside >in/a; printf outside >out/b; ln -s ../out/b in/escape"

export const fsSandbox = folderTable("fs/sandbox", {
  "null-is-none": {
    spec: ["b72"],
    setup: "mkdir d; printf bye >a",
    says: "sandbox:null is accepted by every method about files.",
    run: async ({ ok, uri }) => {
      const at = (name: string) => ({ path: uri(name), sandbox: null })
      await ok("fs/readFile", at("a"))
      await ok("fs/writeFile", { ...at("b"), dataBase64: base64("x") })
      await ok("fs/createDirectory", at("e"))
      for (const name of ["fs/getMetadata", "fs/canonicalize", "fs/readDirectory"]) await ok(name, at("d"))
      await ok("fs/copy", {
        sourcePath: uri("a"),
        destinationPath: uri("c"),
        recursive: false,
        sandbox: null,
      })
      await ok("fs/remove", at("a"))
    },
  },
  "incomplete-object-refused": {
    spec: ["b72"],
    setup: "printf bye >a",
    says: `A sandbox without permissions or windowsSandboxLevel is refused with -32602 and a text that names
      what is missing.`,
    run: async ({ refused, uri }) => {
      const at = (sandbox: JsonObject) => ({ path: uri("a"), sandbox })
      Check.contains(await refused("fs/readFile", at({}), -32602), "permissions", "the text")
      const levelless = at({ permissions: { type: "disabled" } })
      Check.contains(await refused("fs/readFile", levelless, -32602), "windowsSandboxLevel", "the text")
    },
  },
  "foreign-path-refused": {
    level: "should",
    spec: ["b72"],
    setup: "printf bye >a",
    says: `A restricted profile with a path of another host is refused with -32600, also as cwd or workspace
      root, before the path of the request is judged; a free profile with one is not. %00 in any of them is
      refused with -32602.`,
    run: async (folder) => {
      const { ok, refused, uri } = folder
      const path = uri("a")
      const profile = only(folder, "a", "read")
      const named = { ...profile, permissions: restricted("file://elsewhere/x") }
      for (const sandbox of [
        named,
        { ...profile, cwd: "file://elsewhere/x" },
        { ...profile, workspaceRoots: ["file://elsewhere/x"] },
      ])
        await refused("fs/getMetadata", { path, sandbox }, -32600)
      const told = await refused("fs/getMetadata", { path: "file://host/y", sandbox: named }, -32600)
      Check.contains(told, "elsewhere", "the text")
      const free = { permissions: { type: "disabled" }, ...level }
      await ok("fs/getMetadata", { path, sandbox: { ...free, cwd: "file://elsewhere/x" } })
      const nul = { ...free, temporaryDirectories: ["file:///a%00b"] }
      await refused("fs/getMetadata", { path, sandbox: nul }, -32602)
      await refused("fs/writeFile", { path, dataBase64: "@", sandbox: nul }, -32602)
    },
  },
  "foreign-path-texts-of-the-peer": {
    level: "peer",
    peers: ["0.169"],
    says: "The texts for a path of another host in a restricted profile are those of Codex 0.169.",
    run: (folder) =>
      tellsForeign(folder, "file system sandbox workspace root is not native to this exec-server host: "),
  },
  "foreign-path-texts": {
    level: "peer",
    peers: ["0.171"],
    says: "The texts for a path of another host in a restricted profile are those of Codex 0.171.",
    run: (folder) => tellsForeign(folder, "invalid sandbox workspace root: "),
  },
  "free-profiles": {
    spec: ["b74"],
    setup: "printf bye >a",
    says: "The profiles disabled, external and managed/unrestricted behave as no sandbox at all.",
    run: async (folder) => {
      const unrestricted = { type: "managed", file_system: { type: "unrestricted" }, network: "enabled" }
      for (const permissions of [
        { type: "disabled" },
        { type: "external", network: "enabled" },
        unrestricted,
      ]) {
        const sandbox = { permissions, ...level }
        const bytes = await readFile(folder, folder.uri("a"), { sandbox })
        Check.equal(bytes.toString("utf8"), "bye", `the content under ${Check.show(permissions)}`)
        const dataBase64 = base64("bye")
        await folder.ok("fs/writeFile", { path: folder.uri("a"), dataBase64, sandbox })
      }
    },
  },
  "never-unconfined": {
    spec: ["b73"],
    setup,
    says: `A restricted profile is never exceeded: no byte of a file outside is returned, and none is
      written where only reading is allowed.`,
    run: async (folder) => {
      const { wire, uri, sh } = folder
      const sandbox = only(folder, "in", "read")
      for (const name of ["out/b", "in/escape"]) {
        const { result } = await wire.begin("fs/readFile", { path: uri(name), sandbox })
        Check.equal(result ?? null, null, `the result of fs/readFile of ${name}`)
      }
      const dataBase64 = base64("changed")
      for (const name of ["out/b", "in/a", "in/new", "out/new"]) {
        const { result } = await wire.begin("fs/writeFile", { path: uri(name), dataBase64, sandbox })
        Check.equal(result ?? null, null, `the result of fs/writeFile of ${name}`)
      }
      await wire.begin("fs/remove", { path: uri("out/b"), sandbox })
      await wire.begin("fs/writeFile", { path: uri("in/a"), dataBase64, sandbox: readOnly })
      const params = {
        sourcePath: uri("out/b"),
        destinationPath: uri("in/stolen"),
        recursive: false,
        sandbox,
      }
      await wire.begin("fs/copy", params)
      Check.equal(
        await sh("cat in/a out/b; ls in out"),
        "insideoutsidein:\na\nescape\n\nout:\nb\n",
        "the files",
      )
    },
  },
  "outside-does-not-exist": {
    spec: ["b73"],
    requires: ["sandbox"],
    setup,
    says: `Under a restricted profile, files inside can be read; files outside, also through a link, are
      refused with -32004, and fs/remove of them does nothing.`,
    run: async (folder) => {
      const { refused, uri } = folder
      const sandbox = only(folder, "in", "read")
      const bytes = await readFile(folder, uri("in/a"), { sandbox })
      Check.equal(bytes.toString("utf8"), "inside", "the content of what is inside")
      for (const name of ["out/b", "in/escape"]) {
        await refused("fs/readFile", { path: uri(name), sandbox }, -32004, noFile)
      }
      await refused("fs/getMetadata", { path: uri("out/b"), sandbox }, -32004, noFile)
      await folder.ok("fs/remove", { path: uri("out/b"), sandbox }, {})
      Check.equal(await folder.sh("cat out/b"), "outside", "the content of what is outside")
    },
  },
  "read-only-refuses-writes": {
    spec: ["b73"],
    requires: ["sandbox"],
    setup,
    says: `Where only reading is allowed a write is refused with -32603 and os error 30; where writing is
      allowed it succeeds.`,
    run: async (folder) => {
      const { ok, refused, uri } = folder
      const write = (access: string) => ({
        path: uri("in/a"),
        dataBase64: base64("changed"),
        sandbox: only(folder, "in", access),
      })
      const text = "Read-only file system (os error 30)"
      await refused("fs/writeFile", write("read"), -32603, text)
      Check.equal(await folder.sh("cat in/a"), "inside", "the content")
      await ok("fs/writeFile", write("write"))
      Check.equal(await folder.sh("cat in/a"), "changed", "the content")
    },
  },
  "changes-never-unconfined": {
    requires: ["filesystem-change"],
    setup: `${setup}; chmod 640 out/b in/a; ln -s ../out in/away; mkdir sealed; printf kept >sealed/c`,
    says: `fs/rename, fs/setMode and fs/createSymlink never exceed a restricted profile: nothing is moved
      into, out of or within what may not be written, no mode is set there, also through a link, and no link
      is made there.`,
    run: async (folder) => {
      const { wire, uri, sh } = folder
      const move = (from: string, to: string) => ({ sourcePath: uri(from), destinationPath: uri(to) })
      const tried: ReadonlyArray<readonly [string, JsonObject]> = [
        ["fs/rename", move("in/a", "out/stolen")],
        ["fs/rename", move("in/a", "in/away/stolen")],
        ["fs/rename", { ...move("in/a", "out/b"), overwrite: true }],
        ["fs/rename", move("out/b", "in/stolen")],
        ["fs/rename", move("sealed/c", "sealed/d")],
        ["fs/rename", move("in", "renamed")],
        ["fs/setMode", { path: uri("out/b"), mode: 0o777 }],
        ["fs/setMode", { path: uri("in/escape"), mode: 0o777 }],
        ["fs/setMode", { path: uri("sealed/c"), mode: 0o777 }],
        ["fs/createSymlink", { target: "b", path: uri("out/link") }],
        ["fs/createSymlink", { target: "b", path: uri("in/away/link") }],
        ["fs/createSymlink", { target: "c", path: uri("sealed/link") }],
      ]
      const entry = (name: string, access: string) => ({
        path: { type: "path", path: uri(name) },
        access,
      })
      const fileSystem = { type: "restricted", entries: [entry("in", "write"), entry("sealed", "read")] }
      const permissions = { type: "managed", file_system: fileSystem, network: "restricted" }
      for (const [method, params] of tried)
        await wire.begin(method, { ...params, sandbox: { permissions, ...level } })
      for (const [method, params] of tried) await wire.begin(method, { ...params, sandbox: readOnly })
      Check.equal(
        await sh("cat in/a out/b sealed/c; stat -c %a in/a out/b; ls . in out sealed"),
        "insideoutsidekept640\n640\n.:\nin\nout\nsealed\n\nin:\na\naway\nescape\n\nout:\nb\n\nsealed:\nc\n",
        "the files",
      )
    },
  },
  "changes-inside": {
    requires: ["sandbox", "filesystem-change"],
    setup,
    says: `Where writing is allowed, fs/rename, fs/setMode and fs/createSymlink work under a restricted
      profile, and a new link leads nowhere else: what it leads to is refused with -32004. Where only
      reading is, each is refused with -32603 and os error 30.`,
    run: async (folder) => {
      const { ok, refused, uri, sh } = folder
      const text = "Read-only file system (os error 30)"
      const requests = (sandbox: JsonObject): ReadonlyArray<readonly [string, JsonObject]> => [
        ["fs/setMode", { path: uri("in/a"), mode: 0o600, sandbox }],
        ["fs/createSymlink", { target: "../out/b", path: uri("in/l"), sandbox }],
        ["fs/rename", { sourcePath: uri("in/a"), destinationPath: uri("in/c"), sandbox }],
      ]
      for (const [method, params] of requests(only(folder, "in", "read")))
        await refused(method, params, -32603, text)
      const sandbox = only(folder, "in", "write")
      for (const [method, params] of requests(sandbox)) await ok(method, params)
      await refused("fs/readFile", { path: uri("in/l"), sandbox }, -32004, noFile)
      Check.equal(
        await sh("ls in; stat -c %a in/c; readlink in/l"),
        "c\nescape\nl\n600\n../out/b\n",
        "the files",
      )
    },
  },
  "handle-of-a-sandbox": {
    spec: ["b73"],
    requires: ["sandbox", "filesystem-blocks"],
    setup,
    says: `fs/open under a restricted profile refuses files outside with -32004; a handle to a file inside
      is read without a sandbox.`,
    run: async (folder) => {
      const { ok, refused, uri } = folder
      const sandbox = only(folder, "in", "read")
      await refused("fs/open", { handleId: "o", path: uri("out/b"), sandbox }, -32004, noFile)
      await ok("fs/open", { handleId: "i", path: uri("in/a"), sandbox })
      const { chunk } = await ok("fs/readBlock", { handleId: "i", offset: 0, len: 99 })
      Check.equal(chunk, base64("inside"), "the block")
    },
  },
  "dynamic-kinds-need-a-cwd": {
    level: "peer",
    setup,
    says: "A profile with project_roots and without cwd is refused with -32602 and the exact text of Codex.",
    run: async ({ refused, uri }) => {
      const path = { type: "special", value: { kind: "project_roots" } }
      const fileSystem = { type: "restricted", entries: [{ path, access: "read" }] }
      const permissions = { type: "managed", file_system: fileSystem, network: "restricted" }
      const text = "file system sandbox context with dynamic permissions requires cwd"
      await refused("fs/readFile", { path: uri("in/a"), sandbox: { permissions, ...level } }, -32602, text)
    },
  },
})
