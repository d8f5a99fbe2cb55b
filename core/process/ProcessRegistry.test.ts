import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fake from "../spawn/Fake.ts"
import { SpawnError } from "../spawn/SpawnError.ts"
import { Spawner, type SpawnSpec } from "../spawn/Spawner.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as ProcessRegistry from "./ProcessRegistry.ts"

const pipe: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }
const noStdin: SpawnSpec = { ...pipe, stdio: { kind: "pipe", stdin: false } }
const bytes = (text: string) => new TextEncoder().encode(text)
const now = { afterSeq: 0, maxBytes: Infinity, waitMillis: 0 }

const make = (options: Fake.Options = {}, change: Partial<ProcessRegistry.Options> = {}) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make(options)
    const spawner = yield* Effect.provide(Spawner, fake.layer)
    const scope = yield* Scope.fork(yield* Effect.scope, { _tag: "Parallel" })
    const registry = yield* Scope.extend(ProcessRegistry.make(spawner, { ...ProcessRegistry.defaultOptions, ...change }), scope)
    return { fake, registry, close: Scope.close(scope, Exit.void) }
  })

/** A registry whose spawns wait until they are let go. */
const makeSlow = Effect.gen(function* () {
  const gate = yield* Deferred.make<void, SpawnError>()
  return { gate, ...(yield* make({ beforeSpawn: () => Deferred.await(gate) })) }
})

/** A started process and its child. */
const begin = (options: Fake.Options = {}, spec = pipe, change: Partial<ProcessRegistry.Options> = {}) =>
  Effect.gen(function* () {
    const { fake, registry, close } = yield* make(options, change)
    const process = yield* registry.start("p", spec)
    process.release()
    return { registry, process, child: yield* fake.next, fake, close }
  })

const gone = new SpawnError({ reason: "NotFound", message: "No such file or directory (os error 2)" })
const texts = (state: { readonly chunks: ReadonlyArray<{ readonly bytes: Uint8Array }> }) =>
  state.chunks.map((chunk) => String.fromCharCode(...chunk.bytes))

