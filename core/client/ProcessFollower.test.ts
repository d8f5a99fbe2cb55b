import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { toBase64, utf8 } from "../protocol/Bytes.ts"
import * as ForkIn from "../protocol/Fork.ts"
import { ClientError } from "./ClientError.ts"
import { partBytes } from "./EventRecovery.ts"
import * as ExecClient from "./ExecClient.ts"
import * as FlowControl from "./FlowControl.ts"
import * as ProcessFollower from "./ProcessFollower.ts"
import { settle } from "../testing/Effects.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"

const run = <A, E>(test: Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(test), TestClock.layer()))

/** A process `p` of a scripted peer, and what the peer can say about it. */
const scripted = Effect.gen(function* () {
  const peer = yield* ScriptedPeer.make
  const making = yield* Effect.forkChild(ExecClient.make(peer.transport))
  yield* peer.handshake
  const client = yield* Fiber.join(making)
  const starting = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
  const { id } = yield* peer.request("process/start")
  const begin = () => peer.reply(id, { processId: "p", sandboxType: "none" })
  const output = (seq: number, text = `${seq} `) =>
    peer.notify("process/output", {
      processId: "p",
      seq,
      stream: "stdout",
      chunk: toBase64(utf8.encode(text)),
    })
  const exited = (seq: number, exitCode = 0) =>
    peer.notify("process/exited", { processId: "p", seq, exitCode })
  const closed = (seq: number) => peer.notify("process/closed", { processId: "p", seq })
  /** Answers the next read with the texts of these chunks. */
  const answerRead = (seqs: ReadonlyArray<number>, nextSeq: number, rest: object = {}) =>
    Effect.map(peer.request("process/read"), ({ id, params }) => {
      const chunks = seqs.map((seq) => ({ seq, stream: "stdout", chunk: toBase64(utf8.encode(`${seq} `)) }))
      const state = { exited: false, exitCode: null, closed: false, failure: null, sandboxDenied: false }
      peer.reply(id, { ...state, chunks, nextSeq, ...rest })
      return params
    })
  return { peer, client, starting, begin, output, exited, closed, answerRead }
})

const kindsOf = (events: ReadonlyArray<{ readonly kind: string }>) => events.map(({ kind }) => kind)

const textOf = (chunks: ReadonlyArray<Uint8Array>) =>
  chunks.map((bytes) => Buffer.from(bytes).toString()).join("")

