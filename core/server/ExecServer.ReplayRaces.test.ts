/** Tests ExecServer.ts: `replayAfter` of `initialize` against starts, losses and other connections. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { event, ready, start } from "./testing/Client.ts"
import { detached } from "./testing/Detached.ts"

describe("ExecServer replay races", () => {
  it(
    "sends every event of a process that was starting when the connection was lost",
    effect(function* () {
      const gate = Latch.makeUnsafe(false)
      const { connect, client, fake, sessionId } = yield* ready({ beforeSpawn: () => gate.await })
      client.send({ id: 1, method: "process/start", params: start("p") })
      yield* settle
      yield* client.transport.close
      yield* settle
      const next = yield* connect
      next.send({
        id: 2,
        method: "initialize",
        params: { clientName: "x", resumeSessionId: sessionId, replayAfter: { p: 7 } },
      })
      yield* settle
      yield* gate.open
      const child = yield* fake.next
      child.output("stdout", "1")
      expect((yield* next.received).slice(1).map(event)).toEqual(["output 1"])
    }),
  )

  it(
    "replays to one of two connections that race for the session, and refuses the other one",
    effect(function* () {
      const { child, connect, sessionId } = yield* detached("p")
      child.output("stdout", "1")
      const params = { clientName: "x", resumeSessionId: sessionId, replayAfter: { p: 0 } }
      const [one, other] = [yield* connect, yield* connect]
      for (const rival of [one, other]) rival.send({ id: 1, method: "initialize", params })
      expect((yield* one.received).length).toBe(2)
      expect(yield* other.received).toMatchObject([{ error: { code: -32010 } }])
      child.output("stdout", "2")
      expect((yield* one.received).map(event)).toEqual(["output 2"])
      expect(yield* other.received).toEqual([])
    }),
  )

  it(
    "goes to the next connection when the one that resumed is lost before its answer is read",
    effect(function* () {
      const { child, connect, resume, sessionId } = yield* detached("p")
      child.output("stdout", "1")
      for (let yields = 0; yields < 12; yields++) {
        const hasty = yield* connect
        hasty.send({
          id: 1,
          method: "initialize",
          params: { clientName: "x", resumeSessionId: sessionId, replayAfter: { p: 0 } },
        })
        yield* Effect.repeat(Effect.yieldNow, { times: yields })
        yield* hasty.transport.close
        yield* settle
      }
      expect((yield* resume({ p: 0 })).came).toEqual(["answer", "output 1"])
    }),
  )

  it(
    "is refused while the old connection is ending, and works once it has ended",
    effect(function* () {
      const { connect, client, fake, sessionId } = yield* ready()
      yield* client.ask("process/start", start("p"))
      ;(yield* fake.next).output("stdout", "1")
      const next = yield* connect
      const params = { clientName: "x", resumeSessionId: sessionId, replayAfter: { p: 0 } }
      yield* client.transport.close
      const answers: Array<number | undefined> = []
      for (let id = 1; answers.at(-1) !== 0 && id < 100; id++) {
        next.send({ id, method: "initialize", params })
        for (const one of yield* next.received) answers.push(one.error?.code ?? one.params?.seq ?? 0)
        if (answers.includes(0)) break
      }
      expect(answers.filter((code) => code !== -32010)).toEqual([0, 1])
    }),
  )

  it(
    "does not expire a session that was resumed and detached again just before it would have expired",
    effect(function* () {
      const { child, connect, resume, sessionId } = yield* detached("p")
      child.output("stdout", "1")
      // Resumed and detached again in the instant in which the first detachment would have expired.
      const hasty = yield* connect
      const racing = yield* Effect.forkChild(
        Effect.andThen(
          Effect.sleep(79_999),
          Effect.sync(() =>
            hasty.send({
              id: 1,
              method: "initialize",
              params: { clientName: "x", resumeSessionId: sessionId },
            }),
          ),
        ),
      )
      yield* pass(79_999)
      yield* Fiber.await(racing)
      yield* Effect.andThen(hasty.transport.close, TestClock.adjust(1))
      yield* pass(79_000)
      expect(child.released).toBe(false)
      expect((yield* resume({ p: 0 })).came).toEqual(["answer", "output 1"])
    }),
  )
})
