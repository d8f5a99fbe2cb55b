/** Tests Attaching.ts: `attach` with a target, with another client that owns the process. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { soon } from "../testing/NetworkClient.ts"
import { TestNetwork } from "../testing/TestNetwork.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as Client from "./Client.ts"
import * as ExecClient from "./ExecClient.ts"
import type { ProcessEvent } from "./ProcessEvent.ts"

/** An owner, and another client over a network that can fail. */
const two = (settings: TestServer.Settings = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make({}, { scope: "control", ...settings })
    const owner = yield* ExecClient.make(server.connect)
    const network = new TestNetwork(server, yield* Effect.scope)
    const other = yield* ExecClient.make(network.open, { reconnect: {} })
    return { owner, other, network, fake: server.fake }
  })

const brief = (event: ProcessEvent) => {
  switch (event.kind) {
    case "output":
      return `${event.seq} ${String.fromCharCode(...event.bytes.subarray(0, 8))}`
    case "gap":
      return `${event.from}-${event.seq} gone`
    case "failed":
      return `${event.reason}: ${event.message}`
    default:
      return `${event.seq} ${event.kind}`
  }
}

const briefs = (events: Stream.Stream<ProcessEvent>) =>
  Effect.map(Stream.runCollect(events), (all) => all.map(brief))

