/** A client and the real server over a connection that is cut at random moments: no byte is lost or doubled. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { connected, running } from "../testing/NetworkClient.ts"

/** Cuts a connection at moments that a seed decides, under three children with readers of three speeds. */
const play = (seed: number, replays: boolean) =>
  Effect.gen(function* () {
    const limits = { retainedBytes: 64 * 1024 * 1024 }
    const { client, fake, network } = yield* connected({ replays }, {}, { limits })
    const below = (most: number) => Random.nextIntBetween(0, most - 1)
    const printed: Array<Array<Buffer>> = [[], [], []]
    const readings = []
    for (const [speed] of printed.entries()) {
      const process = yield* client.start({ argv: ["x"] })
      const pause = [Effect.void, Effect.yieldNow, Effect.sleep(300)][speed] ?? Effect.void
      let chunk = 0
      const slowly = Stream.tap(process.output(), () => ((chunk += 1) % 20 === 0 ? pause : Effect.void))
      readings.push(yield* Effect.forkChild(Stream.runCollect(slowly)))
    }
    let cuts = 0
    for (let step = 0; step < 250; step++) {
      for (const [n, child] of fake.children.entries()) {
        for (let count = yield* below(4); count > 0 && !child.paused; count--) {
          const bytes = Buffer.alloc(yield* below(n === 0 ? 40_000 : 400), (yield* below(256)) || 1)
          printed[n]?.push(bytes)
          child.output(n === 1 ? "stderr" : "stdout", bytes)
          if ((yield* below(3)) === 0) yield* Effect.yieldNow
        }
      }
      const dice = yield* below(10)
      if (dice === 0) {
        cuts += 1
        yield* network.cut
      }
      if (dice === 1) yield* settle
      if (dice > 7) yield* pass(yield* below(150))
    }
    for (const child of fake.children) child.finish(9)
    // Messages of the network are no sleeps: a longer step does not wait for them.
    for (let second = 0; second < 120 && readings.some((one) => one.pollUnsafe() === undefined); second++)
      yield* pass(1_000)
    for (const [n, reading] of readings.entries()) {
      const read = Buffer.concat(yield* Fiber.join(reading))
      const wanted = Buffer.concat(printed[n] ?? [])
      expect([seed, n, read.length, read.equals(wanted)]).toEqual([seed, n, wanted.length, true])
    }
    return cuts
  }).pipe(Random.withSeed(seed))

describe("a connection that is cut again and again", () => {
  it.each([true, false])(
    "costs no byte and doubles none while the ring holds them, with replays %s",
    (replays) =>
      effect(function* () {
        let cuts = 0
        for (let seed = 1; seed <= 4; seed++) cuts += yield* Effect.scoped(play(seed, replays))
        expect(cuts).toBeGreaterThan(60)
      })(),
  )
})

describe("connections that are lost after little", () => {
  it(
    "bring what a large ring holds, a part on each",
    effect(function* () {
      const limits = { retainedBytes: 64 * 1024 * 1024 }
      const { client, fake, network } = yield* connected({ replays: false }, {}, { limits })
      const [change, mostChars] = [network.toClient, 4 * 1024 * 1024]
      let carried = 0
      network.toClient = (text) => ((carried += text.length) > mostChars ? undefined : change(text))
      const untilDone = (reading: Fiber.Fiber<ReadonlyArray<Uint8Array>, unknown>) =>
        Effect.gen(function* () {
          let cuts = 0
          while (cuts < 40 && (yield* running(reading))) {
            carried = 0
            cuts += 1
            yield* network.cut
            yield* pass(200)
          }
          expect(cuts).toBeGreaterThan(3)
          expect(cuts).toBeLessThan(40)
          return Buffer.concat(yield* Fiber.join(reading))
        })
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const reading = yield* Effect.forkChild(Stream.runCollect(process.output()))
      yield* settle
      yield* network.cut
      const bytes = Buffer.from(Array.from({ length: 16 * 1024 * 1024 }, (_, n) => n >> 12))
      for (let at = 0; at < bytes.length; at += 65_000)
        child.output("stdout", bytes.subarray(at, at + 65_000))
      child.finish()
      expect((yield* untilDone(reading)).equals(bytes)).toBe(true)
      const late = yield* Effect.forkChild(Stream.runCollect(process.output()))
      expect((yield* untilDone(late)).equals(bytes)).toBe(true)
    }),
  )
})
