import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass } from "../testing/Effects.ts"
import * as PlainSpawner from "./PlainSpawner.ts"
import { type SpawnEvents, type SpawnSpec, Spawner } from "./Spawner.ts"

const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }
const bytes = Uint8Array.of(1)
const still = { signal: () => {}, kill: () => {}, abandonOutput: () => {} }

/** Starts a child of a plain spawner; what it reports, what is logged, and the events to report through. */
const begin = (
  child: Partial<PlainSpawner.PlainChild> | ((events: SpawnEvents) => unknown),
  capabilities: PlainSpawner.PlainSpawner["capabilities"] = { pipeStdin: true },
) =>
  Effect.gen(function* () {
    const log: Array<string> = []
    const logged: Array<string> = []
    const taken: Array<number> = []
    const told: { events: SpawnEvents } = { events: { output: () => {}, end: () => {}, exit: () => {} } }
    const plain: PlainSpawner.PlainSpawner = {
      name: "mine",
      capabilities,
      spawn: (_, events) => {
        told.events = events
        return typeof child === "function"
          ? (child(events) as never)
          : { ...still, write: () => {}, ...child }
      },
    }
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    const { spawn } = yield* Spawner.pipe(Effect.provide(PlainSpawner.toLayer(plain)), Effect.provide(logger))
    const scope = yield* Scope.make()
    const events: SpawnEvents = {
      output: (stream, bytes) => {
        log.push(`${stream} ${bytes.length}`)
        taken.push(...bytes)
      },
      end: (stream) => void log.push(`/${stream}`),
      exit: (status) => void log.push(JSON.stringify(Object.values(status))),
    }
    const start = Scope.provide(spawn(spec, events), scope)
    return { log, logged, taken, told, scope, start }
  })

/** A child that is there, with its early events delivered. */
const running = (...args: Parameters<typeof begin>) =>
  Effect.gen(function* () {
    const begun = yield* begin(...args)
    const handle = yield* begun.start
    yield* pass(1)
    return { ...begun, handle }
  })

const rulesIn = (logged: ReadonlyArray<string>) => logged.map((text) => /the rule ([a-z-]+):/.exec(text)?.[1])

