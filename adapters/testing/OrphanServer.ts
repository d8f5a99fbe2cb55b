/**
 * A server to be killed by a test: it starts children of all kinds, which sleep for the time in its argument, prints
 * `ready`, and waits.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as Spawner from "../../core/spawn/Spawner.ts"
import { spawner } from "./Runtime.ts"

const sleep = `sleep ${process.argv[2]}`
const scripts = [
  `trap '' HUP TERM; ${sleep}; :`, // the group leader lives
  `trap '' HUP TERM; ${sleep} </dev/null >/dev/null 2>&1 & exit 0`, // only a descendant lives
]
const kinds: ReadonlyArray<Spawner.Stdio> = [
  { kind: "pipe", stdin: false },
  { kind: "pipe", stdin: true },
  { kind: "pty", size: { rows: 24, columns: 80 } },
]
const events: Spawner.SpawnEvents = { output: () => {}, end: () => {}, exit: () => {} }
const scope = Effect.runSync(Scope.make())
for (let i = 0; i < 20; i++) {
  const spec: Spawner.SpawnSpec = {
    argv: ["/bin/sh", "-c", scripts[i % 2] ?? ""],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: kinds[i % 3] ?? { kind: "pipe", stdin: false },
  }
  await Effect.runPromise(Scope.provide(spawner.spawn(spec, events), scope))
}
process.stdout.write("ready\n")
setInterval(() => {}, 1_000)
