// @ts-check
// The inside of `proof:reuse`, in a PID namespace of its own: children that end, strangers that get their numbers, and
// signals for the children. A stranger that dies of anything but our SIGTERM was signalled.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Spawner } from "../../../../dist/lib/core/spawn/index.js"

const [runtime = "node", rounds = "100"] = process.argv.slice(2)
const { layerSpawner } = await import(`../../../../dist/lib/adapters/${runtime}/index.js`)
const scope = Effect.runSync(Scope.make())
const context = await Effect.runPromise(Layer.buildWithScope(layerSpawner, scope))
/** @type {import("../../../../core/spawn/Spawner.ts").SpawnerService} */
const spawner = Context.get(context, Spawner.Spawner)

/** @param {number} pid */
const exists = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1") !== ""
  } catch {
    return false
  }
}

/** A process with this very number, in a group of its own. @param {number} pid */
const stranger = async (pid) => {
  for (;;) {
    writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid - 1))
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
    const ended = once(child, "exit")
    if (child.pid === pid) return { child, ended }
    child.kill("SIGKILL")
    await ended
  }
}

/** The first leaves nobody, the second a member of its group that dies a moment later. */
const scripts = ["exit", "sleep 600 & echo $!; exit"]

/** @param {string} script */
const round = async (script) => {
  const own = Effect.runSync(Scope.make())
  let text = ""
  /** @type {() => void} */
  let done = () => {}
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => (done = resolve))
  /** @type {() => void} */
  let printed = () => {}
  /** @type {Promise<void>} */
  const output = new Promise((resolve) => (printed = resolve))
  const handle = await Effect.runPromise(
    Scope.extend(
      spawner.spawn(
        {
          argv: ["/bin/sh", "-c", script],
          cwd: "/",
          env: { PATH: process.env["PATH"] ?? "" },
          stdio: { kind: "pipe", stdin: false },
        },
        {
          output: (_, bytes) => {
            text += Buffer.from(bytes).toString()
            if (text.endsWith("\n")) printed()
          },
          end: () => {},
          exit: () => done(),
        },
      ),
      own,
    ),
  )
  await exited
  if (script !== "exit") {
    await output
    const member = Number(text)
    process.kill(member, "SIGKILL")
    // Its parent is dead, so the first process of the namespace reaps it.
    while (exists(member)) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const { child, ended } = await stranger(handle.pid ?? 0)
  await Effect.runPromise(Effect.ignore(handle.signal("SIGINT")))
  await Effect.runPromise(handle.kill)
  await Effect.runPromise(Scope.close(own, Exit.void))
  child.kill("SIGTERM")
  const [, signal] = await ended
  return signal !== "SIGTERM"
}

let signalled = 0
for (let count = 0; count < Number(rounds); count += 1)
  if (await round(scripts[count % 10 === 0 ? 1 : 0] ?? "")) signalled += 1
await Effect.runPromise(Scope.close(scope, Exit.void))
process.stdout.write(`${rounds} reused, ${signalled} signalled\n`, () =>
  process.exit(signalled === 0 ? 0 : 1),
)
