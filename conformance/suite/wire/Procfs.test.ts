import { spawn } from "node:child_process"
import { expect, test } from "vitest"
import * as Procfs from "./Procfs.ts"

test.skipIf(!Procfs.available)("a process has a state, a parent and an environment", async () => {
  const env = { ...process.env, PROCFS_TEST: "a=b" }
  const child = spawn("sh", ["-c", "echo; exec cat"], { env, stdio: ["pipe", "pipe", "ignore"] })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  const pid = child.pid ?? -1
  expect(Procfs.pids()).toContain(pid)
  expect(Procfs.stat(pid)?.parent).toBe(process.pid)
  expect(Procfs.stat(pid)?.state).toMatch(/^[A-Z]$/)
  expect(Procfs.environment(pid)).toContain("PROCFS_TEST=a=b")
  child.stdin.end()
  await new Promise((resolve) => child.once("exit", resolve))
  expect(Procfs.stat(pid)).toBeUndefined()
})

test.skipIf(!Procfs.available)("a process that does not exist has nothing", () => {
  expect(Procfs.stat(2 ** 30)).toBeUndefined()
  expect(Procfs.environment(2 ** 30)).toEqual([""])
})
