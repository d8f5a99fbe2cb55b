// @ts-check
// The inside of the stress `reuse`, in a PID namespace of its own: children that end, strangers that get their numbers,
// and signals for the children. A stranger that dies of anything but our SIGTERM was signalled.
import { spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import { Spawner } from "../../../../dist/lib/core/spawn/index.js"

/** @import { SpawnEvents, SpawnSpec } from "../../../../core/spawn/Spawner.ts" */

const [, seconds = "10"] = process.argv.slice(2)
/** @type {{ layerSpawner: import("effect/Layer").Layer<Spawner.Spawner> }} */
const { layerSpawner } = await import("../../../../dist/lib/adapters/node/effect.js")

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

/** Plays a child that leaves no process, or a member of its group that dies a moment later. @param {boolean} leaves */
const round = (leaves) =>
  Effect.gen(function* () {
    const spawner = yield* Spawner.Spawner
    const told = new EventEmitter()
    const [exited, printed] = [once(told, "exit"), once(told, "line")]
    const [env, stdio] = [{ PATH: "/usr/bin:/bin" }, /** @type {const} */ ({ kind: "pipe", stdin: false })]
    const script = leaves ? "sleep 600 & echo $!; exit" : "exit"
    /** @type {SpawnSpec} */
    const spec = { argv: ["/bin/sh", "-c", script], cwd: "/", env, stdio }
    let text = ""
    /** @type {SpawnEvents} */
    const events = {
      output: (_, bytes) => (text += Buffer.from(bytes)).endsWith("\n") && told.emit("line"),
      end: () => {},
      exit: () => told.emit("exit"),
    }
    const handle = yield* spawner.spawn(spec, events)
    yield* Effect.promise(() => exited)
    if (leaves) yield* Effect.promise(() => printed)
    if (leaves) process.kill(Number(text), "SIGKILL")
    // Its parent is dead, so the first process of the namespace reaps it.
    while (leaves && existsSync(`/proc/${Number(text)}`)) yield* Effect.promise(() => sleep(1))
    const { child, ended } = yield* Effect.promise(() => stranger(handle.pid ?? 0))
    yield* Effect.ignore(handle.signal("SIGINT"))
    yield* handle.kill
    return { child, ended }
  }).pipe(Effect.scoped)

const play = Effect.gen(function* () {
  let [reused, signalled] = [0, 0]
  for (const began = performance.now(); performance.now() - began < Number(seconds) * 1000; reused += 1) {
    const { child, ended } = yield* round(reused % 10 === 0)
    child.kill("SIGTERM")
    const [, signal] = yield* Effect.promise(() => ended)
    if (signal !== "SIGTERM") signalled += 1
  }
  return `${reused} reused, ${signalled} signalled\n`
})
const said = await Effect.runPromise(Effect.provide(play, layerSpawner))
process.stdout.write(said, () => process.exit(0))
