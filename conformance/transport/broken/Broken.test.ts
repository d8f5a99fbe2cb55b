/** The transport suite on the transports of this folder, each of which has one fault: the named case fails. */
import { describe, expect, test } from "vitest"
import { broken, good } from "./index.ts"
import * as TransportRunner from "../TransportRunner.ts"

describe.concurrent("a broken transport", () => {
  test.each(Object.values(broken))("that $does is caught by $caughtBy", async (item) => {
    // A wait that is in vain on every machine is short. One that a busy machine may still end is not.
    const timeoutMs = item.reason.source.startsWith("in vain") ? 2_000 : 20_000
    const raw = item.raw === undefined ? {} : { raw: item.raw }
    const options = { only: [item.caughtBy], timeoutMs, ...raw }
    const [outcome] = await TransportRunner.run(item.pair, options)
    expect(outcome?.reason).toMatch(item.reason)
    expect(outcome?.status).toBe("fail")
  })

  test("is not confused with a good one, and what needs a raw end is skipped without one", async () => {
    const outcomes = await TransportRunner.run(good, { only: ["transport/order", "transport/framing"] })
    const told = outcomes.map(({ status, reason }) => `${status} ${reason}`)
    expect(new Set(told)).toEqual(new Set(["pass ", "skip the pair comes without a raw end"]))
  })
})
