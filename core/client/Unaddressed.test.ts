import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as ExecClient from "./ExecClient.ts"

const scripted = Effect.gen(function* () {
  const peer = yield* ScriptedPeer.make
  const making = yield* Effect.forkChild(ExecClient.make(peer.transport))
  yield* peer.handshake
  return { peer, client: yield* Fiber.join(making) }
})

const asked = (client: ExecClient.ExecClient, processId: string) =>
  Effect.forkChild(Effect.result(client.call("process/read", { processId })))

const answers = [
  ["null", '{"error":{"code":-32600,"message":"not understood"},"id":null}'],
  ["-1", '{"error":{"code":-32600,"message":"not understood"},"id":-1}'],
  ["missing", '{"error":{"code":-32600,"message":"not understood"}}'],
] as const

describe("an error whose id is", () => {
  it.each(answers)("%s fails the only request that waits, and the connection goes on", (_, answer) =>
    effect(function* () {
      const { peer, client } = yield* scripted
      const waiting = yield* asked(client, "a")
      yield* peer.request("process/read")
      peer.send(answer)
      expect(yield* Fiber.join(waiting)).toMatchObject({
        failure: { reason: "Server", code: -32600, message: "not understood" },
      })
      const next = yield* Effect.forkChild(client.call("environment/status", {}))
      peer.reply((yield* peer.request("environment/status")).id, { status: "ready" })
      expect(yield* Fiber.join(next)).toEqual({ status: "ready" })
    })(),
  )

  it.each(answers)("%s is logged where several requests wait, and fails none", (_, answer) =>
    effect(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
      const { peer, client } = yield* Effect.provide(scripted, logger)
      const waiting = [yield* asked(client, "a"), yield* asked(client, "b")]
      yield* peer.request("process/read")
      yield* peer.request("process/read")
      peer.send(answer)
      yield* settle
      expect(lines.flat()).toEqual(["the server has sent an error of no request: not understood (-32600)"])
      for (const fiber of waiting) expect(fiber.pollUnsafe()).toBeUndefined()
      for (const fiber of waiting) yield* Fiber.interrupt(fiber)
    })(),
  )
})

describe("half a character", () => {
  it(
    "in an answer of the server ends nothing",
    effect(function* () {
      const { peer, client } = yield* scripted
      const waiting = yield* asked(client, "a")
      const { id } = yield* peer.request("process/read")
      peer.send(`{"error":{"code":-32600,"message":"no \\ud83d"},"id":${String(id)}}`)
      expect(yield* Fiber.join(waiting)).toMatchObject({ failure: { code: -32600, message: "no \ud83d" } })
    }),
  )

  it(
    "in a request is refused with the id of that",
    effect(function* () {
      const server = yield* TestServer.make()
      const wire = yield* server.connect
      wire.write('{"id":"x","method":"process/read","params":{"processId":"\\ud83d"}}')
      wire.write('{"method":"initialized","params":{"processId":"\\ud83d"}}')
      yield* settle
      const texts = (yield* wire.incoming.takeAll)[0]
      expect(texts.map((text) => JSON.parse(String(text)))).toEqual(
        ["x", -1].map((id) => ({
          id,
          error: {
            code: -32600,
            message: expect.stringContaining("unexpected end of hex escape at line 1 column"),
          },
        })),
      )
    }),
  )
})
