/** The directory suite on the directories of this folder, each of which has one fault: the named case fails. */
import { describe, expect, test } from "vitest"
import { broken, good } from "./index.ts"
import * as DirectoryRunner from "../DirectoryRunner.ts"

describe.concurrent("a broken directory", () => {
  test.each(Object.values(broken))("that $does is caught by $caughtBy", async (item) => {
    const timeoutMs = item.reason.source.includes("in vain") ? 2_000 : 120_000
    const [outcome] = await DirectoryRunner.run(item.make, { only: [item.caughtBy], timeoutMs })
    expect(outcome?.reason).toMatch(item.reason)
    expect(outcome?.status).toBe("fail")
  })

  test("is not confused with a good one", async () => {
    const outcomes = await DirectoryRunner.run(good, { only: ["directory/host", "directory/claim"] })
    expect(new Set(outcomes.map(({ status, reason }) => `${status} ${reason}`))).toEqual(new Set(["pass "]))
  })
})
