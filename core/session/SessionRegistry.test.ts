import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Metrics from "../process/Metrics.ts"
import * as Fake from "../spawn/Fake.ts"
import { Spawner, type SpawnSpec } from "../spawn/Spawner.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { SessionIds } from "./SessionIds.ts"
import * as SessionRegistry from "./SessionRegistry.ts"

const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }
/** A connection whose session is never taken. */
const holder: SessionRegistry.Holder = { taken: () => () => {} }
const now = { afterSeq: 0, maxBytes: Infinity, waitMillis: 0 }

const makeOver = (spawner: Layer.Layer<Spawner>, metrics = Metrics.make()) =>
  Effect.gen(function* () {
    let count = 0
    const ids = Layer.succeed(SessionIds, { next: Effect.sync(() => `s${(count += 1)}`) })
    const scope = yield* Scope.fork(yield* Effect.scope)
    const sessions = yield* SessionRegistry.make({ ...SessionRegistry.defaultOptions, metrics }).pipe(
      Effect.provide(Layer.merge(spawner, ids)),
      Scope.provide(scope),
    )
    return { sessions, close: Scope.close(scope, Exit.void) }
  })

const make = Effect.gen(function* () {
  const fake = yield* Fake.make()
  return { fake, ...(yield* makeOver(fake.layer)) }
})

