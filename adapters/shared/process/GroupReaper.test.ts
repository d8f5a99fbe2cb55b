import { execFileSync, spawn } from "node:child_process"
import type { ChildProcess, StdioOptions } from "node:child_process"
import { once } from "node:events"
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { expect, test } from "vitest"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"
import * as KernelFiles from "../host/KernelFiles.ts"
import { platform } from "../HostPlatform.ts"
import * as GroupReaper from "./GroupReaper.ts"
import * as HelperShell from "./HelperShell.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as ChildWatch from "./posix/ChildWatch.ts"
import * as Libc from "./posix/Libc.ts"
import * as PosixHelperShell from "./posix/PosixHelperShell.ts"

const table = ProcessTable.make(KernelFiles.node)
const shells = () => Proc.withArgument("procwire-reaper").filter((pid) => ours(pid))
const ours = (pid: number) => Proc.children().some((child) => child.pid === pid)
const sleeper = (): ChildProcess => spawn("sleep", ["60"], { detached: true, stdio: "ignore" })

const libc = Libc.bind(platform.openFfi())
const starts = [
  ["node:child_process", HelperShell.start],
  ["posix_spawn", PosixHelperShell.make(libc, ChildWatch.make(libc))],
] as const

test.each(starts)(
  "by %s the shell starts with the first child, kills at the end of the scope, and ends",
  async (_by, start) => {
    const scope = Effect.runSync(Scope.make())
    const reaper = Effect.runSync(Scope.provide(GroupReaper.make(table, { start }), scope))
    const [listed, dropped, brief] = [sleeper(), sleeper(), sleeper()]
    reaper.add(brief.pid ?? 0)
    reaper.remove(brief.pid ?? 0)
    reaper.add(listed.pid ?? 0)
    reaper.add(dropped.pid ?? 0)
    await TestChild.until(() => shells().length === 1, "the shell runs")
    reaper.remove(dropped.pid ?? 0)
    await TestChild.until(() => Proc.ignores(shells()[0] ?? 0, 15), "it has set its traps")
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(shells()[0] ?? 0, signal)
    await TestChild.sleep(50)
    expect(shells()).toHaveLength(1)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await TestChild.until(() => shells().length === 0, "the shell has ended")
    await TestChild.until(() => listed.signalCode === "SIGKILL", "the listed group is dead")
    for (const each of [dropped, brief]) {
      expect(each.signalCode).toBeNull()
      each.kill("SIGKILL")
    }
  },
)

test.each(starts)(
  "by %s a shell that was killed is followed by one that knows every group",
  async (_by, start) => {
    const scope = Effect.runSync(Scope.make())
    const reaper = Effect.runSync(Scope.provide(GroupReaper.make(table, { start }), scope))
    const children = [sleeper(), sleeper()]
    for (const { pid } of children) reaper.add(pid ?? 0)
    await TestChild.until(() => shells().length === 1, "the shell runs")
    const [first] = shells()
    process.kill(first ?? 0, "SIGKILL")
    await TestChild.until(() => shells().some((pid) => pid !== first), "another one runs")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await TestChild.until(() => children.every((child) => child.signalCode === "SIGKILL"), "all are dead")
  },
)

test("a group ends with every member, also those that the leader leaves behind", async () => {
  const scope = Effect.runSync(Scope.make())
  const reaper = Effect.runSync(Scope.provide(GroupReaper.make(table), scope))
  const leader = spawn("sh", ["-c", "sleep 60 & echo ready; wait"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  })
  let [ready, closed] = [false, false]
  leader.stdout.on("data", () => (ready = true)).on("close", () => (closed = true))
  await TestChild.until(() => ready, "the member runs")
  reaper.add(leader.pid ?? 0)
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await TestChild.until(() => closed, "nobody holds the output")
})

test("a foreign process that got the number of a leader lives, and what is told last counts", async () => {
  const scope = Effect.runSync(Scope.make())
  let later = 0
  const find = (pid: number) => {
    const entry = table.find(pid)
    return entry && { ...entry, start: entry.start + later }
  }
  const reaper = Effect.runSync(Scope.provide(GroupReaper.make({ ...table, find }), scope))
  const [foreign, first, again] = [sleeper(), sleeper(), sleeper()]
  const tell = (child: ChildProcess, by: number) => {
    later = by
    reaper.add(child.pid ?? 0)
  }
  tell(foreign, -1)
  tell(first, 0)
  tell(first, 1)
  tell(again, 1)
  tell(again, 0)
  await TestChild.until(() => shells().length === 1, "the shell runs")
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await TestChild.until(() => shells().length === 0, "the shell has ended")
  await TestChild.until(() => again.signalCode === "SIGKILL", "the leader is dead")
  for (const each of [foreign, first]) {
    expect(each.signalCode).toBeNull()
    each.kill("SIGKILL")
  }
})

