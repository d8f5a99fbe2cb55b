/** Plays the cases of egress rules on a server that has some: their capability is announced there alone. */
import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { processEgressAsk } from "../suite/features/egress/asks.ts"
import { processEgress } from "../suite/features/egress/cases.ts"
import * as Runner from "../suite/Runner.ts"
import * as Own from "../testing/Own.ts"

/** True if bubblewrap works on this machine. */
const confines = (): boolean => {
  const args = ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]
  try {
    execFileSync("bwrap", args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

describe.runIf(confines())("cases of egress rules", { tags: ["bubblewrap"] }, () => {
  it("pass on a server with rules", async () => {
    const target = Own.target("ws", "--confine", "no-network", "--egress", "allow:x.example.org")
    const options = { parallel: 1, timeoutMs: 60_000, slow: false, without: new Set<never>() }
    const cases = [...processEgress, ...processEgressAsk]
    const outcomes = await Runner.run({ cases, targets: [target], ...options })
    expect(outcomes.map(({ case: { id }, status, reason }) => `${id} ${status} ${reason ?? ""}`)).toEqual(
      cases.map(({ id }) => `${id} pass `),
    )
  })
})
