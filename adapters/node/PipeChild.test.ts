import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { spawner } from "./testing/Node.ts"
import * as PipeCases from "../shared/testing/PipeCases.ts"
import * as Proc from "../shared/testing/Proc.ts"
import * as TestChild from "../shared/testing/TestChild.ts"

PipeCases.suite("PosixSpawner", spawner)

const sh = (script: string) => TestChild.run(spawner, { argv: ["/bin/sh", "-c", script] })

describe("PosixSpawner: what node:child_process cannot do", () => {
  test("it declares every capability", () => {
    expect(Object.values(spawner.capabilities).every(Boolean)).toBe(true)
  })

  test("a child may open /dev/stdout and /dev/stderr anew", async () => {
    const child = await sh("echo out >/dev/stdout; echo err >/dev/stderr")
    expect([child.text("stdout"), child.text("stderr")]).toEqual(["out\n", "err\n"])
  })

  test("a death by a real-time signal is told by its number", async () => {
    const children = await Promise.all(["34", "64"].map((signal) => sh(`kill -${signal} $$`)))
    expect(children.map((child) => child.status())).toEqual([
      { kind: "signaled", signal: 34 },
      { kind: "signaled", signal: 64 },
    ])
  })

  test("a child leads its own session and sees three descriptors and default signals", async () => {
    const others = await Promise.all(
      [true, false].map((pty) => TestChild.start(spawner, { argv: ["sleep", "60"], pty, stdin: true })),
    )
    const child = await sh("ls /proc/self/fd; ps -o pid=,pgid=,sid=,tty= -p $$; grep Sig /proc/self/status")
    await Promise.all(others.map((other) => other.close()))
    const pid = child.handle.pid
    const text = child.text("stdout").replace(/[ \t]+/g, " ")
    expect(text.startsWith("0\n1\n2\n3\n")).toBe(true) // the last one is the directory that ls reads
    expect(text).toContain(`${pid} ${pid} ${pid} ?\n`)
    expect(text).toContain("SigIgn: 0000000000000000\n")
    expect(text).toContain("SigBlk: 0000000000000000\n")
  })

  test("a reader that is gone means SIGPIPE", async () => {
    const child = await sh("(yes; echo $? >&2) | head -1")
    expect(child.text("stderr")).toBe("141\n")
  })

  test("a file that is no executable format is refused, not given to a shell", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "spawn-")), "script")
    writeFileSync(path, "echo never\n", { mode: 0o755 })
    const error = await TestChild.failure(spawner, { argv: [path] })
    expect(error).toMatchObject({ reason: "NotExecutable", message: "Exec format error (os error 8)" })
  })

  test("a child that cannot be started leaves no descriptor", async () => {
    const before = Proc.descriptors()
    for (let i = 0; i < 200; i++) {
      await TestChild.failure(spawner, { argv: ["/no/such"], pty: i % 2 === 0, stdin: true })
    }
    expect(Proc.descriptors()).toBeLessThanOrEqual(before)
  })

  test("names of variables that no shell would take do no harm", async () => {
    const child = await TestChild.run(spawner, {
      argv: ["/usr/bin/env"],
      env: { "": "x", "a=b": "c", D: "" },
    })
    expect(child.text("stdout")).toBe("=x\na=b=c\nD=\n")
  })

  test("a large environment and many arguments arrive whole", async () => {
    const env = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`V${i}`, "v".repeat(200)]))
    const args = Array.from({ length: 5_000 }, (_, i) => `${i}`)
    const child = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", "env; echo $#", ...args], env })
    const lines = child.text("stdout").split("\n")
    expect(lines.filter((line) => /^V\d+=v{200}$/.test(line))).toHaveLength(2_000)
    expect(lines.at(-2)).toBe("4999")
  })
})
