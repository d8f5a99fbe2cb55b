import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { expect, test } from "vitest"
import { allCapabilities } from "./Fake.ts"
import * as LoadedSpawner from "./LoadedSpawner.ts"
import { logged, other } from "../testing/OtherVersion.ts"
import { type ChildHandle, Spawner, type SpawnerService, type SpawnSpec } from "./Spawner.ts"

const spec: SpawnSpec = { argv: ["work"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }
const events = { output: () => {}, end: () => {}, exit: () => {} }

/** Calls of the module below. */
const asked: Array<string> = []
const step = (name: string) => other(Effect.sync(() => void asked.push(name)))

const handle: Required<ChildHandle> = {
  pid: 7,
  write: (bytes) => step(`write ${bytes.length}`),
  begin: (bytes) => (bytes.length === 0 ? other(Effect.void) : step(`begin ${bytes.length}`)),
  endStdin: step("endStdin"),
  signal: (name) => step(name),
  kill: step("kill"),
  abandonOutput: step("abandonOutput"),
  lingering: other(Effect.succeed(true)),
  outlived: other(Effect.succeed(false)),
  resize: ({ columns }) => step(`resize ${columns}`),
  pause: () => void asked.push("pause"),
  resume: () => void asked.push("resume"),
}

const capabilities = { ...allCapabilities, confine: false }
const service: SpawnerService = {
  capabilities,
  spawn: () => Effect.as(other(Effect.addFinalizer(() => step("end of the child"))), handle),
}
const layer = Layer.scoped(
  Spawner,
  Effect.as(other(Effect.addFinalizer(() => step("end of the spawner"))), service),
)

/** Everything that a spawner is asked for in its life, and the last handle. */
const life = (spawner: Layer.Layer<Spawner>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const loaded = Context.get(yield* Layer.buildWithScope(spawner, scope), Spawner)
    const child = yield* Scope.make()
    const made = yield* Scope.extend(loaded.spawn(spec, events), child)
    yield* made.write(new Uint8Array(1))
    yield* made.begin?.(new Uint8Array(2)) ?? Effect.void
    yield* made.endStdin
    yield* made.signal("SIGINT")
    yield* made.resize?.({ rows: 1, columns: 3 }) ?? Effect.void
    made.pause?.()
    made.resume?.()
    yield* made.kill
    yield* made.abandonOutput
    const facts = [made.pid, yield* made.lingering, yield* made.outlived ?? Effect.succeed(undefined)]
    yield* Scope.close(child, Exit.void)
    yield* Scope.close(scope, Exit.void)
    return { made, facts, capabilities: loaded.capabilities }
  })

test("nothing is logged of a spawner that another version of effect has made, its end included", async () => {
  expect((await logged(life(layer)))[0]).toMatch(/^Executing an Effect versioned 3\.0\.0 with a Runtime/)
  expect(await logged(life(LoadedSpawner.make(layer)))).toEqual([])
})

test("all that it is asked for reaches it, and its answers come back", async () => {
  asked.length = 0
  const { capabilities: seen, facts } = await Effect.runPromise(life(LoadedSpawner.make(layer)))
  expect({ seen, facts }).toEqual({ seen: capabilities, facts: [7, true, false] })
  const lines = ["write 1", "begin 2", "endStdin", "SIGINT", "resize 3", "pause", "resume", "kill"]
  expect(asked).toEqual([...lines, "abandonOutput", "end of the child", "end of the spawner"])
})

test("a write that was taken at once is Effect.void of this effect", async () => {
  const { made } = await Effect.runPromise(life(LoadedSpawner.make(layer)))
  expect(made.begin?.(new Uint8Array(0))).toBe(Effect.void)
})

test("a handle has what that of the module has, and no more", async () => {
  const { made: whole } = await Effect.runPromise(life(LoadedSpawner.make(layer)))
  expect(Object.keys(whole).sort()).toEqual(Object.keys(handle).sort())
  const { pid, write, endStdin, signal, kill, abandonOutput, lingering } = handle
  const least = { pid, write, endStdin, signal, kill, abandonOutput, lingering }
  const { made } = await Effect.runPromise(
    life(LoadedSpawner.make(Layer.succeed(Spawner, { capabilities, spawn: () => Effect.succeed(least) }))),
  )
  expect(Object.keys(made).sort()).toEqual(Object.keys(least).sort())
})
