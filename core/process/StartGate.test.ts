import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { defaults } from "../protocol/Limits.ts"
import * as StartGate from "./StartGate.ts"

const make = (change: Partial<typeof defaults>) => StartGate.make({ ...defaults, ...change })
const why = (place: ReturnType<StartGate.Places["take"]>) =>
  Result.isFailure(place) ? place.failure.limit : "a place"

describe("StartGate", () => {
  it("counts places of a session and of all, and gives each back once", () => {
    const gate = make({ sessionProcesses: 2, processes: 3 })
    const [a, b] = [gate.open(), gate.open()]
    const first = a.take(0)
    expect([a, a, b, b].map((places) => why(places.take(0)))).toEqual([
      "a place",
      "sessionProcesses",
      "a place",
      "processes",
    ])
    for (let round = 0; round < 3; round++) if (Result.isSuccess(first)) first.success()
    expect(gate.taken()).toBe(2)
    expect(why(b.take(0))).toBe("a place")
    a.close()
    a.close()
    expect(gate.taken()).toBe(2)
  })

  it("lets a burst through, then as many as the rate, and forgets a rest beyond the burst", () => {
    const places = make({ startsPerSecond: 10, startBurst: 3 }).open()
    const taken = (now: number) => Array.from({ length: 10 }, () => why(places.take(now)))
    const passed = (now: number) => taken(now).filter((what) => what === "a place").length
    expect(taken(0).slice(2, 5)).toEqual(["a place", "startsPerSecond", "startsPerSecond"])
    expect([passed(99), passed(100), passed(350), passed(400)]).toEqual([0, 1, 2, 1])
    expect(passed(1_000_000)).toBe(3)
    expect(passed(0)).toBe(0)
  })

  it("takes nothing from the bucket for a start that has no place", () => {
    const gate = make({ sessionProcesses: 1, startsPerSecond: 1, startBurst: 2 })
    const [a, b] = [gate.open(), gate.open()]
    expect([a, a, a, b].map((places) => why(places.take(0)))).toEqual([
      "a place",
      "sessionProcesses",
      "sessionProcesses",
      "a place",
    ])
  })
})
