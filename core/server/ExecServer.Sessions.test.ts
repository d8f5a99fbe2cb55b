/** Tests ExecServer.ts: sessions that are detached, resumed and expired. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { error, event, handshake, make, ready, start } from "./testing/Client.ts"

describe("ExecServer sessions", () => {
  it(
    "detaches at a disconnect: children run on, and no event is sent twice",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      child.output("stdout", "1")
      expect((yield* client.received).map(event)).toEqual(["output 1"])
      yield* client.transport.close
      yield* settle
      child.output("stdout", "2")
      child.output("stdout", "3")
      const next = yield* connect
      expect(
        (yield* next.ask("initialize", { clientName: "other", resumeSessionId: sessionId })).result
          ?.sessionId,
      ).toBe(sessionId)
      child.output("stdout", "4")
      expect((yield* next.received).map(event)).toEqual(["output 4"])
      expect(yield* next.ask("process/read", { processId: "p" })).toMatchObject({ error: { code: -32600 } })
      next.send({ method: "initialized" })
      const { result } = yield* next.ask("process/read", { processId: "p", afterSeq: 1 })
      expect(result?.chunks?.map(({ seq }) => seq)).toEqual([2, 3, 4])
      child.finish()
      expect((yield* next.received).map(event)).toEqual(["exited 5", "closed 6"])
    }),
  )

  it(
    "refuses a session that is attached with -32010",
    effect(function* () {
      const { connect, sessionId } = yield* ready()
      const other = yield* connect
      expect(yield* other.ask("initialize", { clientName: "x", resumeSessionId: sessionId })).toMatchObject(
        error(-32010, `session ${sessionId} is already attached to another connection`),
      )
      expect(yield* handshake(other)).not.toBe(sessionId)
    }),
  )

  it(
    "lets one of two racing resumptions win",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      yield* client.transport.close
      yield* settle
      const others = [yield* connect, yield* connect]
      for (const other of others)
        other.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
      const codes = (yield* Effect.all(others.map((other) => other.received))).map(
        ([answer]) => answer?.error?.code,
      )
      expect(codes).toEqual([undefined, -32010])
    }),
  )

  it(
    "can be resumed after a connection that ended in the middle of its resumption",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      yield* client.transport.close
      for (let yields = 0; yields < 12; yields++) {
        const hasty = yield* connect
        hasty.send({ id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } })
        yield* Effect.repeat(Effect.yieldNow, { times: yields })
        yield* hasty.transport.close
        yield* settle
      }
      expect(yield* handshake(yield* connect, sessionId)).toBe(sessionId)
    }),
  )

  it(
    "can be resumed after a protocol violation, and while a read is in flight",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      yield* client.ask("process/start", start("p"))
      client.send(
        { id: 1, method: "process/read", params: { processId: "p", waitMs: 100_000 } },
        { method: "bogus" },
      )
      expect(yield* client.received).toEqual([])
      expect(yield* handshake(yield* connect, sessionId)).toBe(sessionId)
    }),
  )

  it(
    "remembers write ids across a resumption",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const write = { processId: "p", chunk: "eA==", writeId: "w" }
      yield* client.ask("process/write", write)
      yield* client.transport.close
      yield* settle
      const next = yield* connect
      yield* handshake(next, sessionId)
      yield* next.ask("process/write", write)
      expect(fake.children[0]?.written).toBe("x")
    }),
  )

  it(
    "kills the children of a detached session after 80 seconds",
    effect(function* () {
      const { connect, client, sessionId, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      yield* client.transport.close
      yield* pass(79_999)
      expect(fake.children[0]?.released).toBe(false)
      yield* pass(1)
      expect(fake.children[0]?.released).toBe(true)
      expect(
        yield* (yield* connect).ask("initialize", { clientName: "x", resumeSessionId: sessionId }),
      ).toMatchObject(error(-32600, `unknown session id ${sessionId}`))
    }),
  )

  // guards: scopes
  it(
    "invariant 9: closing the server kills every child at once, attached or not",
    effect(function* () {
      for (const attached of [true, false]) {
        const scope = yield* Scope.make()
        const { connect, fake } = yield* Scope.provide(make(), scope)
        const client = yield* connect
        yield* handshake(client)
        yield* client.ask("process/start", start("p"))
        if (!attached) yield* client.transport.close
        yield* settle
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* settle
        expect(closing.pollUnsafe()).toBeDefined()
        expect(fake.children[0]?.released).toBe(true)
      }
    }),
  )

  it(
    "shows no process to another session",
    effect(function* () {
      const { connect, client } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const other = yield* connect
      yield* handshake(other)
      expect(yield* other.ask("process/read", { processId: "p" })).toMatchObject(
        error(-32600, "unknown process id p"),
      )
      expect((yield* other.ask("process/start", start("p"))).error).toBeUndefined()
    }),
  )
})