describe("ProcessRegistry.start", () => {
  it("invariant 6: reserves a process id before the first yield, and a failed spawn frees it", effect(function* () {
    const { gate, registry } = yield* makeSlow
    const first = yield* Effect.fork(registry.start("p", pipe))
    yield* settle
    expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
    yield* Deferred.fail(gate, gone)
    expect(yield* Effect.flip(Fiber.join(first))).toBe(gone)
    const again = yield* Effect.exit(registry.start("p", pipe))
    expect(again).toEqual(Exit.fail(gone))
  }))

  it("lets exactly one of two starts at once win", effect(function* () {
    const { registry, fake } = yield* make({ beforeSpawn: () => Effect.yieldNow() })
    const both = yield* Effect.all([Effect.exit(registry.start("p", pipe)), Effect.exit(registry.start("p", pipe))], { concurrency: "unbounded" })
    expect(both.filter(Exit.isSuccess).length).toBe(1)
    expect(fake.children.length).toBe(1)
  }))

  it("keeps the id of a running and of a retained process", effect(function* () {
    const { registry, child } = yield* begin()
    expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
    child.finish()
    yield* pass(29_999)
    expect(yield* Effect.flip(registry.start("p", pipe))).toMatchObject({ reason: "AlreadyExists" })
  }))

  it("frees the id after a spawn that broke", effect(function* () {
    const { registry } = yield* make({ beforeSpawn: () => Effect.dieMessage("broken") })
    expect(Exit.isFailure(yield* Effect.exit(registry.start("p", pipe)))).toBe(true)
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("unknownProcess")
    expect(yield* registry.terminate("p")).toBe(false)
  }))

  it("is cancelled at once by terminate, and the child that comes after all is killed", effect(function* () {
    const { gate, registry, fake } = yield* makeSlow
    const start = yield* Effect.fork(Effect.flip(registry.start("p", pipe)))
    yield* settle
    expect(yield* registry.terminate("p")).toBe(true)
    expect(yield* Fiber.join(start)).toMatchObject({ reason: "StartCancelled", processId: "p" })
    expect(yield* registry.terminate("p")).toBe(false)
    const second = yield* Effect.fork(registry.start("p", pipe))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(second)
    expect(fake.children.map((child) => child.released)).toEqual([true, false])
    expect((yield* registry.read("p", now)).nextSeq).toBe(1)
  }))

  it("goes on without the caller", effect(function* () {
    const { gate, registry } = yield* makeSlow
    const start = yield* Effect.fork(registry.start("p", pipe))
    yield* settle
    yield* Fiber.interrupt(start)
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    expect(yield* registry.read("p", now)).toMatchObject({ nextSeq: 1, exited: false })
  }))

  it("holds back everything about a starting process until it has started, or has not", effect(function* () {
    const { gate, registry, fake } = yield* makeSlow
    yield* Effect.fork(registry.start("p", pipe))
    yield* settle
    const requests = yield* Effect.fork(
      Effect.all([registry.read("p", now), registry.write("p", bytes("x"), "w"), registry.interrupt("p")], { concurrency: "unbounded" }),
    )
    yield* pass(1000)
    yield* Deferred.succeed(gate, undefined)
    const [state, status] = yield* Fiber.join(requests)
    expect(state.nextSeq).toBe(1)
    expect(status).toBe("accepted")
    expect(fake.children[0]).toMatchObject({ written: "x", signals: ["SIGINT"] })
  }))

  it("answers what waited for a start that failed as for an unknown process", effect(function* () {
    const { gate, registry } = yield* makeSlow
    yield* Effect.fork(Effect.ignore(registry.start("p", pipe)))
    yield* settle
    const requests = yield* Effect.fork(
      Effect.all([Effect.flip(registry.read("p", now)), registry.write("p", bytes("x"), "w"), registry.interrupt("p")], { concurrency: "unbounded" }),
    )
    yield* settle
    yield* Deferred.fail(gate, gone)
    const [error, status] = yield* Fiber.join(requests)
    expect(error).toMatchObject({ reason: "Unknown" })
    expect(status).toBe("unknownProcess")
  }))

  it("invariant 8: requests on one process id take effect in arrival order, whenever the start is done", effect(function* () {
    for (let before = 0; before <= 4; before++) {
      const { gate, registry, fake } = yield* makeSlow
      const fibers: Array<Fiber.Fiber<unknown, unknown>> = [yield* Effect.fork(registry.start("p", pipe))]
      yield* settle
      for (let index = 0; index < before; index++) {
        fibers.push(yield* Effect.fork(registry.write("p", bytes(`${index}`), undefined)))
      }
      yield* settle
      Deferred.unsafeDone(gate, Exit.void)
      // From here on a write comes at each step of the start's own way.
      for (let index = before; index < 9; index++) {
        fibers.push(Effect.runFork(registry.write("p", bytes(`${index}`), undefined), { immediate: true }))
        yield* Effect.yieldNow()
      }
      yield* Fiber.joinAll(fibers)
      expect(fake.children[0]?.written).toBe("012345678")
    }
  }))

  it("holds the first output of a child until whoever asked for it has attached", effect(function* () {
    const { registry, fake } = yield* make()
    const process = yield* registry.start("p", pipe)
    const child = yield* fake.next
    for (let i = 0; i < 48; i++) child.output("stdout", new Uint8Array(64 * 1024).fill(i))
    expect(child.paused).toBe(true)
    const attachment = process.attach(0)
    process.release()
    expect(attachment.next()).toMatchObject({ kind: "output", seq: 1 })
    attachment.detach()
    expect(child.paused).toBe(false)
    expect(process.log.size().bytes).toBe(1024 * 1024)
  }))

  it("pauses a child that wrote much before it was delivered", effect(function* () {
    const spawner: Spawner["Type"] = {
      capabilities: Fake.allCapabilities,
      spawn: (spec, events) =>
        Effect.sync(() => {
          const child = new Fake.FakeChild(1, spec, events)
          for (let i = 0; i < 48; i++) child.output("stdout", new Uint8Array(64 * 1024))
          children.push(child)
          return child.handle(Fake.allCapabilities)
        }),
    }
    const children: Array<Fake.FakeChild> = []
    const registry = yield* ProcessRegistry.make(spawner, ProcessRegistry.defaultOptions)
    const process = yield* registry.start("p", pipe)
    expect(children[0]?.paused).toBe(true)
    expect(process.log.after(0)?.seq).toBe(1)
    registry.release()
    expect(children[0]?.paused).toBe(false)
  }))
})

