import { spawn } from "node:child_process"
import { expect, test } from "vitest"
import * as Procfs from "./Procfs.ts"

test.skipIf(!Procfs.available)("a process has a state, a parent and an environment", async () => {
  const env = {
    PROCFS_FIRST: "f",
    PROCFS_LONG: "x".repeat(100_000),
    PROCFS_TEST: "a=b",
    PATH: process.env["PATH"],
  }
  const child = spawn("sh", ["-c", "echo; exec cat"], { env, stdio: ["pipe", "pipe", "ignore"] })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  const pid = child.pid ?? -1
  expect(Procfs.pids()).toContain(pid)
  expect(Procfs.stat(pid)?.parent).toBe(process.pid)
  expect(Procfs.stat(pid)?.state).toMatch(/^[A-Z]$/)
  for (const setting of ["PROCFS_FIRST=f", "PROCFS_TEST=a=b"])
    expect(Procfs.marked(setting), setting).toEqual([pid])
  for (const setting of ["PROCFS_TEST=a", "PROCFS_TEST=a=bc", "ROCFS_TEST=a=b", "PROCFS_FIRST="])
    expect(Procfs.marked(setting), setting).toEqual([])
  expect(Procfs.marked("PROCFS_TEST=a=b", new Set([pid]))).toEqual([])
  child.stdin.end()
  await new Promise((resolve) => child.once("exit", resolve))
  expect(Procfs.stat(pid)).toBeUndefined()
  expect(Procfs.marked("PROCFS_TEST=a=b")).toEqual([])
})

test.skipIf(!Procfs.available)("a process that does not exist has nothing", () => {
  expect(Procfs.stat(2 ** 30)).toBeUndefined()
})
