import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import type * as Koffi from "koffi"
import { expect, test } from "vitest"
import { spawner } from "../../../testing/Runtime.ts"
import * as Proc from "../../testing/Proc.ts"
import * as TestChild from "../../testing/TestChild.ts"
import * as ChildWatch from "./ChildWatch.ts"

test("the wait status tells a code from a signal, core dump or not", () => {
  expect(ChildWatch.decode(3 << 8)).toEqual({ kind: "exited", code: 3 })
  expect(ChildWatch.decode(255 << 8)).toEqual({ kind: "exited", code: 255 })
  expect(ChildWatch.decode(9)).toEqual({ kind: "signaled", signal: 9 })
  expect(ChildWatch.decode(11 | 0x80)).toEqual({ kind: "signaled", signal: 11 })
  expect(ChildWatch.decode(64)).toEqual({ kind: "signaled", signal: 64 })
})

test("a child that has ended tells its CPU time and its peak of memory, and whether that can be its own", async () => {
  // Also that of the process that started this one, as it was at the exec.
  const own = process.resourceUsage().maxRSS
  const big = own * 1024 + 150_000_000
  // This tail keeps everything.
  const argv = ["/bin/sh", "-c", `head -c ${big} /dev/zero | tail -c ${big} >/dev/null`] as const
  const child = await TestChild.run(spawner, { argv })
  const { coreDumped, peakMemory, userCpuMicros = 0 } = child.ending() ?? {}
  expect({ coreDumped, exact: peakMemory?.exact }).toEqual({ coreDumped: undefined, exact: true })
  expect(peakMemory?.bytes).toBeGreaterThan(big)
  expect(userCpuMicros).toBeGreaterThan(1000)
  const small = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", "kill -KILL $$"] })
  expect(small.ending()).toMatchObject({ coreDumped: false, peakMemory: { exact: false } })
})

test("children of node:child_process keep their exit codes", async () => {
  const code = (n: number) =>
    new Promise((resolve) => {
      execFile("/bin/sh", ["-c", `exit ${n}`]).once("exit", resolve)
    })
  const ours = TestChild.times(100, 4, async () => {
    const child = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", "exit 7"] })
    return JSON.stringify(child.status()) === '{"kind":"exited","code":7}'
  })
  expect(await Promise.all(Array.from({ length: 50 }, (_, i) => code(i)))).toEqual([...Array(50).keys()])
  expect(await ours).toBe(100)
})

test("orphans that come to a server which is their reaper are reaped", async () => {
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi
  const PR_SET_CHILD_SUBREAPER = 36
  koffi.load(null).func("int prctl(int, long)")(PR_SET_CHILD_SUBREAPER, 1)
  const before = Proc.children().length
  const argv = ["/bin/sh", "-c", "for i in 1 2 3; do sleep 0.$i >/dev/null 2>&1 & done"] as const
  const child = await TestChild.start(spawner, { argv })
  await child.closed
  expect(Effect.runSync(child.handle.lingering)).toBe(true)
  expect(Proc.children().length).toBe(before + 3)
  await TestChild.until(() => Proc.children().length <= before, "no zombie is left")
  expect(Effect.runSync(child.handle.lingering)).toBe(false)
  await child.close()
})