describe("ProcessRegistry.read", () => {
  it("answers at once without waitMs, even with nothing", effect(function* () {
    const { registry } = yield* begin()
    expect(yield* registry.read("p", now)).toEqual({ chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false })
    expect(yield* Effect.flip(registry.read("nope", now))).toMatchObject({ reason: "Unknown", processId: "nope" })
  }))

  it("returns retained chunks above afterSeq, oldest first, again and again", effect(function* () {
    const { registry, child } = yield* begin()
    for (const text of ["a", "b", "c"]) child.output("stdout", text)
    const read = registry.read("p", { ...now, afterSeq: 1 })
    expect(texts(yield* read)).toEqual(["b", "c"])
    expect(texts(yield* read)).toEqual(["b", "c"])
    expect((yield* read).nextSeq).toBe(4)
  }))

  it.each([[0, 1], [1, 1], [9, 1], [10, 2], [12, 3], [15, 3], [16, 4], [2 ** 64, 4]])("with maxBytes %i returns %i whole chunks of 4, 6, 2 and 4 bytes", (maxBytes, count) =>
    effect(function* () {
      const { registry, child } = yield* begin()
      for (const size of [4, 6, 2, 4]) child.output("stdout", "x".repeat(size))
      child.finish(0)
      const state = yield* registry.read("p", { ...now, maxBytes })
      expect(state.chunks.length).toBe(count)
      expect(state.nextSeq).toBe(count + 1)
      expect((yield* registry.read("p", now)).nextSeq).toBe(7)
      expect((yield* registry.read("p", { ...now, maxBytes, afterSeq: 4 })).nextSeq).toBe(7)
    })())

  it("takes afterSeq, maxBytes and waitMs of 2^64 for a lot", effect(function* () {
    const { registry, child } = yield* begin()
    child.output("stdout", "x")
    const lot = 2 ** 64
    expect((yield* registry.read("p", { afterSeq: lot, maxBytes: lot, waitMillis: 0 })).chunks).toEqual([])
    const wait = yield* Effect.fork(registry.read("p", { afterSeq: lot, maxBytes: lot, waitMillis: lot }))
    yield* pass(10 * 24 * 3600 * 1000)
    expect(yield* Fiber.poll(wait)).toMatchObject({ _tag: "None" })
    child.finish()
    expect(yield* Fiber.join(wait)).toMatchObject({ closed: true, chunks: [] })
  }))

  const waiting = (afterSeq: number, prepare: (child: Fake.FakeChild) => void, waitMillis = 5000) =>
    Effect.gen(function* () {
      const started = yield* begin()
      prepare(started.child)
      yield* pass(100)
      const fiber = yield* Effect.fork(started.registry.read("p", { afterSeq, maxBytes: Infinity, waitMillis }))
      yield* settle
      const done = Effect.map(Effect.zipRight(settle, Fiber.poll(fiber)), (exit) => exit._tag === "Some")
      return { ...started, done, state: Fiber.join(fiber) }
    })

  it("waits for the first chunk above afterSeq", effect(function* () {
    const { child, done, state } = yield* waiting(2, (child) => child.output("stdout", "1"))
    child.output("stdout", "2")
    expect(yield* done).toBe(false)
    child.output("stderr", "3")
    expect(yield* done).toBe(true)
    expect(texts(yield* state)).toEqual(["3"])
  }))

  it("returns the empty state when waitMs is over, and no sooner", effect(function* () {
    const { done, state } = yield* waiting(0, () => {}, 200)
    yield* pass(199)
    expect(yield* done).toBe(false)
    yield* pass(1)
    expect(yield* state).toEqual({ chunks: [], nextSeq: 1, exited: false, exitCode: null, closed: false })
  }))

  it("returns at once from a closed process, whatever afterSeq is", effect(function* () {
    const { done, state } = yield* waiting(99, (child) => child.finish(4))
    expect(yield* done).toBe(true)
    expect(yield* state).toEqual({ chunks: [], nextSeq: 3, exited: true, exitCode: 4, closed: true })
  }))

  it("is woken by the exit of a silent process", effect(function* () {
    const { child, done, state } = yield* waiting(0, () => {})
    child.exit(3)
    yield* pass(1000)
    expect(yield* done).toBe(true)
    expect(yield* state).toMatchObject({ exited: true, exitCode: 3, closed: false, nextSeq: 2 })
  }))

  it("waits on for late output where afterSeq is at the exit or beyond", effect(function* () {
    const late = (child: Fake.FakeChild) => {
      child.output("stdout", "early")
      child.exit(3)
    }
    const { child, done, state, registry } = yield* waiting(2, late)
    expect(yield* registry.read("p", { ...now, afterSeq: 2, waitMillis: 0 })).toMatchObject({ exited: true, exitCode: 3, closed: false, nextSeq: 3 })
    expect(yield* done).toBe(false)
    child.output("stdout", "LATE")
    expect(texts(yield* state)).toEqual(["LATE"])
    const behind = yield* waiting(1, late)
    expect(yield* behind.done).toBe(true)
  }))

  it("invariant 7: a long poll cannot miss a wake-up between looking and waiting", effect(function* () {
    for (let steps = 0; steps < 60; steps++) {
      const { registry, child } = yield* begin()
      const polls = Array.from({ length: 3 }, () => Effect.runFork(registry.read("p", { ...now, waitMillis: 1e6 })))
      yield* Effect.repeatN(Effect.yieldNow(), steps)
      if (steps % 2 === 0) child.output("stdout", "x")
      else child.finish()
      for (const poll of polls) expect((yield* Fiber.join(poll)).nextSeq).toBeGreaterThan(1)
    }
  }), 30_000)

  it("follows any process to its end by reading on from nextSeq, whatever happens in between", () => {
    const step = fc.oneof(
      fc.record({ output: fc.string({ minLength: 1, maxLength: 5 }) }),
      fc.record({ yields: fc.nat(10) }),
      fc.record({ pass: fc.nat(30) }),
      fc.constant({ exit: 1 }),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), fc.integer({ min: 0, max: 8 }), (steps, maxBytes) =>
        effect(function* () {
          const { registry, child } = yield* begin()
          let printed = ""
          let read = ""
          const reader = yield* Effect.fork(
            Effect.gen(function* () {
              let afterSeq = 0
              for (;;) {
                const state = yield* registry.read("p", { afterSeq, maxBytes: maxBytes === 0 ? Infinity : maxBytes, waitMillis: 1e9 })
                read += texts(state).join("")
                afterSeq = state.nextSeq - 1
                if (state.closed && state.chunks.length === 0) return state
              }
            }),
          )
          for (const step of steps) {
            if ("output" in step) {
              const text = step.output.replace(/[^ -~]/g, "?")
              printed += text
              child.output("stdout", text)
            } else if ("yields" in step) yield* Effect.repeatN(Effect.yieldNow(), step.yields)
            else if ("pass" in step) yield* pass(step.pass)
            else child.exit(1)
          }
          child.finish(1)
          expect(yield* Fiber.join(reader)).toMatchObject({ exited: true, exitCode: 1, closed: true })
          expect(read).toBe(printed)
        })(),
      ),
      { numRuns: 40 },
    )
  }, 60_000)

  it("lets go of its subscription when it is over or interrupted", effect(function* () {
    const { registry, process } = yield* begin()
    const poll = yield* Effect.fork(registry.read("p", { ...now, waitMillis: 1e6 }))
    yield* settle
    expect(process.subscribers).toBe(1)
    yield* Fiber.interrupt(poll)
    expect(process.subscribers).toBe(0)
    yield* Effect.fork(registry.read("p", { ...now, waitMillis: 10 }))
    yield* pass(10)
    expect(process.subscribers).toBe(0)
  }))

  it("delays no other request while it waits", effect(function* () {
    const { registry, child } = yield* begin()
    yield* Effect.fork(registry.read("p", { ...now, waitMillis: 1e6 }))
    yield* settle
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
    yield* registry.interrupt("p")
    expect(yield* registry.terminate("p")).toBe(true)
    expect(child.kills).toBe(1)
  }))
})

