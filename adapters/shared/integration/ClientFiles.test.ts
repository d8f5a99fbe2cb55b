/** `client.fs` of core/client, over `HostFiles` of the runtime that runs the test. */
import { createHash } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import process from "node:process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ClientError } from "../../../core/client/ClientError.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import { name } from "../../testing/Runtime.ts"
import * as Folder from "../testing/Folder.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

const sha = (bytes: Uint8Array | string) => createHash("sha1").update(bytes).digest("hex")

/** True if this process, which is the server too, has a file of that path open. */
const isOpen = (path: string) =>
  readdirSync("/proc/self/fd").some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  })

describe(`client.fs on ${name}`, () => {
  it("reads and writes files by native path or URI", async () => {
    const { at, sh } = Folder.make()
    await client.fs.writeFile(at("a b%"), "héllo")
    expect(sh("cat 'a b%'")).toBe("héllo")
    expect(await client.fs.readTextFile(at("a b%"))).toBe("héllo")
    await client.fs.writeFile(`file://${at("b")}`, Uint8Array.of(0, 255))
    expect(await client.fs.readFile(`file://${at("b")}`)).toEqual(Uint8Array.of(0, 255))
    expect(await client.fs.readTextFile("package.json")).toContain('"procwire"')
  })

  it("looks, lists, makes, copies and removes", async () => {
    const { at, path, sh } = Folder.make("ln -s a l; ln -s none gone")
    await client.fs.createDirectory(at("d/e"))
    await client.fs.writeFile(at("a"), "abc")
    expect(await client.fs.stat(at("l"))).toMatchObject({ isFile: true, isSymlink: true, size: 3 })
    await client.fs.copy(at("a"), at("d/e/f"))
    await client.fs.copy(at("d"), at("c"))
    expect(await client.fs.readDirectory(at("c"))).toEqual([
      { fileName: "e", isDirectory: true, isFile: false },
    ])
    expect((await client.fs.readDirectory(path)).map(({ fileName }) => fileName).sort()).toEqual([
      "a",
      "c",
      "d",
      "gone",
      "l",
    ])
    expect((await client.fs.walk(path)).entries.map((entry) => entry.path)).toEqual(
      ["a", "c", "d", "c/e", "d/e", "c/e/f", "d/e/f"].map(at),
    )
    expect(await client.fs.canonicalize(at("l"))).toBe(at("a"))
    await client.fs.remove(at("c"))
    await client.fs.remove(at("never"))
    expect(sh("ls")).toBe("a\nd\ngone\nl\n")
  })

  it("tells whether something is there", async () => {
    const { at } = Folder.make(": >a; mkdir d; ln -s d l; ln -s none gone")
    const found = await Promise.all(
      ["a", "d", "l", "gone", "none", "none/x", "a/x"].map((name) => client.fs.exists(at(name))),
    )
    expect(found).toEqual([true, true, true, false, false, false, false])
    await expect(client.fs.exists(at("x".repeat(300)))).rejects.toMatchObject({ code: "ENAMETOOLONG" })
  })

  it("makes directories as Node does", async () => {
    const { at, sh } = Folder.make(": >a")
    await client.fs.mkdir(at("d"))
    await expect(client.fs.mkdir(at("d"))).rejects.toMatchObject({ code: "EEXIST", method: "mkdir" })
    await expect(client.fs.mkdir(at("e/f"))).rejects.toMatchObject({ code: "ENOENT", path: at("e/f") })
    for (let twice = 0; twice < 2; twice += 1) await client.fs.mkdir(at("e/f"), { recursive: true })
    await expect(client.fs.mkdir(at("a"), { recursive: true })).rejects.toMatchObject({ code: "EEXIST" })
    expect(sh("ls -R")).toBe(".:\na\nd\ne\n\n./d:\n\n./e:\nf\n\n./e/f:\n")
  })

  it("renames, and replaces only where it is told to", async () => {
    const { at, sh } = Folder.make("printf a >a; printf b >b; mkdir d e; : >d/x; : >e/y; ln -s b l")
    await client.fs.rename(at("a"), at("c"))
    await expect(client.fs.rename(at("c"), at("b"))).rejects.toMatchObject({
      reason: "Server",
      code: "EEXIST",
      rpcCode: -32603,
      method: "rename",
      path: at("c"),
      message: `rename ${at("c")} to ${at("b")}: file exists`,
    })
    await client.fs.rename(at("c"), at("b"), { overwrite: true })
    await expect(client.fs.rename(at("d"), at("e"), { overwrite: true })).rejects.toMatchObject({
      code: "ENOTEMPTY",
    })
    await client.fs.rename(at("l"), at("m"))
    await client.fs.rename(at("d"), at("f"))
    expect(sh("cat b; readlink m; ls; ls f e")).toBe("ab\nb\ne\nf\nm\ne:\ny\n\nf:\nx\n")
    await expect(client.fs.rename(at("none"), at("x"))).rejects.toMatchObject({
      code: "ENOENT",
      rpcCode: -32004,
    })
    await expect(client.fs.rename(at("b"), "/proc/b")).rejects.toMatchObject({
      code: "EXDEV",
      message: `rename ${at("b")} to /proc/b: cross-device link`,
    })
  })

  it("sets modes and makes links", async () => {
    const { at, sh } = Folder.make("printf a >a; mkdir d")
    await client.fs.chmod(at("a"), 0o751)
    await client.fs.symlink("../a", at("d/l"))
    await client.fs.symlink("none", at("gone"))
    expect(sh("stat -c %a a; readlink d/l gone; cat d/l")).toBe("751\n../a\nnone\na")
    await expect(client.fs.symlink("b", at("a"))).rejects.toMatchObject({
      code: "EEXIST",
      message: `symlink b at ${at("a")}: file exists`,
    })
    const noFollow = { followSymlinks: false }
    await expect(client.fs.chmod(at("d/l"), 0o600, noFollow)).rejects.toMatchObject({
      message: `chmod ${at("d/l")}: path contains a symbolic link`,
    })
    await client.fs.chmod(at("d/l"), 0o600)
    expect(sh("stat -c %a a")).toBe("600\n")
    await expect(client.fs.symlink("", at("x"))).rejects.toThrow("requires a target that is not empty")
    await expect(client.fs.symlink("a\0b", at("x"))).rejects.toThrow(
      'fs/createSymlink requires a target without NUL: "a\\u0000b"',
    )
    for (const mode of ["755", -1, 0o10000, 0.5])
      await expect(client.fs.chmod(at("a"), mode as number)).rejects.toMatchObject({
        reason: "InvalidOption",
        message: `fs.chmod takes a mode of 0 to 0o7777, not ${JSON.stringify(mode)}`,
      })
  })

  it("goes over no link where it is told so", async () => {
    const { at, sh } = Folder.make("mkdir d; : >d/a; ln -s d l; ln -s a d/la")
    const noFollow = { followSymlinks: false }
    const refused = [
      client.fs.rename(at("l/a"), at("b"), noFollow),
      client.fs.rename(at("d/a"), at("l/b"), noFollow),
      client.fs.rename(at("d/la"), at("b"), noFollow),
      client.fs.rename(at("d/a"), at("d/la"), { ...noFollow, overwrite: true }),
      client.fs.chmod(at("l/a"), 0o600, noFollow),
      client.fs.symlink("a", at("l/b"), noFollow),
      client.fs.mkdir(at("l/b"), noFollow),
    ].map((promise) =>
      promise.then(
        () => "done",
        (error: ClientError) => String(error.code),
      ),
    )
    expect(await Promise.all(refused)).toEqual([
      "ENOTDIR",
      "ENOTDIR",
      "-32600",
      "-32600",
      "ENOTDIR",
      "ENOTDIR",
      "ENOTDIR",
    ])
    await client.fs.rename(at("d/a"), at("d/b"), noFollow)
    await client.fs.symlink("b", at("d/lb"), noFollow)
    await client.fs.chmod(at("d/b"), 0o640, noFollow)
    expect(sh("stat -c %a d/b; ls d; readlink d/lb")).toBe("640\nb\nla\nlb\nb\n")
  })

  it("finds files by patterns", async () => {
    const { at, path } = Folder.make(
      "mkdir -p src/deep .git/x node_modules/m; : >a.ts; : >src/b.ts; : >src/c.js; : >src/deep/d.ts; : >.git/e.ts; " +
        ": >.f.ts; : >node_modules/m/g.ts; ln -s a.ts l.ts; ln -s src/deep link; mkdir 'odd[1]'; : >'odd[1]/h.ts'; " +
        `: >"$(printf 'x\\377.ts')"`,
    )
    const found = async (...[patterns, options]: Parameters<typeof client.fs.glob>) =>
      (await client.fs.glob(patterns, { cwd: path, ...options })).map((name) => name.slice(path.length + 1))
    expect(await found("*.ts")).toEqual(["a.ts", "x\udcff.ts"])
    const all = ["a.ts", "node_modules/m/g.ts", "odd[1]/h.ts", "src/b.ts", "src/deep/d.ts", "x\udcff.ts"]
    expect(await found("**/*.ts")).toEqual(all)
    const ignore = ["**/node_modules", "x*"]
    expect(await found("**/*.ts", { ignore, dot: true })).toEqual([
      ".f.ts",
      ".git/e.ts",
      "a.ts",
      "odd[1]/h.ts",
      "src/b.ts",
      "src/deep/d.ts",
    ])
    expect(await found(["src/*.{ts,js}", "{a,none}.ts", "src/b.*"])).toEqual(["a.ts", "src/b.ts", "src/c.js"])
    expect(await found("s*", { onlyFiles: false })).toEqual(["src"])
    expect(await found(".*/*.ts")).toEqual([".git/e.ts"])
    expect(await found("link/*")).toEqual(["link/d.ts"])
    expect(await found(`${at("src")}/d*/*`, { cwd: "/" })).toEqual(["src/deep/d.ts"])
    expect(await found("*.ts", { cwd: at("odd[1]") })).toEqual(["odd[1]/h.ts"])
    expect(await found(["none/*", "a.ts/*", "none"])).toEqual([])
    expect(await client.fs.glob("packag?.json")).toEqual([`${process.cwd()}/package.json`])
    const [odd = ""] = await client.fs.glob("x*", { cwd: path })
    expect(await client.fs.readTextFile(odd)).toBe("")
    await expect(client.fs.glob("!a")).rejects.toMatchObject({ reason: "InvalidOption" })
    await expect(client.fs.glob("*", { ignore: "a" as never })).rejects.toThrow(
      'fs.glob takes an array of patterns as ignore, not "a"',
    )
  })

  it("fails with the code of the server", async () => {
    const { at } = Folder.make("mkdir d; : >d/a; ln -s d l")
    const failure = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(await failure(client.fs.readFile(at("none")))).toMatchObject({
      reason: "Server",
      code: "ENOENT",
      rpcCode: -32004,
      message: `readFile ${at("none")}: no such file or directory`,
      serverMessage: "No such file or directory (os error 2)",
    })
    expect(await failure(client.fs.remove(at("d"), { recursive: false }))).toMatchObject({
      code: "ENOTEMPTY",
      rpcCode: -32603,
    })
    expect(await failure(client.fs.stat(at("l"), { followSymlinks: false }))).toMatchObject({
      code: -32600,
      message: `stat ${at("l")}: path contains a symbolic link`,
    })
  })

  it("knows a name that is no UTF-8 again", async () => {
    const { path } = Folder.make(`printf 5 >"$(printf 'x\\377\\376')"`)
    const [entry] = (await client.fs.walk(path)).entries
    expect(await client.fs.readTextFile(entry?.path ?? "")).toBe("5")
  })

  it.each([0, 1, 1 << 20, (1 << 20) + 1, 5 << 20, (5 << 20) + 1, 6 << 20])(
    "streams a file of %i bytes, of which several blocks are read at once",
    async (length) => {
      const { at } = Folder.make(`head -c ${length} /dev/urandom >a`)
      const blocks: Array<Uint8Array> = []
      for await (const block of client.fs.readStream(at("a"))) blocks.push(block)
      expect(blocks.map((block) => block.length)).toEqual(
        Array.from({ length: Math.ceil(length / 2 ** 20) }, (_, i) =>
          Math.min(2 ** 20, length - i * 2 ** 20),
        ),
      )
      expect(sha(Buffer.concat(blocks))).toBe(sha(await client.fs.readFile(at("a"))))
    },
  )

  it("writes pieces of any size, however they come", async () => {
    const { at, sh } = Folder.make()
    async function* pieces() {
      for (let i = 0; i < 1000; i += 1) yield i % 2 === 0 ? `${i}\n` : new TextEncoder().encode(`${i}\n`)
      yield new Uint8Array(3_000_000)
    }
    await client.fs.write(at("a"), pieces())
    expect(sh("head -n 1000 a | sha1sum; seq 0 999 | sha1sum; wc -c <a").split("\n")).toEqual([
      `${sha(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(""))}  -`,
      `${sha(Array.from({ length: 1000 }, (_, i) => `${i}\n`).join(""))}  -`,
      "3003890",
      "",
    ])
    await client.fs.write(at("b"), [])
    expect(sh("wc -c <b").trim()).toBe("0")
    const broken = client.fs.write(
      at("c"),
      (function* () {
        yield "x"
        throw new Error("no more")
      })(),
    )
    await expect(broken).rejects.toThrow("no more")
    expect(isOpen(at("c"))).toBe(false)
  })

  it("closes the file when a loop is left, and reads a file that is open anywhere", async () => {
    const { at } = Folder.make("head -c 3000000 /dev/zero >a")
    for await (const block of client.fs.readStream(at("a"))) {
      expect(isOpen(at("a"))).toBe(true)
      expect(block.length).toBe(1024 * 1024)
      break
    }
    expect(isOpen(at("a"))).toBe(false)
    const file = await client.fs.open(at("a"), "replace")
    await file.write(3, Uint8Array.of(1))
    await file.close()
    const again = await client.fs.open(at("a"))
    expect(await again.read(2, 9)).toEqual({ chunk: Uint8Array.of(0, 1), eof: true })
    await again.close()
    await expect(again.read(0)).rejects.toMatchObject({ reason: "Disconnected" })
  })

  it("waits for what is missing", async () => {
    const { at, sh } = Folder.make(": >here")
    const none = await client.fs.watchMissing([at("here")])
    expect([none.watching, await none.changed()]).toEqual([false, false])
    const first = await client.fs.watchMissing([at("a")])
    const second = await client.fs.watchMissing([at("d/b")], { present: at("here") })
    expect([first.watching, await first.changed()]).toEqual([true, false])
    sh("mkdir d")
    expect([second.watching, await second.changed()]).toEqual([true, true])
  })
})