test("a group without a leader ends only if a member is as old as the group was seen last", async () => {
  const scope = Effect.runSync(Scope.make())
  let now = 0
  const reaper = Effect.runSync(Scope.provide(GroupReaper.make({ ...table, now: () => now }), scope))
  /** A group whose leader has ended, and what is left in it. */
  const left = async () => {
    const script = "sleep 60 >/dev/null & echo $!"
    const leader = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] })
    let text = ""
    leader.stdout.on("data", (bytes) => (text += String(bytes)))
    await once(leader, "close")
    return { group: leader.pid ?? 0, member: table.find(Number(text)) }
  }
  const [older, younger] = [await left(), await left()]
  const start = (group: { readonly member: ProcessTable.Entry | undefined }) => group.member?.start ?? 0
  now = start(older)
  reaper.outlives(older.group)
  now = start(younger) - 1
  reaper.outlives(younger.group)
  await TestChild.until(() => shells().length === 1, "the shell runs")
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await TestChild.until(() => shells().length === 0, "the shell has ended")
  const runs = ({ member }: { readonly member: ProcessTable.Entry | undefined }) => {
    const { start, state = "Z" } = table.find(member?.pid ?? 0) ?? {}
    return state !== "Z" && start === member?.start
  }
  await TestChild.until(() => !runs(older), "the older member is dead")
  expect(runs(younger)).toBe(true)
  process.kill(younger.member?.pid ?? 0, "SIGKILL")
})

test("a child whose id was never told is found by its pipe or its terminal, and nobody else is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-reaper-"))
  const opened = ["one", "other"].map((name) => {
    execFileSync("mkfifo", [join(folder, name)])
    const fd = openSync(join(folder, name), "r+")
    const started = (stdio: StdioOptions) => spawn("sleep", ["60"], { detached: true, stdio })
    return { fd, byPipe: started(["ignore", fd, "ignore"]), byInput: started([fd, "ignore", "ignore"]) }
  })
  const [one, other] = opened
  const inode = String(fstatSync(one?.fd ?? -1).ino)
  const children = [one?.byPipe, one?.byInput, other?.byPipe, other?.byInput]
  const alive = (child: ChildProcess | undefined) => child?.signalCode === null
  const leaves = async (told: ReadonlyArray<string | undefined>, left: ReadonlyArray<boolean>) => {
    const scope = Effect.runSync(Scope.make())
    const reaper = Effect.runSync(Scope.provide(GroupReaper.make(table), scope))
    for (const holds of told) reaper.starting(holds)
    await TestChild.until(() => shells().length === 1, "the shell runs")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await TestChild.until(() => shells().length === 0, "the shell has ended")
    // A child's end is reported some time after the shell that has killed it has ended.
    await TestChild.until(() => !children.some((child, at) => alive(child) && !left[at]), "they are killed")
    expect(children.map(alive)).toEqual(left)
  }
  await leaves([inode, undefined], [true, true, true, true])
  await leaves([join(folder, "other"), inode], [false, true, true, true])
  await leaves([inode, join(folder, "one")], [false, false, true, true])
  for (const { fd, byPipe, byInput } of opened) {
    for (const child of [byPipe, byInput]) child.kill("SIGKILL")
    closeSync(fd)
  }
  rmSync(folder, { recursive: true })
})

test("descendants of other groups end with it only if the reaper descends, also who forks meanwhile", async () => {
  const seconds = (descends: boolean) => `${descends ? 87 : 86}.${process.pid}`
  const outcome = async (descends: boolean) => {
    // Each is in a session of its own, and starts the next one.
    const script = `[ $1 -gt 0 ] && setsid sh -c "$0" "$0" $(($1 - 1)) & sleep ${seconds(descends)}`
    const leader = spawn("sh", ["-c", script, script, "20"], { detached: true, stdio: "ignore" })
    const scope = Effect.runSync(Scope.make())
    const reaper = Effect.runSync(Scope.provide(GroupReaper.make(table, { descends }), scope))
    reaper.add(leader.pid ?? 0)
    await TestChild.until(() => Proc.withArgument(seconds(descends)).length > 3, "some run")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await TestChild.until(() => shells().length === 0, "the shell has ended")
    await TestChild.until(() => leader.signalCode === "SIGKILL", "the leader is dead")
  }
  await outcome(true)
  await TestChild.until(() => Proc.withArgument(seconds(true)).length === 0, "all are dead")
  await outcome(false)
  await TestChild.until(() => Proc.withArgument(seconds(false)).length === 20, "the others run")
  for (const pid of Proc.withArgument(seconds(false))) process.kill(pid, "SIGKILL")
})
