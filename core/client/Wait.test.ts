/** `wait` of a process, as effects and as promises: over a lost connection, given up, and with options that there are not. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected } from "../testing/NetworkClient.ts"
import * as Client from "./Client.ts"

const started = Effect.gen(function* () {
  const made = yield* connected()
  const process = yield* made.client.start({ argv: ["x"], processId: "p" })
  return { ...made, process, child: yield* made.fake.next }
})

describe("wait", () => {
  it(
    "tells which condition came true, with its evidence and the output",
    effect(function* () {
      const { process, child } = yield* started
      const wait = yield* Effect.forkChild(
        process.wait({ until: [{ exit: true }, { pattern: "READY", flags: "i" }] }),
      )
      yield* settle
      child.output("stdout", "ready")
      const { met, evidence, head, nextSeq } = yield* Fiber.join(wait)
      expect({ met, text: evidence?.match?.text, nextSeq }).toEqual({ met: 1, text: "ready", nextSeq: 2 })
      expect(head.map(({ chunk }) => String.fromCharCode(...chunk))).toEqual(["ready"])
    }),
  )

  it(
    "goes on over a lost connection, and misses nothing meanwhile",
    effect(function* () {
      const { process, child, network } = yield* started
      const wait = yield* Effect.forkChild(process.wait({ until: [{ pattern: "ready" }], timeoutMs: 60_000 }))
      yield* settle
      yield* network.cut
      child.output("stdout", "ready")
      yield* pass(3000)
      expect(yield* Fiber.join(wait)).toMatchObject({ met: 0 })
    }),
  )

  it(
    "refuses options that there are not, and says why the server refuses a condition",
    effect(function* () {
      const { process } = yield* started
      const wrong = { until: [{ exit: true }], timeout: 5 }
      expect(yield* Effect.flip(process.wait(wrong))).toMatchObject({
        reason: "InvalidOption",
        message: expect.stringContaining("wait has no option 'timeout'") as string,
      })
      expect(yield* Effect.flip(process.wait({ until: [{ exit: true }, { pattern: "a(b" }] }))).toMatchObject(
        {
          reason: "Server",
          code: -32602,
          message: 'until[1]: pattern "a(b" cannot be used, at position 1: there is no ) for this (',
        },
      )
    }),
  )

  it(
    "can be given up as a promise",
    effect(function* () {
      const { client } = yield* started
      const face = Client.fromEffect(client, Effect.void)
      const process = yield* Effect.promise(() => face.start({ argv: ["y"] }))
      const controller = new AbortController()
      const given = process.wait({ until: [{ exit: true }] }, { signal: controller.signal })
      controller.abort(new Error("enough"))
      yield* Effect.promise(() => expect(given).rejects.toThrow("enough"))
    }),
  )
})
