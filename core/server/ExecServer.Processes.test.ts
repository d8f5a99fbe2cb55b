/** Tests ExecServer.ts: the `process/` requests and notifications of one connection. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { error, event, handshake, ready, start } from "./testing/Client.ts"
import { SpawnError } from "../spawn/SpawnError.ts"

const gone = new SpawnError({ reason: "NotFound", message: "No such file or directory (os error 2)" })

describe("ExecServer processes", () => {
  // guards: order
  it(
    "invariant 2: answers a start before the notifications of that process, even if the child wrote before",
    effect(function* () {
      const { client } = yield* ready({
        script: (child) =>
          Effect.sync(() => {
            child.output("stdout", "hi\n")
            child.output("stderr", "err\n")
            child.finish(3)
          }),
      })
      client.send({ id: 1, method: "process/start", params: start("p") })
      expect(yield* client.received).toEqual([
        { id: 1, result: { processId: "p", sandboxType: "none" } },
        { method: "process/output", params: { processId: "p", seq: 1, stream: "stdout", chunk: "aGkK" } },
        { method: "process/output", params: { processId: "p", seq: 2, stream: "stderr", chunk: "ZXJyCg==" } },
        { method: "process/exited", params: { processId: "p", seq: 3, exitCode: 3, sandboxDenied: false } },
        { method: "process/closed", params: { processId: "p", seq: 4 } },
      ])
      expect(yield* client.ask("process/read", { processId: "p" })).toMatchObject({
        result: { nextSeq: 5, exited: true, exitCode: 3, closed: true, failure: null, sandboxDenied: false },
      })
    }),
  )

  it(
    "loses nothing of a child that writes megabytes before its start is answered",
    effect(function* () {
      const { client } = yield* ready({
        script: (child) =>
          Effect.sync(() => {
            for (let index = 0; index < 60; index++) child.output("stdout", new Uint8Array(64 * 1024))
            child.finish(0)
          }),
      })
      client.send({ id: 1, method: "process/start", params: start("p") })
      const messages = yield* client.received
      expect(messages.length).toBe(63)
      expect(messages[0]).toMatchObject({ id: 1 })
      expect(messages.slice(1).map(({ params }) => params?.seq)).toEqual(
        Array.from({ length: 62 }, (_, index) => index + 1),
      )
    }),
  )

  it(
    "frees an id whose spawn failed, and notifies nothing",
    effect(function* () {
      let refuse = true
      const { client } = yield* ready({ beforeSpawn: () => (refuse ? Effect.fail(gone) : Effect.void) })
      const { error } = yield* client.ask("process/start", start("p"))
      expect(error).toEqual({ code: -32603, data: { kind: "spawnNotFound" }, message: gone.message })
      refuse = false
      expect((yield* client.ask("process/start", start("p"))).error).toBeUndefined()
    }),
  )

  it(
    "checks the directory, then the sandbox, then argv, then the id",
    effect(function* () {
      const { client } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const refusal = (change: object) =>
        Effect.map(
          client.ask("process/start", start("p", change)),
          ({ error }) => `${error?.code} ${error?.message}`,
        )
      expect(yield* refusal({ argv: [], cwd: "tmp" })).toBe("-32602 invalid URI: relative URL without a base")
      expect(yield* refusal({ argv: [], cwd: "file:///C:/x" })).toBe(
        "-32602 cwd URI `file:///C:/x` is not valid on this exec-server host: 'file:///C:/x' is invalid on 'linux'",
      )
      expect(yield* refusal({ argv: [] })).toBe("-32602 argv must not be empty")
      expect(yield* refusal({})).toBe("-32600 process p already exists")
    }),
  )

  it(
    "takes a native path for the directory and ids of any kind",
    effect(function* () {
      const { client, fake } = yield* ready()
      for (const id of ["", 'a"b\né', "x".repeat(5000)]) {
        expect(yield* client.ask("process/start", start(id, { cwd: "/tmp/../usr/" }))).toMatchObject({
          result: { processId: id },
        })
        expect(yield* client.ask("process/start", start(id))).toMatchObject(
          error(-32600, `process ${id} already exists`),
        )
      }
      expect(fake.children[0]?.spec.cwd).toBe("/usr")
    }),
  )

  it(
    "refuses an empty writeId before it looks at the process",
    effect(function* () {
      const { client } = yield* ready()
      expect(yield* client.ask("process/write", { processId: "nope", chunk: "", writeId: "" })).toMatchObject(
        error(-32602, "writeId must not be empty"),
      )
      expect(yield* client.ask("process/write", { processId: "nope", chunk: "" })).toMatchObject({
        result: { status: "unknownProcess" },
      })
    }),
  )

  it(
    "fails a write after terminate",
    effect(function* () {
      const { client, fake } = yield* ready()
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      child.mortal = false
      expect(yield* client.ask("process/terminate", { processId: "p" })).toMatchObject({
        result: { running: true },
      })
      expect(yield* client.ask("process/write", { processId: "p", chunk: "", writeId: "w" })).toMatchObject(
        error(-32603, "failed to write to process stdin"),
      )
    }),
  )

  it(
    "runs a pipeline on one id in its order, with one request at a time and with many",
    effect(function* () {
      for (const concurrentRequests of [1, 1024]) {
        const gate = yield* Deferred.make<void>()
        const { client, fake } = yield* ready(
          { beforeSpawn: () => Deferred.await(gate) },
          { limits: { concurrentRequests } },
        )
        client.send({ id: 0, method: "process/start", params: start("p") })
        for (let id = 1; id <= 5; id++) {
          client.send({
            id,
            method: "process/write",
            params: { processId: "p", chunk: btoa(`${id}`), writeId: `${id}` },
          })
        }
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        expect((yield* client.received).map(({ id, error }) => [id, error])).toEqual(
          [0, 1, 2, 3, 4, 5].map((id) => [id, undefined]),
        )
        expect(fake.children[0]?.written).toBe("12345")
      }
    }),
  )

  it(
    "cancels a start by terminate",
    effect(function* () {
      const { client } = yield* ready({ beforeSpawn: () => Effect.never })
      client.send(
        { id: 1, method: "process/start", params: start("p") },
        { id: 2, method: "process/terminate", params: { processId: "p" } },
      )
      expect(yield* client.received).toEqual(
        [
          { id: 1, error: { code: -32600, message: "process p start was cancelled" } },
          { id: 2, result: { running: true } },
        ].map((answer) => expect.objectContaining(answer) as object),
      )
    }),
  )

  it(
    "completes a start whose connection has ended, and sends its events to the next one",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { client, connect, sessionId, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
      client.send({ id: 1, method: "process/start", params: start("p") })
      yield* settle
      yield* client.transport.close
      yield* settle
      const next = yield* connect
      yield* handshake(next, sessionId)
      yield* Deferred.succeed(gate, undefined)
      const child = yield* fake.next
      child.output("stdout", "x")
      child.finish()
      expect((yield* next.received).map(event)).toEqual(["output 1", "exited 2", "closed 3"])
      expect(yield* next.ask("process/start", start("p"))).toMatchObject(
        error(-32600, "process p already exists"),
      )
    }),
  )

  it(
    "does not stall a child whose client has disconnected during the start",
    effect(function* () {
      const gate = yield* Deferred.make<void>()
      const { client, fake } = yield* ready({ beforeSpawn: () => Deferred.await(gate) })
      client.send({ id: 1, method: "process/start", params: start("p") })
      yield* settle
      yield* client.transport.close
      yield* settle
      yield* Deferred.succeed(gate, undefined)
      const child = yield* fake.next
      yield* settle
      for (let index = 0; index < 100; index++) child.output("stdout", new Uint8Array(64 * 1024))
      expect(child.paused).toBe(false)
    }),
  )
})
