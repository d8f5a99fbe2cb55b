/** `client.fs` of core/client, over `HostFiles` of the runtime that runs the test. */
import { createHash } from "node:crypto"
import { readdirSync, readlinkSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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

/** Whether this process, which is the server too, has a file of that path open. */
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

  it("streams what is too long for one message, both ways", async () => {
    const { at, sh } = Folder.make("head -c 40000003 /dev/urandom >big")
    const bytes = await client.fs.readFile(at("big"))
    const sum = sh("sha1sum <big").slice(0, 40)
    expect(sha(bytes)).toBe(sum)
    await client.fs.writeFile(at("copy"), bytes)
    expect(sh("sha1sum <copy").slice(0, 40)).toBe(sum)
    const hash = createHash("sha1")
    for await (const block of client.fs.readStream(at("copy"))) hash.update(block)
    expect(hash.digest("hex")).toBe(sum)
    expect(isOpen(at("copy"))).toBe(false)
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
