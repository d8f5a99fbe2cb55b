import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { settle } from "../testing/Effects.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import * as Message from "../protocol/Message.ts"
import * as Memory from "./Memory.ts"
import { highWaterMark, incomingCapacity, type Transport } from "./Transport.ts"

const run = <A, E>(test: (left: Transport, right: Transport) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(Memory.makePair(), ([left, right]) => test(left, right))))

const take = (transport: Transport, count: number) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    while (taken.length < count) taken.push(yield* transport.incoming.take)
    return taken
  })

describe("Memory", () => {
  it("carries messages both ways in order", () =>
    run((left, right) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 10_000 }, (_, i) => `${i}`)
        for (const text of texts) {
          left.write(text)
          right.write(new TextEncoder().encode(text))
        }
        expect(yield* take(right, texts.length)).toEqual(texts)
        expect(yield* take(left, texts.length)).toEqual(texts)
      }),
    ))

  it("delivers long base64 of bytes as bytes, and gives the memory of the message back", () =>
    run((left, right) =>
      Effect.gen(function* () {
        const memory = new MemoryPool(9000, 1)
        const bytes = new Uint8Array(6000).fill(7)
        const message = Message.request(
          1,
          "process/write",
          { processId: "p", chunk: bytes },
          undefined,
          memory,
        )
        left.write(message)
        const [[cut]] = yield* right.cut!.takeAll.pipe(Effect.map(([messages]) => [[...messages]] as const))
        expect(cut).toMatchObject({ bytes })
        expect(memory.take(8000).buffer).toBe((message as Uint8Array).buffer)
        left.write(Message.request(2, "process/write", { processId: "p", chunk: bytes }))
        expect(yield* right.incoming.take).toContain(`"chunk":"BwcH`)
      }),
    ))

  it("answers false to a writer whose peer does not take, and calls back when it did", () =>
    run((left, right) =>
      Effect.gen(function* () {
        let drains = 0
        left.onDrain(() => drains++)
        for (let i = 0; i < incomingCapacity; i++) expect(left.write("x")).toBe(true)
        const large = "x".repeat(highWaterMark / 4)
        expect([1, 2, 3, 4].map(() => left.write(large))).toEqual([true, true, true, false])
        expect(left.write("last")).toBe(false)
        expect(drains).toBe(0)
        const taken = yield* take(right, incomingCapacity + 5)
        expect(taken.at(-1)).toBe("last")
        yield* settle
        expect(drains).toBe(1)
        expect(left.write("again")).toBe(true)
      }),
    ))

  it("ends both sides after what was written before", () =>
    run((left, right) =>
      Effect.gen(function* () {
        for (let i = 0; i < incomingCapacity * 2; i++) left.write(`${i}`)
        yield* left.close
        yield* left.close
        left.write("late")
        const taken: Array<string> = []
        for (;;) {
          const [messages, done] = yield* right.incoming.takeAll
          taken.push(...messages)
          if (done) break
        }
        expect(taken.length).toBe(incomingCapacity * 2)
        yield* left.incoming.await
      }),
    ))

  it("lets a stalled writer go on when the link ends", () =>
    run((left, right) =>
      Effect.gen(function* () {
        let drains = 0
        left.onDrain(() => drains++)
        for (let i = 0; i <= incomingCapacity; i++) left.write("x".repeat(8192))
        while (left.write("x".repeat(8192)));
        yield* right.close
        yield* settle
        expect(drains).toBe(1)
        expect(left.write("x")).toBe(true)
      }),
    ))

  it("fails the reader of a message that is not UTF-8", () =>
    run((left, right) =>
      Effect.gen(function* () {
        left.write(Uint8Array.of(0xff))
        const error = yield* Effect.flip(right.incoming.await)
        expect(error.reason).toBe("InvalidUtf8")
      }),
    ))
})
