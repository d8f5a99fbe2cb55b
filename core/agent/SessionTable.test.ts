import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import * as Reply from "./Reply.ts"
import { EndedSessions, maxSessions, remembered, SessionTable, spared } from "./SessionTable.ts"
import { make } from "./testing/Agent.ts"
import * as UnifiedExec from "./UnifiedExec.ts"

const entry = (id: number, facts: { callers?: number; over?: boolean } = {}) => ({
  id,
  callers: 0,
  over: false,
  ...facts,
})

/** A full table of entries 1 to 64. */
const full = (facts: (id: number) => Parameters<typeof entry>[1] = () => ({})) => {
  const sessions = new SessionTable<ReturnType<typeof entry>>()
  for (let id = 1; id <= maxSessions; id += 1) expect(sessions.add(entry(id, facts(id)))).toBeUndefined()
  return sessions
}

describe("SessionTable", () => {
  it("have ids of their own from 1000 to 99999, and give them back", async () => {
    const sessions = new SessionTable()
    const ids = await Effect.runPromise(Effect.all(Array.from({ length: 5_000 }, () => sessions.reserve)))
    expect(new Set(ids).size).toBe(5_000)
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(1000)
    expect(Math.max(...ids)).toBeLessThan(100_000)
    for (let id = 1000; id < 100_000; id += 1) if (id !== ids[7]) sessions.free(id)
    expect(await Effect.runPromise(sessions.reserve)).not.toBe(ids[7])
  })

  it("b98: the one goes that was used longest ago", () => {
    const sessions = full()
    sessions.use(1)
    expect(sessions.add(entry(65))?.id).toBe(2)
    expect(sessions.add(entry(66))?.id).toBe(3)
    expect(sessions.all.map(({ id }) => id)).toEqual(
      [...sessions.all.keys()]
        .map((at) => at + 4)
        .slice(0, 61)
        .concat(1, 65, 66),
    )
    expect(sessions.use(2)).toBeUndefined()
  })

  it("b98: of those that have exited, if there are such", () => {
    const sessions = full((id) => ({ over: id === 30 || id === 40 }))
    expect([65, 66, 67].map((id) => sessions.add(entry(id))?.id)).toEqual([30, 40, 1])
  })

  it("b98: but none of the 8 that were used last", () => {
    const sessions = full((id) => ({ over: id > maxSessions - spared }))
    expect(sessions.add(entry(65))?.id).toBe(1)
    // Now the first of them is the ninth.
    expect(sessions.add(entry(66))?.id).toBe(57)
  })

  it("b98: and none that a call waits for, even if there are more than 64 then", () => {
    const sessions = full((id) => ({ callers: id <= 50 ? 1 : 0 }))
    expect(sessions.add(entry(65))?.id).toBe(51)
    const busy = full(() => ({ callers: 1 }))
    expect(busy.add(entry(65))).toBeUndefined()
    expect(busy.all.length).toBe(65)
  })

  it(
    "b98: the 65th command kills the first, and the end of the tools' scope all others",
    effect(function* () {
      const scope = yield* Scope.make()
      const { fake, client } = yield* make()
      const tools = yield* Scope.provide(UnifiedExec.make(client), scope)
      const begin = (count: number) =>
        Effect.forEach(Array.from({ length: count }), (_, at) =>
          Effect.tap(
            Effect.forkChild(tools.execCommand({ cmd: `command ${at + 1}`, yield_time_ms: 1 })),
            () => fake.next,
          ),
        )
      const calls = yield* begin(maxSessions)
      yield* pass(400)
      const [first] = yield* Effect.forEach(calls, Fiber.join)
      const [waiting] = yield* begin(1)
      yield* settle
      const killed = new Date(yield* Clock.currentTimeMillis).toISOString()
      expect(fake.children.map(({ kills }) => kills)).toEqual([1, ...Array.from({ length: 64 }, () => 0)])
      const error = yield* Effect.flip(tools.writeStdin({ session_id: first?.sessionId ?? 0 }))
      const [last] = (yield* tools.sessionIds).slice(-1)
      expect(error).toMatchObject({
        reason: "UnknownSession",
        message:
          `write_stdin failed: Unknown process id ${first?.sessionId}: it was ended at ${killed} to make room for ` +
          `session ID ${last}, because at most 64 sessions are kept; its command was killed: command 1`,
      })
      yield* pass(400)
      const reply = yield* Fiber.join(waiting!)
      const notice =
        `Session ID ${first?.sessionId} was ended to make room for this command, because at most 64 sessions are ` +
        "kept; its command was killed: command 1"
      expect(reply).toMatchObject({ sessionId: last, notices: [notice] })
      expect(Reply.toText(reply)).toContain(`\nNotice: ${notice}\nOutput:\n`)
      const poll = yield* Effect.forkChild(tools.writeStdin({ session_id: last ?? 0 }))
      yield* pass(5_000)
      expect(yield* Fiber.join(poll)).not.toHaveProperty("notices")
      const waits = yield* Effect.forkChild(tools.writeStdin({ session_id: last ?? 0 }))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      yield* settle
      expect(fake.children.map(({ kills }) => kills)).toEqual(Array.from({ length: 65 }, () => 1))
      expect(yield* Fiber.join(waits)).toMatchObject({ failure: "the session has ended" })
      expect((yield* Effect.flip(tools.execCommand({ cmd: "x" }))).reason).toBe("Closed")
      expect(yield* client.call("environment/status", null)).toEqual({ status: "ready" })
    }),
  )

  it(
    "b98: the 65th command tells of one that has exited, whose exit nobody was told",
    effect(function* () {
      const { fake, tools } = yield* make()
      const calls = yield* Effect.forEach(Array.from({ length: maxSessions }), () =>
        Effect.tap(
          Effect.forkChild(tools.execCommand({ cmd: "make\n  all", yield_time_ms: 1 })),
          () => fake.next,
        ),
      )
      yield* pass(400)
      const ids = yield* Effect.forEach(calls, (call) =>
        Effect.map(Fiber.join(call), ({ sessionId = 0 }) => sessionId),
      )
      fake.children[29]?.finish(3)
      yield* settle
      const last = yield* Effect.forkChild(tools.execCommand({ cmd: "y", yield_time_ms: 1 }))
      yield* pass(400)
      const fate = "because at most 64 sessions are kept; its command had exited with code 3: make all"
      expect(yield* Fiber.join(last)).toMatchObject({
        notices: [`Session ID ${ids[29]} was ended to make room for this command, ${fate}`],
      })
      const { message } = yield* Effect.flip(tools.writeStdin({ session_id: ids[29] ?? 0 }))
      expect(message).toContain(fate)
    }),
  )

  it(
    "die where they are being started when that scope ends",
    effect(function* () {
      const scope = yield* Scope.make()
      const go = yield* Latch.make()
      const { fake, client } = yield* make(undefined, { beforeSpawn: () => go.await })
      const tools = yield* Scope.provide(UnifiedExec.make(client), scope)
      const call = yield* Effect.forkChild(tools.execCommand({ cmd: "x" }))
      yield* settle
      yield* Scope.close(scope, Exit.void)
      yield* go.open
      yield* settle
      expect(fake.children.map(({ kills }) => kills)).toEqual([1])
      expect(yield* Fiber.join(call)).toMatchObject({ failure: "the session has ended" })
    }),
  )
})

it("remembers the last 256 ends, and forgets an id that is used again", () => {
  const ended = new EndedSessions()
  for (let id = 0; id <= remembered; id += 1) ended.add(id, `why ${id}`)
  expect([ended.why(0), ended.why(1), ended.why(remembered), ended.why(1_000)]).toEqual([
    undefined,
    "why 1",
    `why ${remembered}`,
    undefined,
  ])
  ended.forget(1)
  expect(ended.why(1)).toBeUndefined()
})
