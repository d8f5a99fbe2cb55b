/** Tests ExecServer.ts: `initialize`, `initialized`, and what comes before them. */
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { error, handshake, make, ready, start } from "./testing/Client.ts"

describe("ExecServer handshake", () => {
  it(
    "answers initialize with a session and the environment, without a jsonrpc member",
    effect(function* () {
      const client = yield* (yield* make()).connect
      const answer = yield* client.ask("initialize", { clientName: "" })
      expect(answer).toMatchObject({
        result: {
          sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          environmentInfo: { shell: { name: "sh" }, cwd: "file:///srv", platformOs: "linux" },
        },
      })
      expect(answer).not.toHaveProperty("jsonrpc")
    }),
  )

  it.each([
    [undefined, "invalid type: null, expected struct InitializeParams"],
    [null, "invalid type: null, expected struct InitializeParams"],
    [{}, "missing field `clientName`"],
    [{ clientName: 5 }, "invalid type: number, expected a string (field `clientName`)"],
  ])("refuses initialize with %j and takes a second one", (params, message) =>
    effect(function* () {
      const client = yield* (yield* make()).connect
      expect(yield* client.ask("initialize", params)).toMatchObject(error(-32602, message))
      expect(yield* client.ask("initialize", { clientName: "x", resumeSessionId: "nope" })).toMatchObject(
        error(-32600, "unknown session id nope"),
      )
      expect(yield* client.ask("initialize", { clientName: "x", resumeSessionId: "" })).toMatchObject(
        error(-32600, "unknown session id "),
      )
      expect((yield* client.ask("initialize", { clientName: "x" })).result).toBeDefined()
      expect(yield* client.ask("initialize", { clientName: "x" })).toMatchObject(
        error(-32600, "initialize may only be sent once per connection"),
      )
    })(),
  )

  it(
    "decodes params before it looks at the state",
    effect(function* () {
      const client = yield* (yield* make()).connect
      expect(yield* client.ask("process/read", {})).toMatchObject(error(-32602, "missing field `processId`"))
    }),
  )

  const requests = [
    ["process/start", start("p"), "exec"],
    ["process/read", { processId: "p" }, "exec"],
    ["process/write", { processId: "p", chunk: "", writeId: "w" }, "exec"],
    ["process/write", { processId: "p", chunk: "", writeId: "" }, "exec"],
    ["process/signal", { processId: "p", signal: "interrupt" }, "exec"],
    ["process/terminate", { processId: "p" }, "exec"],
    ["environment/info", null, "environment info"],
    ["environment/status", {}, "environment status"],
  ] as const

  it.each(requests)("refuses %s before the handshake", (method, params, family) =>
    effect(function* () {
      const { connect, fake } = yield* make()
      const client = yield* connect
      expect(yield* client.ask(method, params)).toMatchObject(
        error(-32600, `client must call initialize before using ${family} methods`),
      )
      yield* client.ask("initialize", { clientName: "x" })
      expect(yield* client.ask(method, params)).toMatchObject(
        error(-32600, `client must send initialized before using ${family} methods`),
      )
      expect(fake.children).toEqual([])
      expect(yield* client.ended).toBe(false)
    })(),
  )

  it(
    "knows no other method, before the handshake and after",
    effect(function* () {
      const client = yield* (yield* make()).connect
      for (const method of ["nope/method", "process/kill", "command/exec", "initialized", "process/output"]) {
        expect(yield* client.ask(method)).toMatchObject(
          error(-32601, `exec-server stub does not implement \`${method}\` yet`),
        )
      }
      yield* handshake(client)
      expect(yield* client.ask("initialized")).toMatchObject({ error: { code: -32601 } })
    }),
  )

  it(
    "takes initialized again and with any params",
    effect(function* () {
      const { client } = yield* ready()
      client.send({ method: "initialized", params: [1] }, { method: "initialized", params: { a: 1 } })
      expect(yield* client.ask("environment/status")).toMatchObject({ result: { status: "ready" } })
    }),
  )

  it.each([1, 4])(
    "takes the whole handshake and a start in one write, with %i requests at once",
    (concurrentRequests) =>
      effect(function* () {
        const { connect } = yield* make({}, { limits: { concurrentRequests } })
        const client = yield* connect
        client.send(
          { id: 1, method: "initialize", params: { clientName: "x" } },
          { method: "initialized" },
          { id: 2, method: "process/start", params: start("p") },
        )
        expect((yield* client.received).map(({ id, error }) => [id, error])).toEqual([
          [1, undefined],
          [2, undefined],
        ])
      })(),
  )

  it(
    "takes a whole resumption in one write",
    effect(function* () {
      const { connect, client, sessionId } = yield* ready()
      yield* client.ask("process/start", start("p"))
      yield* client.transport.close
      yield* settle
      const next = yield* connect
      next.send(
        { id: 1, method: "initialize", params: { clientName: "x", resumeSessionId: sessionId } },
        { method: "initialized" },
        { id: 2, method: "process/read", params: { processId: "p" } },
      )
      expect(yield* next.received).toMatchObject([
        { id: 1, result: { sessionId } },
        { id: 2, result: { nextSeq: 1 } },
      ])
    }),
  )

  it.each([
    [{ method: "initialized" }],
    [{ method: "bogus" }],
    [{ method: "process/read", params: { processId: "p" } }],
    [{ method: "initialize", params: { clientName: "x" } }],
    [{ id: 5, result: {} }],
    [{ id: 5, error: { code: 1, message: "x" } }],
  ])("ends a new connection without an answer after %j", (message) =>
    effect(function* () {
      const client = yield* (yield* make()).connect
      client.send(message, { id: 1, method: "environment/status" })
      expect(yield* client.received).toEqual([])
      expect(yield* client.ended).toBe(true)
    })(),
  )

  it(
    "does not take initialized behind an initialize that failed",
    effect(function* () {
      const client = yield* (yield* make()).connect
      client.send({ id: 1, method: "initialize" }, { method: "initialized" })
      expect(yield* client.ended).toBe(false)
      yield* client.received
      expect(yield* client.ended).toBe(true)
    }),
  )
})
