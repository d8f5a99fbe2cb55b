import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as TestServer from "../testing/TestServer.ts"
import * as EventFeed from "./EventFeed.ts"
import * as ExecClient from "./ExecClient.ts"
import * as FlowControl from "./FlowControl.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(test), TestClock.layer()))

const textOf = (chunks: ReadonlyArray<Uint8Array>) =>
  chunks.map((bytes) => Buffer.from(bytes).toString()).join("")

describe("EventFeed", () => {
  it("b83: keeps the first events for a late consumer and reads those between from the server", () =>
    run(
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        const child = yield* server.fake.next
        const numbers = Array.from({ length: EventFeed.maxKept.events * 4 }, (_, i) => `${i} `)
        for (const text of numbers) child.output("stdout", text)
        child.exit(0)
        yield* Effect.yieldNow
        const early = yield* Effect.forkChild(Stream.runCollect(process.events))
        child.output("stderr", "late")
        child.end()
        yield* process.closed
        for (const events of [yield* Fiber.join(early), yield* Stream.runCollect(process.events)]) {
          const seqs = events.map((event) => ("seq" in event ? event.seq : 0))
          expect(seqs).toEqual(Array.from({ length: numbers.length + 3 }, (_, i) => i + 1))
        }
        expect(textOf(yield* Stream.runCollect(process.output("stdout")))).toBe(numbers.join(""))
        expect(textOf(yield* Stream.runCollect(process.output("stderr")))).toBe("late")
      }),
    ))

  it("tells a late consumer what is gone, and leaves the process alone", () =>
    run(
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        const child = yield* server.fake.next
        const block = new Uint8Array(64 * 1024)
        for (let i = 0; i < 64; i++) {
          yield* child.unpaused
          child.output("stdout", block)
          yield* Effect.yieldNow
        }
        child.finish(4)
        expect(yield* process.exitCode).toBe(4)
        const events = yield* Stream.runCollect(process.events)
        expect(events.at(-1)).toMatchObject({ kind: "failed" })
        expect(events.at(-1)).toMatchObject({
          message: expect.stringMatching(/through sequence 64 \(17 to 48 are gone\)/),
        })
        expect(child.kills).toBe(0)
      }),
    ))

  it("tells a late consumer what is gone with a process that the server has forgotten", () =>
    run(
      Effect.gen(function* () {
        const server = yield* TestServer.make()
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        const child = yield* server.fake.next
        for (let i = 0; i < EventFeed.maxKept.events * 4; i++) child.output("stdout", new Uint8Array(1))
        child.finish(4)
        yield* process.closed
        yield* TestClock.adjust("1 minute")
        const events = yield* Stream.runCollect(process.events)
        const last = events.at(-2)
        expect(last).toMatchObject({ kind: "output" })
        expect(events.at(-1)).toMatchObject({ kind: "failed", gone: { from: events.length } })
      }),
    ))

  it("goes on when a consumer has left in the middle", () =>
    run(
      Effect.gen(function* () {
        const server = yield* TestServer.make({
          script: (child) =>
            Effect.gen(function* () {
              for (let i = 0; i < 500; i++) {
                yield* child.unpaused
                child.output("stdout", new Uint8Array(64 * 1024))
                yield* Effect.yieldNow
              }
              child.finish(5)
            }),
        })
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        yield* Stream.runDrain(Stream.take(process.output(), 3))
        expect(yield* process.exitCode).toBe(5)
      }),
    ))

  it("lets what waits of the credit that was granted leave the connection alone", () =>
    run(
      Effect.gen(function* () {
        const told: Array<boolean> = []
        const flow = FlowControl.make((held) => told.push(held))
        const credit = { size: 4 * FlowControl.maxBacklog, settle: () => {} }
        const feed = EventFeed.make(0, flow, () => Effect.die("nothing is missed"), credit)
        const { close } = yield* feed.subscribe
        const bytes = new Uint8Array(FlowControl.maxBacklog)
        const publish = (seq: number) => feed.publish({ kind: "output", seq, stream: "stdout", bytes })
        for (const seq of [1, 2, 3, 4, 5]) publish(seq)
        expect([feed.waiting(), told]).toEqual([5 * FlowControl.maxBacklog, []])
        publish(6)
        expect(told).toEqual([true])
        close()
        expect(told).toEqual([true, false])
      }),
    ))
})
