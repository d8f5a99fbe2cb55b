/** Slow and fast consumers of a client over the real server: back-pressure on the child, and every byte delivered. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as ExecClient from "../client/ExecClient.ts"
import { maxBacklog } from "../client/FlowControl.ts"
import { pass } from "../testing/Effects.ts"
import * as TestServer from "../testing/TestServer.ts"
import { pauseAbove } from "../process/Process.ts"
import { highWaterMark, incomingCapacity } from "../transport/Transport.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(test), TestClock.layer()))

/** Lets everything run until this number grows no more, and for a second. */
const stalled = (number: () => number) =>
  Effect.gen(function* () {
    for (let before = -1; before !== number();) {
      before = number()
      yield* pass(1_000)
    }
  })

describe("A consumer of a process over the real server", () => {
  it("holds the child back while its consumer lags, and delivers every byte in the end", () =>
    run(
      Effect.gen(function* () {
        const size = 64 * 1024
        let produced = 0
        const server = yield* TestServer.make({
          script: (child) =>
            Effect.gen(function* () {
              for (; produced < 1000; produced++) {
                yield* child.unpaused
                child.output("stdout", new Uint8Array(size).fill(produced))
                yield* Effect.yieldNow
              }
              child.finish()
            }),
        })
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        const subscription = yield* process.subscribe
        let received = 0
        const take = Effect.map(subscription.next, (batch) => {
          for (const event of batch ?? []) {
            if (event.kind !== "output") continue
            expect([event.bytes.length, event.bytes[0], event.bytes.at(-1)]).toEqual([
              size,
              received & 255,
              received & 255,
            ])
            received += 1
          }
          return batch !== undefined
        })
        yield* take
        // Everything runs until it waits for the consumer: one inbox of messages and a little is on its way.
        yield* stalled(() => produced)
        expect(server.fake.children[0]?.paused).toBe(true)
        expect(produced * size).toBeLessThan(maxBacklog + incomingCapacity * size + 4 * highWaterMark)
        while (yield* take);
        expect(received).toBe(1000)
      }),
    ))

  it("waits alone when its consumer does not read on, however many they are and whatever else is asked", () =>
    run(
      Effect.gen(function* () {
        const size = 64 * 1024
        const produced = new Map<number, number>()
        const server = yield* TestServer.make({
          script: (child) =>
            Effect.gen(function* () {
              if (child.spec.argv[0] === "short") {
                child.output("stdout", "hi")
                return child.finish()
              }
              for (let count = 1; ; count++) {
                yield* child.unpaused
                child.output("stdout", new Uint8Array(size))
                produced.set(child.pid, count * size)
                yield* Effect.yieldNow
              }
            }),
        })
        const client = yield* ExecClient.make(yield* server.connect)
        // Together they hold more than may wait for all consumers of a connection.
        for (let i = 0; i < 40; i++) {
          const { subscription } = yield* client.startSubscribed({ argv: ["flood"] })
          yield* subscription.next
        }
        yield* stalled(() => [...produced.values()].reduce((sum, bytes) => sum + bytes, 0))
        expect(server.fake.children.every(({ paused }) => paused)).toBe(true)
        for (const bytes of produced.values()) {
          expect(bytes).toBeLessThan(2 * maxBacklog + pauseAbove + 2 * size)
        }
        for (let i = 0; i < 10; i++) {
          const short = yield* client.start({ argv: ["short"] })
          expect(yield* Stream.runCount(short.events)).toBe(3)
          expect(yield* short.exitCode).toBe(0)
        }
        expect(yield* client.call("environment/status", null)).toEqual({ status: "ready" })
      }),
    ))

  it("answers calls of a consumer that does not read on until they are answered", () =>
    run(
      Effect.gen(function* () {
        const server = yield* TestServer.make({
          script: (child) =>
            Effect.gen(function* () {
              for (let i = 0; i < 300; i++) {
                yield* child.unpaused
                child.output("stdout", new Uint8Array(64 * 1024))
                yield* Effect.yieldNow
              }
              child.finish()
            }),
        })
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        let calls = 0
        yield* Stream.runForEach(process.output(), () =>
          Effect.map(client.call("environment/status", null), () => (calls += 1)),
        )
        expect(calls).toBe(300)
      }),
    ))

  it("delivers a flood of small chunks byte for byte", () =>
    run(
      Effect.gen(function* () {
        const count = 10_000
        const sent: Array<Buffer> = []
        const server = yield* TestServer.make({
          script: (child) =>
            Effect.gen(function* () {
              for (let i = 0; i < count; i++) {
                const bytes = Buffer.from(Array.from({ length: i % 97 }, (_, j) => (i * 31 + j * 7) & 255))
                sent.push(bytes)
                yield* child.unpaused
                child.output(i % 3 === 0 ? "stderr" : "stdout", bytes)
                if (i % 50 === 0) yield* Effect.yieldNow
              }
              child.finish()
            }),
        })
        const client = yield* ExecClient.make(yield* server.connect)
        const process = yield* client.start({ argv: ["x"] })
        const [all, stdout] = yield* Effect.all(
          [Stream.runCollect(process.output()), Stream.runCollect(process.output("stdout"))],
          { concurrency: "unbounded" },
        )
        expect(Buffer.concat(all).equals(Buffer.concat(sent))).toBe(true)
        const expected = Buffer.concat(sent.filter((_, i) => i % 3 !== 0))
        expect(Buffer.concat(stdout).equals(expected)).toBe(true)
      }),
    ))
})