describe("ProcessRegistry.write", () => {
  it("writes in order, and a known writeId once", effect(function* () {
    const { registry, child } = yield* begin()
    for (const [text, id] of [["a", "1"], ["b", "2"], ["A", "1"], ["", "3"], ["c", undefined], ["c", undefined]] as const) {
      expect(yield* registry.write("p", bytes(text), id)).toBe("accepted")
    }
    yield* settle
    expect(child.written).toBe("abcc")
  }))

  it("remembers the last 4,096 write ids and not one more", effect(function* () {
    const { registry, child } = yield* begin()
    for (let index = 0; index < 4200; index++) yield* registry.write("p", bytes("x"), `w${index}`)
    yield* registry.write("p", bytes("y"), "w104")
    yield* settle
    expect(child.written).not.toContain("y")
    yield* registry.write("p", bytes("z"), "w103")
    yield* settle
    expect(child.written).toContain("z")
  }))

  it("tells an unknown process and one without stdin, also after its end", effect(function* () {
    const { registry, child } = yield* begin({}, noStdin)
    expect(yield* registry.write("nope", bytes("x"), "w")).toBe("unknownProcess")
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("stdinClosed")
    child.finish()
    yield* settle
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("stdinClosed")
  }))

  it("has a stdin on a PTY", effect(function* () {
    const { registry, child } = yield* begin({}, { ...pipe, stdio: { kind: "pty", size: { rows: 24, columns: 80 } } })
    expect(yield* registry.write("p", bytes("\u0004"), "w")).toBe("accepted")
    yield* settle
    expect(child.written).toBe("\u0004")
  }))

  it("accepts and drops what comes after a natural exit", effect(function* () {
    const { registry, child } = yield* begin()
    child.finish()
    yield* settle
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
    expect(child.written).toBe("")
  }))

  it("accepts what a child that closed its stdin does not take", effect(function* () {
    const { registry, child } = yield* begin()
    child.closeStdin()
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
    expect(yield* registry.write("p", bytes("x"), "v")).toBe("accepted")
  }))

  it("fails behind terminate, except for a known writeId", effect(function* () {
    const { registry, child } = yield* begin()
    child.mortal = false
    yield* registry.write("p", bytes("x"), "known")
    yield* registry.terminate("p")
    expect(yield* Effect.flip(registry.write("p", bytes("y"), "new"))).toMatchObject({ reason: "StdinGone" })
    expect(yield* Effect.flip(registry.write("p", bytes("y"), undefined))).toMatchObject({ reason: "StdinGone" })
    expect(yield* registry.write("p", bytes("y"), "known")).toBe("accepted")
    yield* settle
    expect(child.written).toBe("x")
  }))

  it("queues 128 writes to a child that does not read, then waits without delaying others", effect(function* () {
    const { registry, child } = yield* begin()
    child.stall()
    // One is on its way into the child, 128 wait behind it.
    for (let index = 0; index < 129; index++) expect(yield* registry.write("p", bytes("x"), `${index}`)).toBe("accepted")
    const blocked = yield* Effect.fork(registry.write("p", bytes("y"), "y"))
    const same = yield* Effect.fork(registry.write("p", bytes("y"), "y"))
    yield* pass(1000)
    expect(yield* Fiber.poll(blocked)).toMatchObject({ _tag: "None" })
    expect((yield* registry.read("p", now)).nextSeq).toBe(1)
    child.read()
    expect(yield* Fiber.join(blocked)).toBe("accepted")
    expect(yield* Fiber.join(same)).toBe("accepted")
    yield* settle
    expect(child.written).toBe(`${"x".repeat(129)}y`)
  }))

  it("lets blocked writes go when the process ends or is terminated", effect(function* () {
    for (const end of ["finish", "terminate"] as const) {
      const { registry, child } = yield* begin()
      child.stall()
      for (let index = 0; index < 129; index++) yield* registry.write("p", bytes("x"), `${index}`)
      const blocked = yield* Effect.fork(registry.write("p", bytes("y"), "y"))
      yield* settle
      if (end === "finish") child.finish()
      else yield* registry.terminate("p")
      expect(yield* Fiber.join(blocked)).toBe("accepted")
    }
  }))
})

