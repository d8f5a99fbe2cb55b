/** Proof that the spawner suite can fail: each wrong spawner is caught by its case, and good ones pass. */
import * as Layer from "effect/Layer"
import { describe, expect, test } from "vitest"
import * as Spawner from "../../core/spawn/Spawner.ts"
import { broken, harmless, type Service } from "../../conformance/spawner/broken/index.ts"
import * as SpawnerRunner from "../../conformance/spawner/SpawnerRunner.ts"
import { spawner } from "../testing/Runtime.ts"

const layer = (service: Service) => Layer.succeed(Spawner.Spawner, service)

describe.concurrent("a broken spawner", () => {
  test.each(Object.values(broken))("that $does is caught by $caughtBy", async (item) => {
    // Those that make a case wait in vain get a short deadline; for the others it would be too short on a busy machine.
    const timeoutMs = item.reason.source.includes("in vain") ? 3_000 : 30_000
    const options = { only: [item.caughtBy], timeoutMs }
    const [outcome] = await SpawnerRunner.run(layer(item.make(spawner)), options)
    expect(outcome?.reason).toMatch(item.reason)
    expect(outcome?.status).toBe("fail")
  })

  test("fails no case beside its own", async () => {
    const name = broken["arg0-ignored"]?.make(spawner) ?? spawner
    const outcomes = await SpawnerRunner.run(layer(name), { only: ["spawner/program"] })
    const failed = outcomes.filter(({ status }) => status === "fail").map((outcome) => outcome.case.id)
    expect(failed).toEqual(["spawner/program/arg0-is-seen", "spawner/program/arg0-is-seen-on-a-pty"])
  })
})

/** The cases that harmless differences could break, as far as they cost no time. */
const only = ["spawner/output", "spawner/events", "spawner/exit", "spawner/program", "spawner/stdin"]
const except = ["spawner/output/no-byte-lost-*", "spawner/**/*-on-a-pty"]

describe.concurrent("a good spawner", () => {
  test.each(Object.entries(harmless))("%s passes", async (_, make) => {
    const outcomes = await SpawnerRunner.run(layer(make(spawner)), { only, except })
    expect(outcomes.filter(({ status }) => status === "fail")).toEqual([])
  })

  test("that declares nothing is asked for nothing, and each skip names what it lacks", async () => {
    const made = harmless["that says less than it can"]?.(spawner) ?? spawner
    const outcomes = await SpawnerRunner.run(layer(made), { only: ["spawner/pty", "spawner/pause"] })
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["skip"]))
    expect(new Set(outcomes.map(({ reason }) => reason))).toEqual(
      new Set(["the spawner does not declare pty", "the spawner does not declare pause"]),
    )
  })
})