describe("PlainSpawner", () => {
  it(
    "delivers what came before spawn answered once the core has the handle, with the bytes as they were",
    effect(function* () {
      /** As a Buffer, whose `slice` copies nothing. */
      class Shared extends Uint8Array {
        override slice(from?: number, to?: number) {
          return this.subarray(from, to)
        }
      }
      const shared = Shared.of(7, 8, 9)
      const { log, start, taken } = yield* begin(async (events) => {
        events.output("stdout", shared.subarray(0, 2))
        shared.fill(0)
        events.end("stdout")
        events.exit({ kind: "exited", code: 3 })
        await Promise.resolve()
        return still
      })
      yield* start
      expect(log).toEqual([])
      yield* pass(1)
      expect(log).toEqual(["stdout 2", "/stdout", '["exited",3]'])
      expect(taken).toEqual([7, 8])
    }),
  )

  it(
    "drops what breaks a rule, and logs the name of each broken rule once",
    effect(function* () {
      const { log, logged, told } = yield* running({})
      for (const _ of [1, 2]) {
        const { end, exit, output } = told.events
        output("pty", bytes)
        output("stdout", "text" as never)
        output("stderr", bytes)
        end("stderr")
        end("stderr")
        output("stderr", bytes)
        exit({ kind: "exited", code: 300 }, { coreDumped: "yes" } as never)
        exit({ kind: "exited", code: 0 })
      }
      yield* pass(1)
      expect(log).toEqual(["stderr 1", "/stderr", '["exited",255]'])
      expect(rulesIn(logged)).toEqual([
        "stream-unknown",
        "output-bytes",
        "end-twice",
        "output-after-end",
        "exit-status",
        "exit-ending",
        "exit-twice",
      ])
      expect(logged[6]).toBe(
        "spawner mine breaks the rule exit-twice: a child exits once; the second exit was ignored " +
          '(an exit with {"kind":"exited","code":0}). Said once for each rule',
      )
    }),
  )

  it(
    "goes on when a function of the handle throws or rejects, and ends the streams all the same",
    effect(function* () {
      const wrong = () => {
        throw new Error("broken")
      }
      const { handle, log, logged } = yield* running({
        kill: wrong,
        endStdin: () => Promise.reject(new Error("later")),
        abandonOutput: wrong,
      })
      yield* handle.kill
      yield* handle.endStdin
      yield* handle.abandonOutput
      yield* pass(1)
      expect(log).toEqual(["/stdout", "/stderr"])
      expect(rulesIn(logged)).toEqual(["handle-throws"])
    }),
  )

  it(
    "says nothing of ends and output that its own abandonOutput causes, and of events after the scope",
    effect(function* () {
      const { handle, log, logged, told, scope } = yield* running({})
      yield* handle.abandonOutput
      told.events.output("stdout", bytes)
      told.events.end("stdout")
      yield* Scope.close(scope, Exit.void)
      told.events.exit({ kind: "signaled", signal: 9 })
      told.events.exit({ kind: "signaled", signal: 9 })
      yield* pass(1)
      expect(log).toEqual(["/stdout", "/stderr"])
      expect(logged).toEqual([])
    }),
  )

  it(
    "fails a start with the system's text for a code, with its own text else, and for a handle without functions",
    effect(function* () {
      const errorOf = (child: () => unknown) =>
        Effect.flatMap(begin(child), ({ start }) => Effect.flip(start)).pipe(
          Effect.map(({ message }) => message),
        )
      const coded = (code: string) => () => Promise.reject(Object.assign(new Error("spawn a"), { code }))
      expect(yield* errorOf(coded("ENOENT"))).toBe("No such file or directory (os error 2)")
      expect(yield* errorOf(coded("ENOTDIR"))).toBe("Not a directory (os error 20)")
      expect(yield* errorOf(coded("EACCES"))).toBe("Permission denied (os error 13)")
      expect(yield* errorOf(coded("ENOEXEC"))).toBe("Exec format error (os error 8)")
      expect(yield* errorOf(coded("E2BIG"))).toBe("Argument list too long (os error 7)")
      expect(yield* errorOf(coded("OTHER"))).toBe("spawn a")
      expect(yield* errorOf(() => undefined)).toBe("the spawner mine answered without the function signal")
    }),
  )

  it(
    "kills a child whose start was interrupted as soon as it is there",
    effect(function* () {
      const calls: Array<string> = []
      let born: (child: unknown) => void = () => {}
      const { scope, start } = yield* begin(() => new Promise((resolve) => (born = resolve)))
      const fiber = yield* Effect.forkChild(start)
      yield* pass(1)
      yield* Fiber.interrupt(fiber)
      yield* Scope.close(scope, Exit.void)
      born({ ...still, kill: () => calls.push("kill"), close: () => calls.push("close") })
      yield* pass(1)
      expect(calls).toEqual(["kill", "close"])
    }),
  )

  it(
    "waits at the end of a scope only so long for functions that never answer",
    effect(function* () {
      const { logged, scope } = yield* running({ kill: () => new Promise(() => {}) })
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* pass(5001)
      yield* Fiber.join(closing)
      yield* pass(1)
      expect(rulesIn(logged)).toEqual(["handle-late"])
    }),
  )

  it(
    "ends a write that waits when the scope closes, and refuses writes after endStdin",
    effect(function* () {
      const { handle, scope } = yield* running({ write: () => new Promise(() => {}) })
      const waiting = yield* Effect.forkChild(Effect.flip(handle.write(bytes)))
      yield* pass(1)
      yield* Scope.close(scope, Exit.void)
      expect((yield* Fiber.join(waiting)).reason).toBe("Closed")
      const other = yield* running({ write: () => {} })
      yield* other.handle.write(bytes)
      yield* other.handle.endStdin
      expect((yield* Effect.flip(other.handle.write(bytes))).reason).toBe("Closed")
    }),
  )

  it(
    "gives a write a copy of the bytes, which it may keep",
    effect(function* () {
      const kept: Array<Uint8Array> = []
      const { handle } = yield* running({ write: (given) => void kept.push(given) })
      const memory = Uint8Array.of(1, 2, 3)
      yield* handle.write(memory)
      memory.fill(9)
      expect(kept).toEqual([Uint8Array.of(1, 2, 3)])
    }),
  )

  it(
    "takes a signal to nobody for delivered, and tells an unknown one from a forbidden one",
    effect(function* () {
      const { handle } = yield* running({
        signal: (name) => {
          throw Object.assign(new Error(name), { code: name.slice(3) })
        },
      })
      yield* handle.signal("SIGESRCH")
      expect((yield* Effect.flip(handle.signal("SIGEINVAL"))).reason).toBe("Unsupported")
      expect((yield* Effect.flip(handle.signal("SIGEPERM"))).reason).toBe("PermissionDenied")
      expect((yield* Effect.flip(handle.signal("SIGODD"))).reason).toBe("Unknown")
    }),
  )

  it(
    "reports a declared capability without its function",
    effect(function* () {
      const { handle, logged } = yield* running(
        { write: undefined as never },
        { pause: true, pipeStdin: true },
      )
      expect("pause" in handle).toBe(false)
      expect((yield* Effect.flip(handle.write(bytes))).reason).toBe("NotOpen")
      yield* pass(1)
      expect(logged[0]).toContain("breaks the rule method-missing")
    }),
  )

  it("says what is wrong with an object that is no spawner", () => {
    const spawn = () => still
    expect(PlainSpawner.fault({ name: "mine", spawn })).toBeUndefined()
    expect(PlainSpawner.fault(7)).toBe("has no name: name is a text")
    expect(PlainSpawner.fault({ name: "mine" })).toBe("has no function spawn")
    expect(PlainSpawner.fault({ name: "mine", spawn, capabilities: { ptty: true } })).toMatch(
      /^declares the capability ptty, which does not exist: they are pty, resize,/,
    )
  })
})