describe("attach with a target", () => {
  it(
    "gives the usual process: events, exit code and calls",
    effect(function* () {
      const { owner, other, fake } = yield* two()
      yield* owner.start({ argv: ["x"], name: "web", tty: true })
      const child = yield* fake.next
      child.output("pty", "one")
      const process = yield* other.attach({ name: "web" })
      expect([process.id, process.attachment?.process.session]).toEqual(["@web", 1])
      const reading = yield* Effect.forkChild(briefs(process.events))
      yield* settle
      child.output("pty", "two")
      child.finish(4)
      expect(yield* Fiber.join(reading)).toEqual(["1 one", "2 two", "3 exited", "4 closed"])
      expect(yield* process.exitCode).toBe(4)
      expect((yield* process.read()).chunks.length).toBe(2)
    }),
  )

  it(
    "tells each client whether it writes, and lets one take the role",
    effect(function* () {
      const { owner, other, fake } = yield* two()
      const mine = yield* owner.start({ argv: ["x"], processId: "p", pipeStdin: true })
      const child = yield* fake.next
      const process = yield* other.attach({ session: 1, processId: "p" })
      const roles = [mine, process].map(({ writing }) => Effect.forkChild(Stream.runCollect(writing)))
      const [ofMine, ofOther] = [yield* roles[0]!, yield* roles[1]!]
      yield* settle
      const error = yield* Effect.flip(process.write(new Uint8Array(1)))
      expect([error.reason, error.message]).toEqual([
        "Server",
        '@p is attached as a viewer: attach as the writer, by process/attach with role "writer"',
      ])
      yield* other.call("process/attach", {
        session: 1,
        processId: "p",
        as: "@p",
        role: "writer",
        take: true,
      })
      yield* settle
      yield* process.write(Uint8Array.of(65))
      expect(child.written).toBe("A")
      expect((yield* Effect.flip(mine.write(new Uint8Array(1)))).reason).toBe("Server")
      yield* process.detach
      yield* settle
      yield* mine.write(Uint8Array.of(66))
      child.finish(0)
      expect(yield* Fiber.join(ofMine)).toEqual([true, false, true])
      expect(yield* Fiber.join(ofOther)).toEqual([false, true])
    }),
  )

  it(
    "tells what it has missed, to a consumer that comes later too",
    effect(function* () {
      const { owner, other, fake, network } = yield* two({ limits: { retainedBytes: 65_536 } })
      yield* owner.start({ argv: ["x"], processId: "p", credit: null })
      const child = yield* fake.next
      const process = yield* other.attach({ session: 1, processId: "p" })
      const reading = yield* Effect.forkChild(briefs(process.events))
      yield* settle
      child.output("stdout", "first")
      yield* settle
      network.reachable = false
      yield* network.cut
      for (let at = 0; at < 5; at++) child.output("stdout", "x".repeat(65_536))
      network.reachable = true
      yield* pass(soon)
      child.finish(0)
      yield* settle
      const expected = ["1 first", "2-5 gone", "6 xxxxxxxx", "7 exited", "8 closed"]
      expect(yield* Fiber.join(reading)).toEqual(expected)
      expect(yield* briefs(process.events)).toEqual(expected)
    }),
  )

  it(
    "attaches again on the next connection, as the writer if nobody else is that by then",
    effect(function* () {
      const { owner, other, fake, network } = yield* two()
      yield* owner.start({ argv: ["x"], processId: "p", pipeStdin: true })
      const child = yield* fake.next
      const process = yield* other.attach({ session: 1, processId: "p" }, 0, { role: "writer", take: true })
      const [events, roles] = [
        yield* Effect.forkChild(briefs(process.events)),
        yield* Effect.forkChild(Stream.runCollect(process.writing)),
      ]
      yield* settle
      child.output("stdout", "1")
      yield* settle
      yield* network.cut
      child.output("stdout", "2")
      yield* pass(soon)
      child.output("stdout", "3")
      child.finish(0)
      expect(yield* Fiber.join(events)).toEqual(["1 1", "2 2", "3 3", "4 exited", "5 closed"])
      // Its owner is there, and has had the role back.
      expect(yield* Fiber.join(roles)).toEqual([true, false])
    }),
  )

  const take = (other: ExecClient.ExecClient, session: { readonly sessionId: string }) =>
    other.call("process/attach", { ...session, processId: "p", as: "p9", role: "writer", take: true })
  const leave = (other: ExecClient.ExecClient) => other.call("process/detach", { processId: "p9" })
  for (const [when, before, away, back, writes] of [
    ["taken before", [take], [], [], false],
    ["taken while it was away", [], [take], [], false],
    ["taken before, and left while it was away", [take], [leave], [], true],
    ["taken and left while it was away", [], [take, leave], [], true],
    ["taken behind the resume", [], [], [take], false],
    ["taken while it was away, and left behind the resume", [], [take], [leave], true],
  ] as const)
    it(
      `knows its role at a process of a session that it resumes, ${when}`,
      effect(function* () {
        const server = yield* TestServer.make({}, { scope: "control" })
        const other = yield* ExecClient.make(server.connect)
        const own = yield* Scope.make()
        const first = yield* Scope.provide(ExecClient.make(server.connect), own)
        const target = { sessionId: first.sessionId }
        yield* first.start({ argv: ["x"], processId: "p", pipeStdin: true })
        for (const step of before) yield* step(other, target)
        yield* Scope.close(own, Exit.void)
        yield* settle
        for (const step of away) yield* step(other, target)
        const next = yield* ExecClient.make(server.connect, { resumeSessionId: first.sessionId })
        for (const step of back) yield* step(other, target)
        yield* settle
        const process = yield* next.attach("p")
        const roles = yield* process.subscribeWriting
        expect(yield* roles.next).toBe(writes)
        yield* (writes ? take : leave)(other, target)
        expect(yield* roles.next).toBe(!writes)
      }),
    )

  it(
    "ends in `failed` when it leaves, and when the process is removed",
    effect(function* () {
      const { owner, other, fake } = yield* two()
      yield* owner.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      const first = yield* other.attach({ session: 1, processId: "p" })
      yield* first.detach
      yield* first.detach
      expect(yield* briefs(first.events)).toEqual([
        "Detached: @p is detached from its process: this client has left it",
      ])
      expect(child.kills).toBe(0)
      const second = yield* other.attach({ session: 1, processId: "p" })
      const reading = yield* Effect.forkChild(briefs(second.events))
      yield* settle
      yield* owner.call("process/terminate", { processId: "p", remove: true })
      expect((yield* Fiber.join(reading)).at(-1)).toBe("2 closed")
    }),
  )

  it(
    "gives two attachments ids of their own, and refuses what cannot be",
    effect(function* () {
      const { owner, other } = yield* two()
      yield* owner.start({ argv: ["x"], processId: "p" })
      const target = { session: 1, processId: "p" }
      const ids = [yield* other.attach(target), yield* other.attach(target)].map(({ id }) => id)
      expect(ids).toEqual(["@p", "@p-2"])
      const messages = []
      for (const attempt of [
        other.attach("p", 0, { role: "writer" }),
        other.attach({ ...target, proces: "p" } as never),
        other.attach(target, 0, { rolle: "writer" } as never),
        other.attach({ session: 1, processId: "gone" }),
        (yield* owner.start({ argv: ["y"], processId: "q" })).detach,
      ])
        messages.push((yield* Effect.flip(attempt as Effect.Effect<unknown, { message: string }>)).message)
      expect(messages).toEqual([
        'role needs a target: attach({ processId: "p" }, …)',
        "the target of attach has no option 'proces': did you mean 'processId'?",
        "attach has no option 'rolle': did you mean 'role'?",
        "unknown process id gone",
        "process q is no attachment: this client has started it, or its session is its own",
      ])
    }),
  )

  it(
    "is there as promises, and `await using` leaves the process",
    effect(function* () {
      const { owner, other, fake } = yield* two()
      yield* owner.start({ argv: ["x"], processId: "p" })
      const child = yield* fake.next
      const client = Client.fromEffect(other, Effect.void)
      yield* Effect.promise(async () => {
        await using process = await client.attach({ session: 1, processId: "p" }, 0, {
          role: "writer",
          take: true,
        })
        expect(process.attachment?.process.processId).toBe("p")
        for await (const writes of process.writing()) {
          expect(writes).toBe(true)
          break
        }
      })
      expect(child.kills).toBe(0)
    }),
  )
})
