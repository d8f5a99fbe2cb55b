import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as SlowPeer from "./testing/SlowPeer.ts"

const make = () => {
  const { sender, peer, sent } = SlowPeer.make()
  /** A source of `count` messages. */
  const source = (name: string, count: number) => {
    let at = 0
    return () => {
      sender.write(`${name}${(at += 1)}`)
      return at < count
    }
  }
  return { sender, peer, sent, source }
}

describe("FairSender", () => {
  it("gives each source one turn after the other while the peer keeps up", () => {
    const { sender, peer, sent, source } = make()
    for (const name of ["a", "b", "c"]) sender.enqueue(source(name, 3))
    expect(sent).toEqual(["a1"])
    sender.drain()
    expect(sent).toEqual(["a1", "a2"])
    peer.writable = true
    sender.drain()
    expect(sent).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "c2", "b3", "c3"])
  })

  it("gives no turn to a source that was removed", () => {
    const { sender, sent, source } = make()
    const gone = source("b", 3)
    sender.enqueue(source("a", 2))
    sender.enqueue(gone)
    sender.remove(gone)
    sender.drain()
    sender.drain()
    expect(sent).toEqual(["a1", "a2"])
  })

  it(
    "suspends `send` until its turn, and drops the message of one that is interrupted",
    effect(function* () {
      const { sender, sent } = make()
      yield* sender.send(() => "1")
      const second = yield* Effect.forkChild(sender.send(() => "2"))
      const third = yield* Effect.forkChild(sender.send(() => "3"))
      yield* settle
      expect(sent).toEqual(["1"])
      yield* Fiber.interrupt(second)
      sender.drain()
      yield* Fiber.join(third)
      expect(sent).toEqual(["1", "3"])
    }),
  )
})
