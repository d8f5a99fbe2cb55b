/** Histories of real processes in real files: what a client gets again, what a killed server leaves, and full disks. */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import * as Reading from "../../../core/features/history/Reading.ts"
import * as Recovery from "../../../core/features/history/Recovery.ts"
import { connect } from "../../testing/Client.ts"
import * as NodeHistoryFiles from "../host/NodeHistoryFiles.ts"
import * as Program from "../testing/Program.ts"
import { launch } from "../testing/AuditedServer.ts"

let root = ""
beforeAll(() => (root = mkdtempSync(join(tmpdir(), "procwire-history-test-"))))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const fresh = () => mkdtempSync(join(root, "dir-"))

const serving = async (dir: string, ...flags: ReadonlyArray<string>) => {
  const server = await launch("--history-dir", dir, ...flags)
  const client = await connect({ url: server.url }, { reconnect: false })
  onTestFinished(() => client.close())
  return { server, client }
}

const textOf = (chunks: ReadonlyArray<{ readonly chunk: Uint8Array }>) =>
  chunks.map(({ chunk }) => new TextDecoder().decode(chunk)).join("")

/** The folders of the processes of the one server that uses a folder. */
const foldersIn = (dir: string) => readdirSync(dir).flatMap((server) => foldersOf(dir, server))

const foldersOf = (dir: string, server: string) =>
  readdirSync(join(dir, server)).map((name) => join(dir, server, name))

/** Reads the whole page by page; each page begins where the one before has ended. */
const sizeOf = async (process: ClientProcess, check: (text: string, byte: number) => void) => {
  for (let byte = 0; ;) {
    const page = await process.history({ from: { byte }, maxBytes: 8 * 1024 * 1024 })
    expect(page.byte).toBe(byte)
    check(textOf(page.chunks), byte)
    byte = page.nextByte
    if (page.eof) return byte
  }
}

const start = async (client: Client, script: string) => client.start({ argv: ["/bin/sh", "-c", script] })

