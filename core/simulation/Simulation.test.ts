import { describe, expect, it } from "vitest"
import { fixed } from "./Fixed.ts"
import * as PlanMaker from "./PlanMaker.ts"
import * as Report from "./Report.ts"
import { play } from "./Simulation.ts"

describe("the simulation", () => {
  it("plays a plan the same way each time", () => {
    const digests = [1, 2].map(() => play(PlanMaker.make(7, 20_000)).digest)
    expect(digests[0]).toBe(digests[1])
  })

  it.each(fixed)("plays seed %i, which once failed", (seed) => {
    const { outcome, text } = Report.ofSeed(seed, 60_000)
    expect(outcome.violation, text).toBeUndefined()
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
    expect(play({ ...plan, clients }).violation?.invariant).toBe("nobody waits for ever")
  })
})
