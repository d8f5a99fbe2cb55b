import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { Files } from "../../../core/files/Files.ts"
import { fromPath } from "../../../core/protocol/PathUri.ts"
import { command, name, platform } from "../../testing/Runtime.ts"
import * as Folder from "../testing/Folder.ts"

const files = Context.get(
  Effect.runSync(Layer.buildWithScope(platform.layerFiles, Effect.runSync(Scope.make()))),
  Files,
)
const save = (path: string, content: string, follow = true) =>
  Effect.runPromise(files.save(path, new TextEncoder().encode(content), { follow }))

describe(`saving a file on ${name}`, () => {
  it("makes a new one, as the umask says, and replaces one, as it was", async () => {
    const { at, sh } = Folder.make("printf long-ago >b; chmod 604 b; umask >u")
    await save(at("a"), "new")
    await save(at("b"), "new")
    const umask = Number.parseInt(sh("cat u"), 8)
    expect(sh("cat a b; stat -c %a a b")).toBe(`newnew${(0o666 & ~umask).toString(8)}\n604\n`)
    expect(sh("ls -A")).toBe("a\nb\nu\n")
  })

  it("is another file if nobody can tell, and the same if it has other names", async () => {
    const { at, sh } = Folder.make("printf old >a; printf old >b; ln b c")
    const inode = (path: string) => sh(`stat -c %i ${path}`)
    const before = [inode("a"), inode("b")]
    await save(at("a"), "new")
    await save(at("b"), "new")
    expect(inode("a")).not.toBe(before[0])
    expect(inode("b")).toBe(before[1])
    expect(sh("cat c")).toBe("new")
  })

  it("leaves links, and gives what they lead to", async () => {
    const { at, sh } = Folder.make(
      "mkdir d e; printf old >d/a; ln -s d/a l; ln -s l m; ln -s ../e/new d/gone; ln -s none/x f",
    )
    await save(at("m"), "one")
    await save(at("d/gone"), "two")
    expect(sh("cat d/a e/new; readlink l m d/gone")).toBe("onetwod/a\nl\n../e/new\n")
    await expect(save(at("f"), "x")).rejects.toThrow("No such file or directory (os error 2)")
    await expect(save(at("l"), "x", false)).rejects.toThrow("Symbolic link loop (os error 40)")
    expect(sh("cat d/a")).toBe("one")
  })

  it("writes into devices, and refuses folders", async () => {
    const { at, sh } = Folder.make("mkdir d")
    await save("/dev/null", "gone")
    await expect(save("/dev/null", "x", false)).rejects.toThrow("path is not a regular file")
    await expect(save(at("d"), "x")).rejects.toThrow("Is a directory (os error 21)")
    expect(sh("ls -A")).toBe("d\n")
  })

  it("writes into what has no offsets or no room beside it: a pipe, a file of /proc", async () => {
    const { at, sh } = Folder.make("mkfifo p")
    const reader = spawn("/bin/sh", ["-c", 'exec 3<>"$1"; echo; head -c 3 <&3', "sh", at("p")])
    await once(reader.stdout, "data") // the pipe is open
    const [, [bytes]] = await Promise.all([save(at("p"), "hi!"), once(reader.stdout, "data")])
    expect(String(bytes)).toBe("hi!")
    const before = readFileSync("/proc/self/comm", "utf8").trim()
    await save("/proc/self/comm", before)
    expect(sh("ls -A")).toBe("p\n")
  })

  it("leaves the old content and nothing else where the disk is full", async () => {
    const { at, sh } = Folder.make("printf precious >a; printf 'x' >huge")
    // A limit on the size of files is as good as a full disk, and a shell can set it.
    const script = `trap '' XFSZ; ulimit -f 8; exec "$@"`
    const { messages, send, end } = serve(["/bin/sh", "-c", script, "sh", ...command])
    await send("initialize", { clientName: "test" })
    const params = { path: fromPath(at("a")), dataBase64: Buffer.alloc(1_000_000, "y").toString("base64") }
    await send("fs/writeFile", params)
    end()
    expect(messages.at(-1)).toMatchObject({
      error: { code: -32603, message: "File too large (os error 27)" },
    })
    expect(sh("cat a; ls -A")).toBe("preciousa\nhuge\n")
  })

  it("is all old or all new when the server is killed in the middle", async () => {
    const { at, path: folder } = Folder.make()
    const size = 6_000_000
    const contents = ["a", "b"].map((letter) => Buffer.alloc(size, letter).toString("base64"))
    let torn = 0
    for (let round = 0; round < 2; round += 1) {
      const { send, kill } = serve([...command])
      await send("initialize", { clientName: "test" })
      const path = fromPath(at("f"))
      await send("fs/writeFile", { path, dataBase64: contents[0] })
      let killed = false
      const writing = async () => {
        for (let turn = 1; !killed; turn += 1)
          await send("fs/writeFile", { path, dataBase64: contents[turn % 2] })
      }
      const end = writing()
      // In the middle of a write: there is a temporary file, or the file has not its full size.
      while (readdirSync(folder).length === 1 && statSync(at("f")).size === size) await setImmediate()
      killed = true
      await kill()
      await end
      const found = readFileSync(at("f"))
      if (found.length !== size || !found.equals(Buffer.alloc(size, found[0]))) torn += 1
    }
    expect(torn).toBe(0)
  })
})

/** A server on pipes; a request that it does not live to answer is answered with nothing. */
const serve = ([program = "", ...args]: ReadonlyArray<string>) => {
  const child = spawn(program, [...args, "serve", "--listen", "stdio"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const messages: Array<{ readonly id?: number }> = []
  const waiting = new Map<number, () => void>()
  let rest = ""
  let id = 0
  const over = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  child.stdin.on("error", () => {})
  child.stdout.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line) as { readonly id?: number }
      messages.push(message)
      waiting.get(message.id ?? 0)?.()
    }
  })
  const send = async (method: string, params: object) => {
    const mine = (id += 1)
    const answered = new Promise<void>((resolve) => waiting.set(mine, resolve))
    child.stdin.write(`${JSON.stringify({ id: mine, method, params })}\n`)
    await Promise.race([answered, over])
    if (method === "initialize") child.stdin.write('{"method":"initialized"}\n')
  }
  const kill = () => {
    child.kill("SIGKILL")
    return over
  }
  return { messages, send, kill, end: () => child.stdin.end() }
}