describe("procwire serve --history-dir", () => {
  it("gives 27 MB of a child again, any part of it, and its lines", async () => {
    const dir = fresh()
    const { client } = await serving(dir, "--history-bytes", "1g")
    const child = await start(client, "seq 10000001 13000000")
    await child.closed
    const size = await sizeOf(child, (text, byte) => {
      const lines = text.split("\n")
      const first = Math.ceil(byte / 9)
      expect(lines[byte % 9 === 0 ? 0 : 1]).toBe(String(10_000_001 + first))
    })
    expect(size).toBe(9 * 3_000_000)
    const part = await child.history({ from: { line: 2_654_321 }, to: { line: 2_654_323 } })
    expect([textOf(part.chunks), part.byte]).toEqual(["12654321\n12654322\n", 9 * 2_654_320])
    expect(textOf((await child.history({ tail: 1 })).chunks)).toBe("13000000\n")
    const found = await child.grep({ pattern: "^1[0-9]999999$", before: 1 })
    expect(found.matches.map(({ line, before }) => [line, before])).toEqual(
      Array.from({ length: 3 }, (_, n) => [n * 1_000_000 + 999_999, [`1${n}999998`]]),
    )
    const { chunks, more } = await child.read({ afterSeq: 0 })
    expect([chunks[0]?.seq, more]).toEqual([1, true])
    expect(textOf(chunks).startsWith("10000001\n10000002\n")).toBe(true)
  })

  it("keeps files that only its user reads, and removes them with the server", async () => {
    const dir = fresh()
    const { client, server } = await serving(dir)
    const plain = await start(client, "echo plain")
    await plain.closed
    await expect(plain.history()).rejects.toMatchObject({ code: -32600 })
    expect(readdirSync(dir)).toEqual([])
    const child = await client.start({ argv: ["echo", "kept"], history: { maxBytes: 1024 * 1024 } })
    await child.closed
    expect(textOf((await child.history()).chunks)).toBe("kept\n")
    const [folder = ""] = foldersIn(dir)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const files = readdirSync(folder).sort()
    expect(files).toEqual(["000001.idx", "000001.out", "process.json"])
    for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
    server.signal("SIGTERM")
    await server.ended
    expect(readdirSync(dir)).toEqual([])
  })

  it("removes the files of a process when it is forgotten", async () => {
    const dir = fresh()
    const { client } = await serving(dir, "--history-bytes", "1m", "--retention-ms", "0")
    const child = await start(client, "echo gone")
    await child.closed
    // A start comes behind the end of the retention, and its own folder is another one.
    const other = await start(client, "echo there; sleep 600")
    expect((await other.wait({ until: [{ pattern: "there" }] })).met).toBe(0)
    await expect
      .poll(() => foldersIn(dir).map((folder) => readFileSync(join(folder, "000001.out"), "utf8")), {
        timeout: 60_000,
      })
      .toEqual(["there\n"])
    await other.terminate()
  })

  // With 1 MiB its files have been written over many times.
  it.each(["1g", "1m"])("leaves everything that it has written when it is killed, of %s", async (most) => {
    const dir = fresh()
    const { client, server } = await serving(dir, "--history-bytes", most)
    const child = await start(client, "seq 10000001 90000000")
    for (let size = 0; size < 3_000_000;) size = (await child.history({ tail: 1 })).nextByte
    server.signal("SIGKILL")
    await server.ended
    const [folder = ""] = foldersIn(dir)
    expect(existsSync(join(folder, "000001.out"))).toBe(most === "1g")
    const files = NodeHistoryFiles.toFolder(folder)
    const { begin, end, chunks } = await Effect.runPromise(
      Effect.gen(function* () {
        const recovered = yield* Recovery.recover(files)
        expect((yield* Recovery.recover(files)).cutBytes).toBe(0)
        const begin = Reading.beginOf(recovered)
        const { chunks } = yield* Reading.read(recovered, begin, begin + 3_000_000, Infinity)
        return { begin, end: recovered.end, chunks }
      }),
    )
    expect(end.byte).toBeGreaterThanOrEqual(3_000_000)
    expect(end.line).toBe(Math.floor(end.byte / 9))
    const whole = textOf(chunks.map(({ bytes }) => ({ chunk: bytes })))
    const lines = whole.slice((9 - (begin % 9)) % 9).split("\n")
    const first = 10_000_001 + Math.ceil(begin / 9)
    expect(lines.length).toBeGreaterThan(most === "1g" ? 333_000 : 80_000)
    expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).map((_, n) => String(first + n)))
  })

  // Deno's server does not see /proc.
  it.runIf(process.platform === "linux" && !("Deno" in globalThis))(
    "removes what killed servers have left, and says how much",
    async () => {
      const dir = fresh()
      const begin = async () => {
        const { server, client } = await serving(dir, "--history-bytes", "1m")
        await (
          await start(client, "echo kept")
        ).closed
        return server
      }
      const living = await begin()
      const [own = ""] = readdirSync(dir)
      for (const server of [await begin(), await begin()]) {
        server.signal("SIGKILL")
        await server.ended
      }
      const left = readdirSync(dir).filter((name) => name !== own)
      expect(left).toHaveLength(2)
      const [pid = "", ...rest] = left[0]?.replace("procwire-history-", "").split("-") ?? []
      // Of another boot, a process that runs under that number, a link, and names that are not its own.
      const others = [
        `procwire-history-${pid}-${rest[0]}-0123456789ab.1-abcdef`,
        own.replace(/\w+$/, "abcdef"),
        `procwire-history-${pid}-tests-`,
        `procwire-history-${pid}`,
      ]
      for (const name of others) mkdirSync(join(dir, name))
      const link = `procwire-history-${rest.length > 0 ? pid : ""}-${rest[0]}-${rest[1]}-linked`
      symlinkSync(join(dir, own), join(dir, link))
      const { server } = await serving(dir)
      await expect.poll(() => readdirSync(dir).sort()).toEqual([own, link, ...others].sort())
      await expect.poll(server.stderr).toContain("removed the histories of 2 servers that had been killed")
      expect(readFileSync(join(foldersOf(dir, own)[0] ?? "", "000001.out"), "utf8")).toBe("kept\n")
      living.signal("SIGTERM")
      await living.ended
      expect(readdirSync(dir)).not.toContain(own)
    },
  )

  it("does not start with a folder that cannot be made or written, and says why", async () => {
    const file = join(fresh(), "file")
    writeFileSync(file, "")
    const startIn = async (dir: string) => {
      const { ended, stderr } = await launch("--history-dir", dir)
      return [await ended, stderr()]
    }
    const told = (dir: string, why: string) =>
      `procwire: --history-dir ${dir}: cannot keep histories there: ${why}; ` +
      "name a folder that can be made and written\n"
    const below = join(file, "histories")
    expect(await startIn(below)).toEqual([2, told(below, "Not a directory (os error 20)")])
    // A folder in which none can be made; Deno guards it itself, with a text of its own.
    if (process.platform !== "linux") return
    const [code, text = ""] = await startIn("/proc")
    expect(code).toBe(2)
    if ("Deno" in globalThis) expect(text).toContain("--history-dir /proc: cannot keep histories there: ")
    else expect(text).toBe(told("/proc", "No such file or directory (os error 2)"))
  })

  it("keeps the newest output on a full disk, and says so", async (context) => {
    const dir = fresh()
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", dir], { stdio: "ignore" })
    } catch {
      // Only root may mount.
      return context.skip()
    }
    onTestFinished(() => void execFileSync("umount", ["--lazy", dir]))
    const { client, server } = await serving(
      dir,
      "--history-bytes",
      "1g",
      "--list-sessions=all",
      `--listen=unix:${join(fresh(), "socket")}`,
    )
    const child = await start(client, "seq 10000001 11000000; echo done")
    let seen = ""
    for await (const text of child.text()) seen = (seen + text).slice(-100)
    expect(seen.endsWith("11000000\ndone\n")).toBe(true)
    expect(await child.exitCode).toBe(0)
    const { byte, eof, ended, lost } = await child.history({ maxBytes: 1 })
    expect([eof, ended, lost?.bytes]).toEqual([false, undefined, byte])
    expect(9_000_005 - byte).toBeGreaterThan(1024 * 1024)
    const kept = await child.history({ maxBytes: 16 * 1024 * 1024 })
    const lines = textOf(kept.chunks).split("\n").slice(1)
    const first = 10_000_001 + Math.ceil(byte / 9)
    expect(lines.splice(-2)).toEqual(["done", ""])
    expect(lines).toEqual(lines.map((_, n) => String((byte % 9 === 0 ? 1 : 0) + first + n)))
    const said = /disk for histories is full/
    await expect.poll(server.stderr).toMatch(said)
    await (
      await start(client, "seq 10000001 11000000")
    ).closed
    expect(server.stderr().split(said).length).toBe(2)
    const named = await client.start({ argv: ["/bin/sh", "-c", "seq 10000001 11000000"], name: "numbers" })
    await named.closed
    const { call } = Program.make()
    const asked = ["logs", "--server", server.url, "numbers"]
    const told = /^procwire: history is incomplete: disk full, \d+ bytes were lost\n$/
    for (const more of [
      ["--tail", "1"],
      ["--grep", "11000000$"],
    ])
      expect(await call(...asked, ...more)).toEqual({
        code: 0,
        stdout: "11000000\n",
        stderr: expect.stringMatching(told) as string,
      })
    const { chunks } = await child.read({ afterSeq: 0 })
    expect(textOf(chunks).endsWith("done\n")).toBe(true)
  })
})
