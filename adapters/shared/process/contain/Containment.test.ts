/** Descendants that leave the group of their child, with each containment of this host. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { describe, expect, test } from "vitest"
import * as Spawner from "../../../../core/spawn/Spawner.ts"
import { platform } from "../../../testing/Runtime.ts"
import * as KernelFiles from "../../host/KernelFiles.ts"
import * as Proc from "../../testing/Proc.ts"
import * as TestChild from "../../testing/TestChild.ts"
import * as ProcessTable from "../ProcessTable.ts"
import * as Contain from "./Contain.ts"
import * as ProcessTrees from "./ProcessTrees.ts"

/** Seconds to sleep, to be found by. */
const unique = (seconds: number) => `${seconds}.${process.pid}`
const running = (seconds: number) => Proc.withArgument(unique(seconds)).length

/** Leaves the group of its child in two ways, and says so on stdout. */
const tree = (seconds: number, last: string) => {
  const long = `sleep ${unique(seconds)} </dev/null >/dev/null 2>&1`
  return ["/bin/sh", "-c", `setsid ${long} & (setsid sh -c "${long} & ${long}" &); ${last}`] as const
}

const build = async (contain: "cgroup" | "subreaper") => {
  const scope = Effect.runSync(Scope.make())
  const built = Layer.buildWithScope(platform.toSpawner({ contain }), scope)
  const result = await Effect.runPromise(Effect.result(built))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  if (result._tag === "Success") return { spawner: Context.get(result.success, Spawner.Spawner), close }
  const { message }: Contain.Unavailable = result.failure
  process.stdout.write(`not tested: ${contain}: ${message}\n`)
  return undefined
}

describe.each(["cgroup", "subreaper"] as const)(
  "contained by %s, a descendant of another session",
  (contain) => {
    test("dies with the scope of its child, and not before", async () => {
      const host = await build(contain)
      if (host === undefined) return
      const child = await TestChild.start(host.spawner, { argv: tree(71, "exit") })
      await child.exit
      await TestChild.until(() => running(71) === 3, "all run")
      const outlived = child.handle.outlived ?? Effect.succeed(false)
      await TestChild.until(() => Effect.runSync(outlived), "it is known that they outlive the child")
      await child.close()
      await TestChild.until(() => running(71) === 0, "all are dead")
      await host.close()
    })

    test("dies when its child is killed", async () => {
      const host = await build(contain)
      if (host === undefined) return
      const child = await TestChild.start(host.spawner, { argv: tree(72, "wait") })
      await TestChild.until(() => running(72) === 3, "all run")
      await Effect.runPromise(child.handle.kill)
      await TestChild.until(() => running(72) === 0, "all are dead")
      await child.close()
      await host.close()
    })

    test("is not mistaken for that of another child", async () => {
      const host = await build(contain)
      if (host === undefined) return
      const one = await TestChild.start(host.spawner, { argv: tree(73, "wait") })
      await TestChild.until(() => running(73) === 3, "those of one child run")
      const other = await TestChild.start(host.spawner, { argv: tree(74, "wait") })
      await TestChild.until(() => running(74) === 3, "those of the other run")
      await one.close()
      await TestChild.until(() => running(73) === 0, "those of the first are dead")
      expect(running(74)).toBe(3)
      await other.close()
      await TestChild.until(() => running(74) === 0, "those of the other are dead")
      await host.close()
    })
  },
)

test("a helper of ours that dies during a walk is nobody's descendant", async () => {
  const table = ProcessTable.make(KernelFiles.node)
  const helper = spawn("/bin/sh", ["-c", "read line", "procwire-helper"], { detached: true })
  const ended = once(helper, "exit")
  const { pid = 0 } = helper
  const all = () => {
    const entries = table.all()
    helper.kill("SIGKILL")
    while ((table.find(pid)?.state ?? "Z") !== "Z");
    return entries
  }
  const isOwn = (pid: number) => Contain.mayBeHelper(KernelFiles.node.read(`/proc/${pid}/cmdline`))
  const trees = ProcessTrees.make({ ...table, all }, isOwn)
  const tree = trees.add(pid + 1)
  trees.walk()
  expect([...tree.members.keys()]).not.toContain(pid)
  expect(await ended).toEqual([null, "SIGKILL"])
})

test("a spawner leaves no cgroup, and this process is where it was", async () => {
  const before = KernelFiles.node.read("/proc/self/cgroup")
  const host = await build("cgroup")
  if (host === undefined) return
  const child = await TestChild.start(host.spawner, { argv: ["/bin/sh", "-c", "cat /proc/self/cgroup"] })
  await child.closed
  expect(child.text("stdout")).toMatch(/^0::.*\/procwire-\d+-\d+-\d+-\d+\/\d+\.\d+$/m)
  await child.close()
  await host.close()
  await sleep(0)
  expect(KernelFiles.node.read("/proc/self/cgroup")).toBe(before)
})
