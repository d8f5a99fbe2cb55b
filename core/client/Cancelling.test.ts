/** Tests Connector.ts: calls that are given up are cancelled on the server. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as FakeHttp from "../http/Fake.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, running, soon } from "../testing/NetworkClient.ts"

const polling = { afterSeq: 0, waitMs: 600_000 }

interface Sent {
  readonly id?: number
  readonly method: string
  readonly params: { readonly id?: number }
}

/** The ids of the requests of a method, and those that were cancelled. */
const idsOf = (sent: ReadonlyArray<string>, method: string) => {
  const messages = sent.map((text) => JSON.parse(text) as Sent)
  return {
    asked: messages.flatMap((message) => (message.method === method ? [message.id] : [])),
    cancelled: messages.flatMap((message) =>
      message.method === "request/cancel" ? [message.params.id] : [],
    ),
  }
}

/** A client that follows one silent process. */
const polls = (...options: Parameters<typeof connected>) =>
  Effect.gen(function* () {
    const made = yield* connected(...options)
    const process = yield* made.client.start({ argv: ["x"] })
    return { ...made, process, child: yield* made.fake.next }
  })

describe("a call that is given up", () => {
  it(
    "is cancelled on the server, which has its slot back at once",
    effect(function* () {
      const { network, process } = yield* polls({}, {}, { limits: { concurrentRequests: 2 } })
      const [first, second] = [process.read(polling), process.read(polling)]
      const fibers = yield* Effect.all([first, second].map((read) => Effect.forkChild(read)))
      const next = yield* Effect.forkChild(process.read({ afterSeq: 0 }))
      yield* settle
      expect(yield* running(next)).toBe(true)
      for (const fiber of fibers) yield* Fiber.interrupt(fiber)
      yield* settle
      const { asked, cancelled } = idsOf(network.sent, "process/read")
      expect(cancelled).toEqual(asked.slice(0, 2))
      expect((yield* Fiber.join(next)).chunks).toEqual([])
    }),
  )

  it(
    "is cancelled after its time, whatever method of the table it is that can be cancelled",
    effect(function* () {
      let ended = 0
      const answer = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => (ended += 1)))
      const { client, network } = yield* polls({}, {}, { answer })
      const url = "http://a.example/"
      const calls = [
        Effect.asVoid(client.http.request({ url })),
        Effect.asVoid(client.call("http/request", { method: "GET", url, requestId: "r" })),
        Effect.asVoid(Effect.scoped(client.http.stream({ url }))),
      ]
      const late = yield* Effect.forkChild(
        Effect.all(
          calls.map((call) => Effect.timeoutOption(call, 1000)),
          all,
        ),
      )
      yield* pass(1000)
      expect((yield* Fiber.join(late)).map(({ _tag }) => _tag)).toEqual(["None", "None", "None"])
      const { asked, cancelled } = idsOf(network.sent, "http/request")
      expect([...cancelled].sort()).toEqual(asked)
      yield* settle
      expect(ended).toBe(3)
    }),
  )

  it(
    "is not cancelled where it has its answer, could be half done, or the server announces nothing",
    effect(function* () {
      const { network, process, child } = yield* polls()
      yield* Fiber.interrupt(yield* Effect.forkChild(process.read({ afterSeq: 0 })))
      const answered = yield* Effect.forkChild(process.read(polling))
      const write = yield* Effect.forkChild(process.write(new Uint8Array(1)))
      yield* settle
      child.output("stdout", "x")
      yield* settle
      yield* Fiber.interrupt(answered)
      yield* Fiber.interrupt(write)
      expect(idsOf(network.sent, "process/read").cancelled).toEqual([])

      const other = yield* polls({ cancels: false })
      const reading = yield* Effect.forkChild(other.process.read(polling))
      yield* settle
      yield* Fiber.interrupt(reading)
      yield* settle
      expect(idsOf(other.network.sent, "process/read")).toMatchObject({
        asked: [expect.anything()],
        cancelled: [],
      })
    }),
  )

  it(
    "is cancelled behind its head where it is a streamed body that is dropped, and not where that has ended",
    effect(function* () {
      let open = 0
      const origin = Effect.acquireRelease(
        Effect.sync(() => (open += 1)),
        () => Effect.sync(() => (open -= 1)),
      )
      const answer: FakeHttp.Answer = ({ url }) =>
        url.endsWith("/whole")
          ? Effect.succeed(FakeHttp.response(200, {}, [Uint8Array.of(1)]))
          : Effect.as(origin, { ...FakeHttp.response(200), read: Effect.never })
      const streamed = (url: string, cancels: boolean) =>
        Effect.gen(function* () {
          const { client, network } = yield* polls({ cancels }, {}, { answer })
          const scope = yield* Scope.make()
          const { next } = yield* Scope.provide(client.http.stream({ url }), scope)
          if (url.endsWith("/whole")) while ((yield* next) !== undefined);
          yield* Scope.close(scope, Exit.void)
          yield* settle
          const { asked, cancelled } = idsOf(network.sent, "http/request")
          expect(asked).toHaveLength(1)
          return cancelled.length
        })
      expect(yield* streamed("http://a.example/endless", true)).toBe(1)
      expect(open).toBe(0)
      expect(yield* streamed("http://a.example/whole", true)).toBe(0)
      expect(yield* streamed("http://a.example/endless", false)).toBe(0)
      expect(open).toBe(1)
    }),
  )

  it(
    "is cancelled on the connection that it was sent on last, and on none while there is none",
    effect(function* () {
      const { network, process, child } = yield* polls()
      const first = yield* Effect.forkChild(process.read(polling))
      const second = yield* Effect.forkChild(process.read(polling))
      yield* settle
      network.reachable = false
      yield* network.cut
      yield* settle
      yield* Fiber.interrupt(first)
      network.reachable = true
      yield* pass(10 * soon)
      expect(network.attempts.length).toBeGreaterThan(1)
      expect(idsOf(network.sent, "process/read").cancelled).toEqual([])
      const before = network.sent.length
      yield* Fiber.interrupt(second)
      yield* settle
      const { asked, cancelled } = idsOf(network.sent, "process/read")
      expect(asked.length).toBeGreaterThan(2)
      expect(network.sent.slice(before)).toHaveLength(1)
      expect(cancelled).toEqual(asked.slice(-1))
      child.output("stdout", "x")
      yield* settle
      expect((yield* process.read({ afterSeq: 0 })).chunks).toHaveLength(1)
    }),
  )
})

const all = { concurrency: "unbounded" } as const
