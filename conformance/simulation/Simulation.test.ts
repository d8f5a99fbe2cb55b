import { describe, expect, it } from "vitest"
import { Memory } from "./World.ts"
import * as Mix from "./Mix.ts"
import * as PlanMaker from "./PlanMaker.ts"
import * as Report from "./Report.ts"
import { play } from "./Simulation.ts"

describe("the simulation", () => {
  it("plays a plan the same way each time", () => {
    const digests = [1, 2].map(() => play(PlanMaker.make(7, 20_000)).digest)
    expect(digests[0]).toBe(digests[1])
  })

  it("plays waits, drills and records beside everything else", () => {
    const { outcome, text } = Report.ofSeed(5, 60_000, new Set(Mix.names))
    expect(outcome.violation, text).toBeUndefined()
  })

  it.each(Mix.names)("plays %s alone", (name) => {
    const played = Report.ofSeed(11, 60_000, new Set([name]))
    expect(played.outcome.violation, played.text).toBeUndefined()
  })

  it("names a buffer that exceeds its bound, its size and the bound, and forgets those that are over", () => {
    const memory = new Memory()
    let size: number | undefined = 10
    memory.service.made?.({ name: "a log", size: () => size, bound: () => 10 })
    expect(memory.excess).toBeUndefined()
    size = 11
    expect(memory.excess).toBe("a log: 11 of 10")
    size = undefined
    expect(memory.excess).toBeUndefined()
    size = 11
    expect(memory.excess).toBeUndefined()
  })

  it("finds a server that is dead for a client, and tells the shortest way to it", () => {
    const plan = PlanMaker.make(1, 20_000)
    const clients = plan.clients.map((client) => ({
      ...client,
      processes: client.processes.map((process) => ({
        ...process,
        script: { ...process.script, acts: [], killed: { ...process.script.killed, millis: 10 ** 9 } },
      })),
    }))
    const { outcome, text } = Report.ofPlan({ ...plan, clients })
    const { violation, waiting, toLines } = outcome
    expect(violation?.invariant).toBe("nobody waits for ever")
    const [key = "none"] = /\bp\d+\.\d+\b/.exec(violation?.detail ?? "") ?? []
    expect(waiting.join("\n")).toContain(`program ${key}`)
    expect(waiting.join("\n")).toContain(`process ${key}`)
    expect(toLines().join("\n")).toContain("VIOLATION nobody waits for ever")
    const told = text.split("\n")
    const trace = told.filter((line) => /^ *\d+\.\d{3} /.test(line))
    expect(told.slice(0, 2)).toEqual([
      expect.stringMatching(/^seed 1 FAILED after [\d.]+ virtual seconds, trace [0-9a-f]{16}$/),
      "invariant: nobody waits for ever",
    ])
    expect(trace.length).toBeGreaterThan(0)
    expect(trace.length).toBeLessThanOrEqual(40)
    expect(trace.filter((line) => line.includes("environment/status"))).toEqual([])
    expect(told.at(-1)).toBe("again: npm run sim -- --seed 1")
  })
})