describe("ProcessRegistry.interrupt and terminate", () => {
  it("interrupts a running process and nothing else", effect(function* () {
    const { registry, child } = yield* begin()
    yield* registry.interrupt("nope")
    yield* registry.interrupt("p")
    expect(child.signals).toEqual(["SIGINT"])
    child.finish()
    yield* settle
    yield* registry.interrupt("p")
    expect(child.signals).toEqual(["SIGINT"])
  }))

  it("kills at once, and says whether the process was running", effect(function* () {
    const { registry, child } = yield* begin()
    expect(yield* registry.terminate("p")).toBe(true)
    expect(child.kills).toBe(1)
    expect(yield* registry.read("p", now)).toMatchObject({ exited: true, exitCode: 137, closed: true })
    expect(yield* registry.terminate("p")).toBe(false)
    expect(yield* registry.terminate("nope")).toBe(false)
    expect(child.kills).toBe(1)
  }))

  it("does nothing to what survives a leader that has exited", effect(function* () {
    const { registry, child } = yield* begin()
    child.exit(0)
    yield* pass(1000)
    expect(yield* registry.terminate("p")).toBe(false)
    expect(child.kills).toBe(0)
  }))
})

describe("ProcessRegistry retention", () => {
  it("forgets a process 30 seconds after it closed, and the id starts again from seq 1", effect(function* () {
    const { registry, child, fake } = yield* begin()
    child.output("stdout", "x")
    child.finish(1)
    yield* pass(29_999)
    expect((yield* registry.read("p", now)).nextSeq).toBe(4)
    yield* pass(1)
    expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
    expect(yield* registry.write("p", bytes("x"), "w")).toBe("unknownProcess")
    expect(child.released).toBe(true)
    yield* registry.start("p", pipe)
    yield* fake.next
    expect(yield* registry.read("p", now)).toMatchObject({ chunks: [], nextSeq: 1, exited: false })
  }))

  it("keeps a process that has exited and not closed for as long as it takes", effect(function* () {
    const { registry, child } = yield* begin()
    child.exit(0)
    yield* pass(10 * 60_000)
    expect(yield* registry.read("p", now)).toMatchObject({ exited: true, closed: false })
    child.output("stdout", "late")
    child.end()
    yield* settle
    expect(yield* registry.read("p", now)).toMatchObject({ exited: true, closed: true, nextSeq: 4 })
    yield* pass(30_000)
    expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
  }))

  it("keeps the scope of a child whose group lives on after it is forgotten", effect(function* () {
    const { registry, child, close } = yield* begin()
    child.lingering = true
    child.finish()
    yield* pass(60_000)
    expect(yield* Effect.flip(registry.read("p", now))).toMatchObject({ reason: "Unknown" })
    expect(child.released).toBe(false)
    child.lingering = false
    yield* pass(30_000)
    expect(child.released).toBe(true)
    const other = yield* begin()
    other.child.lingering = true
    other.child.finish()
    yield* pass(60_000)
    yield* other.close
    expect(other.child.released).toBe(true)
    yield* close
  }))

  it("kills every child when its scope closes, starting ones too", effect(function* () {
    const { registry, fake, close } = yield* make()
    for (const id of ["a", "b", "c"]) yield* registry.start(id, pipe)
    fake.children[1]?.finish()
    yield* close
    expect(fake.children.map((child) => child.released)).toEqual([true, true, true])
  }))

  it("has no more fibers and finalizers after a process than before", effect(function* () {
    const scope = yield* Scope.make()
    const fake = yield* Fake.make({ script: (child) => Effect.sync(() => child.finish()) })
    const spawner = yield* Effect.provide(Spawner, fake.layer)
    const registry = yield* Scope.extend(ProcessRegistry.make(spawner, ProcessRegistry.defaultOptions), scope)
    const finalizers = () => {
      const { state } = scope as unknown as { readonly state: { readonly finalizers?: ReadonlyMap<unknown, unknown> } }
      return state.finalizers?.size ?? 0
    }
    yield* registry.start("first", pipe)
    yield* pass(30_000)
    const before = finalizers()
    for (let index = 0; index < 20; index++) yield* registry.start(`p${index}`, pipe)
    expect(finalizers()).toBeGreaterThan(before)
    yield* pass(30_000)
    expect(finalizers()).toBe(before)
  }))
})
