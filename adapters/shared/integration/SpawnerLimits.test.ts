/** Bounds of a process under `limits`, and the facts of its end: with the cgroups of this machine, and without. */
import { execFileSync } from "node:child_process"
import process from "node:process"
import * as Effect from "effect/Effect"
import { describe, expect, it, test } from "vitest"
import type { ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import { find } from "../../sandbox/BuiltIn.ts"
import * as LimitCgroups from "../../sandbox/LimitCgroups.ts"
import { command, name, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const { connect } = Program.make(platform)
const probe = Effect.scoped(LimitCgroups.make({ memory: 2 ** 30, pids: 100 }))
const cgroups = (await Effect.runPromise(probe)) !== undefined

/** The exit of a script under these limits, what a read says after it, and its output. */
const end = async (limits: string, script: string, env: Readonly<Record<string, string>> = {}) => {
  await using client = await connect({ inProcess: true, spawner: `limits:${limits}` })
  const child = await client.start({ argv: ["/bin/sh", "-c", script], env })
  const events: Array<ProcessEvent> = []
  for await (const event of child) events.push(event)
  const text = events
    .map((event) => (event.kind === "output" ? new TextDecoder().decode(event.bytes) : ""))
    .join("")
  const { exitCode, limit, oomKilled } = await child.read()
  return { exit: events.find(({ kind }) => kind === "exited"), read: { exitCode, limit, oomKilled }, text }
}

/** A shell whose variable grows: it needs no other program. */
const hungry = "x=0123456789abcdef; while :; do x=$x$x; done"

test("the end by SIGXCPU is that of the limit of time, and no other end is", async () => {
  const over = await end("time=1", "while :; do :; done")
  expect(over.exit).toMatchObject({ exitCode: 152, limit: "time" })
  expect(over.read).toEqual({ exitCode: 152, limit: "time" })
  for (const script of ["exit 3", "kill -KILL $$"]) {
    const { exit, read } = await end("time=60,nofile=64", script)
    expect({ ...exit, ...read }).not.toHaveProperty("limit", expect.anything())
  }
})

describe.runIf(cgroups)("in a cgroup", () => {
  it("is killed with its descendants' memory counted, and the end says so", async () => {
    const { exit, read } = await end("mem=64m", hungry)
    expect(exit).toMatchObject({ exitCode: 137, limit: "mem", oomKilled: true })
    expect(read).toEqual({ exitCode: 137, limit: "mem", oomKilled: true })
    const inner = await end("mem=64m", `sh -c '${hungry}'; echo survived; exit 0`)
    expect(inner.text).toContain("survived")
    expect(inner.exit).toMatchObject({ exitCode: 0, oomKilled: true })
    expect(inner.exit).not.toHaveProperty("limit")
  })

  it("cannot start more processes than it may, and the end says so", async () => {
    const { exit } = await end("pids=4", "for i in 1 2 3 4 5 6; do sleep 300 >/dev/null 2>&1 & done; exit 1")
    expect(exit).toMatchObject({ limit: "pids" })
    expect(exit).not.toHaveProperty("oomKilled")
  })

  it("leaves no cgroup behind", async () => {
    const { text } = await end("mem=64m,pids=20", "cat /proc/self/cgroup")
    const [mine = ""] = /procwire-limits-[\d-]+/.exec(text) ?? []
    expect(mine).not.toBe("")
    expect(execFileSync("find", ["/sys/fs/cgroup", "-name", mine], { encoding: "utf8" })).toBe("")
  })
})
if (!cgroups)
  test.skip("in a cgroup: this server may not make one with the controllers memory and pids", () => {})

const root = process.getuid?.() === 0
const isolated = root && name === "Node" && find("unshare") !== undefined && find("umount") !== undefined
test.runIf(isolated)("without cgroups memory is the address space, by prlimit", () => {
  const hide = 'umount -R /sys/fs/cgroup; exec "$@"'
  const run = ["run", "--spawner", "limits:mem=3g,nofile=99", "--", "sh", "-c", "ulimit -v; ulimit -n"]
  const args = ["--mount", "sh", "-c", hide, "sh", ...command, ...run]
  expect(execFileSync("unshare", args, { encoding: "utf8" })).toBe("3145728\n99\n")
})
