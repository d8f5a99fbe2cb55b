import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as Outlet from "./Outlet.ts"

const make = () => {
  const sent: Array<string> = []
  const peer = { writable: false }
  const outlet = Outlet.make((message) => {
    sent.push(String(message))
    return peer.writable
  })
  /** One more message of whoever has them, as long as there are any. */
  const turns = (name: string, count: number) => {
    let at = 0
    return () => {
      outlet.write(`${name}${(at += 1)}`)
      return at < count
    }
  }
  return { outlet, peer, sent, turns }
}

describe("Outlet", () => {
  it("gives one turn after the other to all who wait, as long as the peer keeps up", () => {
    const { outlet, peer, sent, turns } = make()
    for (const name of ["a", "b", "c"]) outlet.ask(turns(name, 3))
    expect(sent).toEqual(["a1"])
    outlet.drain()
    expect(sent).toEqual(["a1", "a2"])
    peer.writable = true
    outlet.drain()
    expect(sent).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "c2", "b3", "c3"])
  })

  it("gives none to whoever has left", () => {
    const { outlet, sent, turns } = make()
    const gone = turns("b", 3)
    outlet.ask(turns("a", 2))
    outlet.ask(gone)
    outlet.leave(gone)
    outlet.drain()
    outlet.drain()
    expect(sent).toEqual(["a1", "a2"])
  })

  it(
    "suspends a sender until its turn, and forgets one that is interrupted",
    effect(function* () {
      const { outlet, sent } = make()
      yield* outlet.send("1")
      const second = yield* Effect.fork(outlet.send("2"))
      const third = yield* Effect.fork(outlet.send("3"))
      yield* settle
      expect(sent).toEqual(["1"])
      yield* Fiber.interrupt(second)
      outlet.drain()
      yield* Fiber.join(third)
      expect(sent).toEqual(["1", "3"])
    }),
  )
})
