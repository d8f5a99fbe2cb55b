/** `procwire serve --audit` where the log cannot be opened or written: audit/ with real servers and full disks. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { name as runtime, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import { launch } from "../testing/AuditedServer.ts"

const { connect } = Program.make(platform)

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-audit-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const freshFile = () => join(mkdtempSync(join(folder, "log-")), "log")

/** A file system of 64 KiB that is full, until `free`; undefined where none can be mounted. */
const fullDisk = () => {
  const path = mkdtempSync(join(folder, "disk-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path], { stdio: "ignore" })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", path]))
  const ballast = join(path, "ballast")
  const fill = () => execFileSync("sh", ["-c", 'cat /dev/zero > "$0" 2> /dev/null || true', ballast])
  return { file: join(path, "log"), fill, free: () => rmSync(ballast) }
}

/** Deno opens no devices. */
const fullFile = () => {
  if (runtime !== "Deno") return "/dev/full"
  const disk = fullDisk()
  disk?.fill()
  return disk?.file
}

describe("procwire serve --audit on a broken disk", () => {
  // guards: audit
  it("stops starts, changes and HTTP requests with an error, and nothing else", async (context) => {
    const file = fullFile()
    if (file === undefined) return context.skip()
    const { url, signal, ended, stderr } = await launch("--audit", file)
    const client = await connect({ url }, { reconnect: false })
    const refused = {
      code: -32603,
      message: expect.stringContaining(
        "the audit log of this server cannot be written: No space left on device (os error 28)",
      ) as string,
    }
    const path = join(folder, "untouched")
    writeFileSync(join(folder, "readable"), "text")
    await expect(client.start({ argv: ["touch", path] })).rejects.toMatchObject(refused)
    await expect(client.fs.writeFile(path, "")).rejects.toMatchObject(refused)
    await expect(client.fs.remove(folder)).rejects.toMatchObject(refused)
    await expect(client.http.request({ url: "http://127.0.0.1:1/" })).rejects.toMatchObject(refused)
    expect(existsSync(folder)).toBe(true)
    expect(existsSync(path)).toBe(false)
    expect((await client.fs.readFile(join(folder, "readable"))).length).toBe(4)
    await client.close()
    signal("SIGTERM")
    expect(await ended).toBe(0)
    expect(stderr().match(/cannot be written/g)?.length).toBe(1)
    expect(stderr()).toContain(`${file} cannot be written: No space left on device (os error 28)`)
  })

  it("goes on with --audit-best-effort, warns once and counts", async (context) => {
    const file = fullFile()
    if (file === undefined) return context.skip()
    const { url, signal, ended, stderr } = await launch("--audit", file, "--audit-best-effort")
    const client = await connect({ url }, { reconnect: false })
    for (let i = 0; i < 3; i++)
      expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ exitCode: 0 })
    await client.close()
    signal("SIGTERM")
    expect(await ended).toBe(0)
    expect(stderr().match(/cannot be written: No space/g)?.length).toBe(1)
    expect(stderr()).toContain("lacks 10 events that could not be written")
  })

  it("starts again when there is room, with every line of what ended meanwhile", async (context) => {
    const disk = fullDisk()
    if (disk === undefined) return context.skip()
    const { url } = await launch("--audit", disk.file)
    const client = await connect({ url }, { reconnect: false })
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    disk.fill()
    // Some lines may still fit into the last page of the file.
    const start = () => client.run({ argv: ["true", "x".repeat(10_000)] })
    await expect(start()).rejects.toMatchObject({ code: -32603 })
    await child.closeStdin()
    expect(await child.exitCode).toBe(0)
    disk.free()
    expect(await start()).toMatchObject({ exitCode: 0 })
    const ended = () => readFileSync(disk.file, "utf8").match(/^{"event":"process.exit".*}$/gm)?.length
    await vi.waitFor(() => expect(ended()).toBe(2), 60_000)
  })

  it("does not start with a file that cannot be opened, and says why", async () => {
    const fifo = freshFile()
    execFileSync("mkfifo", [fifo])
    const errors = [
      [join(folder, "no/such"), "No such file or directory (os error 2)"],
      [folder, "Is a directory (os error 21)"],
      [fifo, "it is a pipe; give a file, or - for stderr"],
    ]
    for (const [path = "", why] of errors) {
      const { ended, stderr } = await launch("--audit", path)
      expect(await ended).toBe(2)
      expect(stderr()).toBe(`procwire: cannot open --audit ${path}: ${why}\n`)
    }
    const { ended, stderr } = await launch("--audit-best-effort")
    expect(await ended).toBe(2)
    expect(stderr()).toContain("procwire: --audit-best-effort needs --audit FILE\n")
  })
})
