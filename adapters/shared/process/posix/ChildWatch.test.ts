import { execFile } from "node:child_process"
import { createRequire } from "node:module"
import * as Effect from "effect/Effect"
import type * as Koffi from "koffi"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { spawner } from "../../../testing/Runtime.ts"
import * as Proc from "../../testing/Proc.ts"
import * as TestChild from "../../testing/TestChild.ts"
import * as ChildWatch from "./ChildWatch.ts"
import type { Libc } from "./Libc.ts"

afterEach(() => {
  vi.useRealTimers()
})

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
  const big = own * 1024 + 20_000_000
  const count = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"
  const argv = [
    "/bin/sh",
    "-c",
    `dd if=/dev/zero of=/dev/null bs=${big} count=1 2>/dev/null; ${count}`,
  ] as const
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
  const ours = TestChild.times(50, 4, async () => {
    const child = await TestChild.run(spawner, { argv: ["/bin/sh", "-c", "exit 7"] })
    return JSON.stringify(child.status()) === '{"kind":"exited","code":7}'
  })
  expect(await Promise.all(Array.from({ length: 25 }, (_, i) => code(i)))).toEqual([...Array(25).keys()])
  expect(await ours).toBe(50)
})

test("orphans that come to a server which is their reaper are reaped", async () => {
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi
  const PR_SET_CHILD_SUBREAPER = 36
  koffi.load(null).func("int prctl(int, long)")(PR_SET_CHILD_SUBREAPER, 1)
  const seconds = `61.${process.pid}`
  const argv = ["/bin/sh", "-c", `for i in 1 2 3; do sleep ${seconds} >/dev/null 2>&1 & done`] as const
  const child = await TestChild.start(spawner, { argv })
  await child.closed
  expect(Effect.runSync(child.handle.lingering)).toBe(true)
  await TestChild.until(() => Proc.withArgument(seconds).length === 3, "the orphans run")
  const orphans = Proc.withArgument(seconds)
  const left = () => Proc.children().filter(({ pid }) => orphans.includes(pid)).length
  await TestChild.until(() => left() === 3, "they have come to this process")
  for (const pid of orphans) process.kill(pid, "SIGKILL")
  await TestChild.until(() => left() === 0, "no zombie is left")
  expect(Effect.runSync(child.handle.lingering)).toBe(false)
  await child.close()
})

/** Children by a fake of libc: those in `gone` have ended; `asked` has each look, 0 for one at all children. */
const fake = () => {
  const gone = new Set<number>()
  const asked: Array<number> = []
  const libc = {
    ended: (pid = 0) => {
      asked.push(pid)
      return pid === 0 ? ([...gone][0] ?? 0) : gone.has(pid) ? pid : 0
    },
    wait: (pid: number) => {
      gone.delete(pid)
      return { status: 0, usage: undefined }
    },
    adopts: () => false,
    peakBytes: () => 0,
  } as Partial<Libc> as Libc
  const before = process.listeners("SIGCHLD")
  const watch = ChildWatch.make(libc)
  const [look = () => {}] = process.listeners("SIGCHLD").filter((each) => !before.includes(each))
  onTestFinished(() => void process.off("SIGCHLD", look))
  const ended: Array<number> = []
  const add = (pid: number) =>
    watch.add(pid, (reap) => {
      reap()
      ended.push(pid)
    })
  return { gone, asked, watch, ended, add, signal: () => look("SIGCHLD") }
}

test("a child whose stream has ended is asked for by its pid, and the others later", () => {
  vi.useFakeTimers()
  const { gone, asked, watch, ended, add, signal } = fake()
  for (let pid = 1; pid <= 5_000; pid += 1) add(pid)
  watch.hint(7)
  for (const pid of [7, 8]) gone.add(pid)
  signal()
  expect({ ended, asked }).toEqual({ ended: [7], asked: [7] })
  // The other one has ended with it, and there is no second signal.
  vi.advanceTimersByTime(50)
  expect({ ended, asked }).toEqual({ ended: [7, 8], asked: [7, 0, 0] })
})

test("a signal that no hint explains is answered by a look at all children at once", () => {
  vi.useFakeTimers()
  const { gone, asked, watch, ended, add, signal } = fake()
  for (const pid of [1, 2]) add(pid)
  watch.hint(1)
  gone.add(2)
  for (let count = 0; count < 5; count += 1) signal()
  // The one that goes on without its streams is soon not asked for any more.
  expect({ ended, asked }).toEqual({ ended: [2], asked: [1, 0, 0, 1, 0, 1, 0, 1, 0, 0] })
})

test("children that run on are looked at ever more rarely, and often again when one starts or ends", () => {
  vi.useFakeTimers()
  const { gone, asked, ended, add } = fake()
  const looksIn = (seconds: number) => {
    asked.length = 0
    vi.advanceTimersByTime(seconds * 1_000)
    return asked.length
  }
  for (let pid = 1; pid <= 1_000; pid += 1) add(pid)
  expect(looksIn(60)).toBe(5)
  expect(looksIn(3_200)).toBe(100)
  // Without a signal: the next rare look finds it, and looks are frequent again.
  gone.add(7)
  vi.advanceTimersToNextTimer()
  expect(ended).toEqual([7])
  expect(looksIn(1)).toBe(1)
  looksIn(600)
  add(1_001)
  expect(looksIn(1)).toBe(1)
  for (let pid = 1; pid <= 1_001; pid += 1) if (pid !== 7) gone.add(pid)
  vi.advanceTimersToNextTimer()
  expect(ended.length).toBe(1_001)
  expect(vi.getTimerCount()).toBe(0)
})
