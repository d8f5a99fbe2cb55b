/** Children in PID namespaces: what a spawner guarantees, and what differs there. */
import { expect, test } from "vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { platform } from "../../../testing/Runtime.ts"
import * as SeamRunner from "../../../../conformance/seam/SeamRunner.ts"
import * as SpawnerRunner from "../../../../conformance/spawner/SpawnerRunner.ts"

const layer = platform.toSpawner({ contain: "pidns" })

/** The cases that fail, each with the reason. */
const known = {
  "spawner/stdin/closed-by-the-child": "unshare holds the streams of the child",
  "spawner/pty/leads-the-foreground":
    "the session and the group were begun outside, where they have another number",
  "spawner/group/leads-a-session":
    "the session and the group were begun outside, where they have another number",
  "spawner/errors/program-of-no-format": "execvp, which env calls, gives the file to a shell",
}

/** What is not played. */
const except = {
  "spawner/output/closed-early-by-the-child":
    "fails after two minutes: unshare holds the streams of the child",
  "spawner/group/signal-ends": "a signal that comes before env restores them is lost",
  "spawner/output/no-byte-lost-*": "500 runs",
  "spawner/output/of-a-descendant-arrives-on-a-pty": "40 runs",
  "spawner/events/none-before-spawn-has-succeeded": "50 runs",
  "spawner/load/**": "up to 200 children",
}

const built = await Effect.runPromise(Effect.either(Effect.scoped(Layer.build(layer))))
const lack = built._tag === "Left" ? built.left.message : undefined

test.skipIf(lack !== undefined)(
  `children in PID namespaces${lack === undefined ? "" : `: ${lack}`}`,
  async () => {
    const outcomes = await SpawnerRunner.run(Layer.orDie(layer), { except })
    const wrong = outcomes.filter(
      ({ case: { id }, status }) => status === "fail" && !Object.hasOwn(known, id),
    )
    expect(wrong.map(({ case: { id }, reason }) => ({ id, reason }))).toEqual([])
    expect(SeamRunner.stale(outcomes, known)).toEqual([])
  },
)