describe("SessionRegistry", () => {
  it(
    "opens sessions with ids of their own",
    effect(function* () {
      const { sessions } = yield* make
      expect((yield* sessions.open(holder)).id).toBe("s1")
      expect((yield* sessions.open(holder)).id).toBe("s2")
    }),
  )

  it(
    "counts its sessions, and those of no other registry",
    effect(function* () {
      const count = (metrics: Metrics.Metrics) =>
        metrics.snapshot().find(({ name }) => name === "procwire_sessions")
      const { layer } = yield* Fake.make()
      const [one, other] = [Metrics.make(), Metrics.make()]
      const { sessions } = yield* makeOver(layer, one)
      const { close } = yield* makeOver(layer, other)
      yield* sessions.open(holder)
      const ended = yield* sessions.open(holder)
      expect([count(one), count(other)]).toMatchObject([{ value: 2 }, { value: 0 }])
      yield* sessions.end(ended)
      yield* close
      expect([count(one), count(other)]).toMatchObject([{ value: 1 }, { value: 0 }])
    }),
  )

  it(
    "isolates sessions from each other",
    effect(function* () {
      const { sessions } = yield* make
      const [a, b] = [yield* sessions.open(holder), yield* sessions.open(holder)]
      yield* a.processes.start("p", spec)
      expect(yield* Effect.flip(b.processes.read("p", now))).toMatchObject({ reason: "Unknown" })
      yield* b.processes.start("p", spec)
      expect(yield* a.processes.terminate("p")).toBe(true)
      expect(yield* b.processes.read("p", now)).toMatchObject({ exited: false })
    }),
  )

  it(
    "refuses to resume a session that is unknown or attached",
    effect(function* () {
      const { sessions } = yield* make
      const { id } = yield* sessions.open(holder)
      expect(yield* Effect.flip(sessions.resume(id, holder))).toMatchObject({
        reason: "Attached",
        sessionId: id,
      })
      expect(yield* Effect.flip(sessions.resume("nope", holder))).toMatchObject({
        reason: "Unknown",
        sessionId: "nope",
      })
      expect(yield* Effect.flip(sessions.resume("", holder))).toMatchObject({
        reason: "Unknown",
        sessionId: "",
      })
    }),
  )

  it(
    "resumes a detached session with its processes, once",
    effect(function* () {
      const { sessions } = yield* make
      const session = yield* sessions.open(holder)
      yield* session.processes.start("p", spec)
      yield* sessions.detach(session, holder)
      const racing = yield* Effect.all(
        [1, 2, 3].map(() => Effect.exit(sessions.resume(session.id, holder))),
        { concurrency: "unbounded" },
      )
      expect(racing.filter(Exit.isSuccess).length).toBe(1)
      expect(racing.find(Exit.isSuccess)?.value).toBe(session)
      expect(yield* Effect.flip(sessions.resume(session.id, holder))).toMatchObject({ reason: "Attached" })
    }),
  )

  it(
    "hands a session over to one of several takers at a time, and lets those before go when it is followed",
    effect(function* () {
      const { sessions } = yield* make
      const log: Array<string> = []
      const named = (name: string): SessionRegistry.Holder => ({
        taken: ({ id }) => {
          log.push(`${id} taken from ${name}`)
          return () => log.push(`${name} lets go`)
        },
      })
      const [a, b, c] = [named("a"), named("b"), named("c")]
      const session = yield* sessions.open(a)
      expect(yield* Effect.flip(sessions.resume(session.id, b))).toMatchObject({ reason: "Attached" })
      expect(yield* sessions.resume(session.id, b, true)).toBe(session)
      expect(yield* sessions.resume(session.id, c, true)).toBe(session)
      expect(log).toEqual(["s1 taken from a", "s1 taken from b"])
      sessions.handedOver(session)
      sessions.handedOver(session)
      expect(log.slice(2)).toEqual(["a lets go", "b lets go"])
    }),
  )

  it(
    "ignores the end of a connection whose session was taken over, and not that of the taker",
    effect(function* () {
      const { sessions, fake } = yield* make
      const taker: SessionRegistry.Holder = { taken: () => () => {} }
      const session = yield* sessions.open(holder)
      yield* session.processes.start("p", spec)
      yield* sessions.resume(session.id, taker, true)
      yield* sessions.detach(session, holder)
      yield* pass(1_000_000)
      expect(fake.children[0]?.released).toBe(false)
      yield* sessions.detach(session, taker)
      yield* pass(80_000)
      expect(fake.children[0]?.released).toBe(true)
    }),
  )

  it(
    "does not hand over a session that is bound to its connection",
    effect(function* () {
      const { sessions } = yield* make
      const { id } = yield* sessions.openBound
      expect(yield* Effect.flip(sessions.resume(id, holder, true))).toMatchObject({ reason: "Attached" })
    }),
  )

  it(
    "keeps a detached session for 80 seconds and kills its children at that moment",
    effect(function* () {
      const { sessions, fake } = yield* make
      const session = yield* sessions.open(holder)
      yield* session.processes.start("p", spec)
      yield* session.processes.start("q", spec)
      yield* sessions.detach(session, holder)
      yield* pass(79_999)
      expect(fake.children.map((child) => child.released)).toEqual([false, false])
      yield* pass(1)
      expect(fake.children.map((child) => child.released)).toEqual([true, true])
      expect(yield* Effect.flip(sessions.resume(session.id, holder))).toMatchObject({ reason: "Unknown" })
    }),
  )

  it(
    "gives the full time again at each detachment",
    effect(function* () {
      const { sessions, fake } = yield* make
      const session = yield* sessions.open(holder)
      yield* session.processes.start("p", spec)
      for (let round = 0; round < 4; round++) {
        yield* sessions.detach(session, holder)
        yield* pass(45_000)
        yield* sessions.resume(session.id, holder)
        yield* pass(20_000)
      }
      yield* pass(1_000_000)
      expect(fake.children[0]?.released).toBe(false)
      yield* sessions.detach(session, holder)
      yield* pass(79_999)
      expect(fake.children[0]?.released).toBe(false)
      yield* pass(1)
      expect(fake.children[0]?.released).toBe(true)
    }),
  )

  it(
    "lets either a resumption or the expiry win, whichever comes first",
    effect(function* () {
      for (const first of ["resume", "expiry"] as const) {
        const { sessions, fake } = yield* make
        const session = yield* sessions.open(holder)
        yield* session.processes.start("p", spec)
        yield* sessions.detach(session, holder)
        yield* settle
        const resume = Effect.exit(sessions.resume(session.id, holder))
        const resumed = yield* first === "resume"
          ? Effect.tap(resume, TestClock.adjust(80_000))
          : Effect.andThen(TestClock.adjust(80_000), Effect.andThen(settle, resume))
        yield* settle
        expect(Exit.isSuccess(resumed)).toBe(first === "resume")
        expect(fake.children[0]?.released).toBe(first === "expiry")
      }
    }),
  )

  it(
    "counts from the last detachment, also if that comes at the instant in which the one before expires",
    effect(function* () {
      const outcomes: Array<boolean> = []
      for (const first of ["the other", "the expiry"] as const) {
        const { sessions, fake } = yield* make
        const session = yield* sessions.open(holder)
        yield* session.processes.start("p", spec)
        const again = Effect.exit(
          Effect.andThen(sessions.resume(session.id, holder), sessions.detach(session, holder)),
        )
        const other = Effect.forkChild(Effect.andThen(Effect.sleep(80_000), again))
        const detach = Effect.andThen(sessions.detach(session, holder), settle)
        const racing = first === "the other" ? yield* Effect.tap(other, settle) : undefined
        yield* detach
        const fiber = racing ?? (yield* Effect.tap(other, settle))
        yield* pass(80_000)
        const resumed = Exit.isSuccess(yield* Fiber.join(fiber))
        outcomes.push(resumed)
        yield* pass(79_999)
        expect(fake.children[0]?.released).toBe(!resumed)
        yield* pass(1)
        expect(fake.children[0]?.released).toBe(true)
      }
      expect(outcomes.sort()).toEqual([false, true])
    }),
  )

  it(
    "ignores the detachment of a session that is gone",
    effect(function* () {
      const { sessions } = yield* make
      const session = yield* sessions.open(holder)
      yield* sessions.detach(session, holder)
      yield* pass(80_000)
      yield* sessions.detach(session, holder)
      yield* pass(80_000)
      expect(yield* Effect.flip(sessions.resume(session.id, holder))).toMatchObject({ reason: "Unknown" })
    }),
  )

  it(
    "lets go of children that wait for a reader when it is detached",
    effect(function* () {
      const { sessions, fake } = yield* make
      const session = yield* sessions.open(holder)
      yield* session.processes.start("p", spec)
      const child = fake.children[0]
      child?.output("stdout", new Uint8Array(1_000_000))
      expect(child?.paused).toBe(true)
      yield* sessions.detach(session, holder)
      expect(child?.paused).toBe(false)
    }),
  )

  it(
    "kills the children of every session in parallel when it closes",
    effect(function* () {
      const spawner = Layer.succeed(Spawner, {
        capabilities: Fake.allCapabilities,
        spawn: (spec, events) =>
          Effect.as(
            Effect.addFinalizer(() => Effect.sleep(1000)),
            new Fake.FakeChild(1, spec, events).handle(Fake.allCapabilities),
          ),
      })
      const { sessions, close } = yield* makeOver(spawner)
      for (let index = 0; index < 3; index++) {
        const { processes } = yield* sessions.open(holder)
        for (const id of ["a", "b", "c"]) yield* processes.start(id, spec)
      }
      const closing = yield* Effect.forkChild(close)
      yield* pass(1000)
      expect(closing.pollUnsafe()).toBeDefined()
    }),
  )
})