describe("ProcessFollower", () => {
  it("gets what was sent before the answer to its start", () =>
    run(
      Effect.gen(function* () {
        const { starting, begin, output, exited, closed } = yield* scripted
        output(1)
        exited(2, 9)
        closed(3)
        begin()
        const process = yield* Fiber.join(starting)
        expect(textOf(yield* Stream.runCollect(process.output()))).toBe("1 ")
        expect(yield* process.exitCode).toBe(9)
      }),
    ))

  it("b79: publishes out-of-order and repeated notifications in order, without a read", () =>
    run(
      Effect.gen(function* () {
        const { starting, begin, output, exited, closed } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        closed(5)
        exited(3)
        output(2)
        output(2, "again")
        output(1)
        output(1, "again")
        output(4)
        const events = yield* Stream.runCollect(process.events)
        expect(kindsOf(events)).toEqual(["output", "output", "exited", "output", "closed"])
        expect(textOf(yield* Stream.runCollect(process.output()))).toBe("1 2 4 ")
      }),
    ))

  it("reads what stays away, a short while after it is missed", () =>
    run(
      Effect.gen(function* () {
        const { starting, begin, output, answerRead, exited, closed } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        const collecting = yield* Effect.forkChild(Stream.runCollect(process.output()))
        output(1)
        output(4)
        const reading = yield* Effect.forkChild(answerRead([2, 3, 4], 5))
        yield* TestClock.adjust(ProcessFollower.gapMillis - 1)
        expect(reading.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        expect(yield* Fiber.join(reading)).toEqual({ processId: "p", afterSeq: 1, maxBytes: partBytes })
        exited(5)
        closed(6)
        expect(textOf(yield* Fiber.join(collecting))).toBe("1 2 3 4 ")
      }),
    ))

  it("reads the exit and the end that no notification brought", () =>
    run(
      Effect.gen(function* () {
        const { starting, begin, output, closed, answerRead } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        output(1)
        closed(4)
        const reading = yield* Effect.forkChild(
          answerRead([3], 5, { exited: true, exitCode: 6, closed: true }),
        )
        yield* TestClock.adjust(ProcessFollower.gapMillis)
        yield* Fiber.join(reading)
        expect(yield* process.exitCode).toBe(6)
        const events = yield* Stream.runCollect(process.events)
        expect(kindsOf(events)).toEqual(["output", "exited", "output", "closed"])
      }),
    ))

  it("does not wait for the missing when no more is held", () =>
    run(
      Effect.gen(function* () {
        const { starting, begin, output, answerRead, exited, closed } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        const numbers = Array.from({ length: 400 }, (_, i) => i + 1)
        for (const seq of numbers.slice(1)) output(seq)
        const collecting = yield* Effect.forkChild(Stream.runCollect(process.output()), {
          startImmediately: true,
        })
        yield* answerRead(numbers, 401)
        // Output that comes while no more is held would be read again.
        yield* settle
        exited(401)
        closed(402)
        expect(textOf(yield* Fiber.join(collecting))).toBe(numbers.map((n) => `${n} `).join(""))
      }),
    ))

  it("fails and terminates the process when what is missing is retained nowhere", () =>
    run(
      Effect.gen(function* () {
        const { peer, client, starting, begin, output, answerRead } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        const collecting = yield* Effect.forkChild(Stream.runCollect(process.events))
        output(1)
        output(9)
        const reading = yield* Effect.forkChild(answerRead([7, 8, 9], 10))
        yield* TestClock.adjust(ProcessFollower.gapMillis)
        yield* Fiber.join(reading)
        expect((yield* peer.request("process/terminate")).params).toEqual({ processId: "p" })
        const events = yield* Fiber.join(collecting)
        const message =
          "failed to recover process p: process events are no longer retained while recovering " +
          "through sequence 9 (2 to 6 are gone)"
        expect(events).toMatchObject([
          { kind: "output", seq: 1 },
          { kind: "failed", message },
        ])
        expect(yield* Effect.flip(process.exitCode)).toMatchObject({ reason: "EventsLost", message })
        expect(yield* process.read()).toMatchObject({ closed: true, failure: message })
        // The id is free again for this client; the server has the last word on it.
        const again = yield* Effect.forkChild(client.start({ argv: ["x"], processId: "p" }))
        yield* peer.request("process/start")
        yield* Fiber.interrupt(again)
      }),
    ))

  it("terminates the process once, however many have waited for what is lost", () =>
    run(
      Effect.gen(function* () {
        const asked: Array<string> = []
        const answer = yield* Deferred.make<never, ClientError>()
        const call = ((method: string) =>
          Effect.suspend(() => {
            asked.push(method)
            return method === "process/read" ? Deferred.await(answer) : Effect.void
          })) as ProcessFollower.Options["call"]
        const flow = FlowControl.make(() => {})
        const fork = yield* ForkIn.inScope
        const rest = { tell: () => Effect.succeed(true), forget: () => {}, buffers: {} }
        const follower = ProcessFollower.make("p", 0, {
          call,
          leaving: "process/terminate",
          flow,
          fork,
          ...rest,
        })
        const resuming = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(follower.resume(false)))
        yield* settle
        yield* Deferred.fail(answer, new ClientError({ reason: "Server", message: "unknown process id p" }))
        yield* Fiber.joinAll(resuming)
        expect(follower.failure()).toMatchObject({ reason: "EventsLost" })
        expect(asked).toEqual(["process/read", "process/terminate"])
      }),
    ))

  it("fails when the server forgets the process before the gap is filled", () =>
    run(
      Effect.gen(function* () {
        const { peer, starting, begin, closed } = yield* scripted
        begin()
        const process = yield* Fiber.join(starting)
        closed(3)
        const failing = yield* Effect.forkChild(Effect.flip(process.closed))
        yield* TestClock.adjust(ProcessFollower.gapMillis)
        const { id } = yield* peer.request("process/read")
        peer.send(`{"id":${String(id)},"error":{"code":-32600,"message":"unknown process id p"}}`)
        expect((yield* Fiber.join(failing)).message).toBe("failed to recover process p: unknown process id p")
      }),
    ))
})
