/** The wire suite on every broken server: its cases notice the fault, and others pass. */
import { afterAll, expect, test } from "vitest"
import * as Broken from "../../../testing/Broken.ts"

afterAll(Broken.close)

test("each broken server has a name of its own, and at least one case", () => {
  expect(new Set(Broken.faults.map(({ name }) => name)).size).toBe(Broken.faults.length)
  expect(Broken.faults.filter((fault) => fault.cases.length === 0 || fault.says === "")).toEqual([])
})

const dialects = [
  [Broken.right, ""],
  [{ ...Broken.right, args: (args) => [...args, "--dialect", "v0"] }, "v0-"],
  [{ ...Broken.right, over: "stdio" }, "stdio"],
] as const satisfies ReadonlyArray<readonly [Broken.Fault, string]>

for (const [right, kind] of dialects)
  test.concurrent(`the right server passes all of these cases behind a relay ${kind}`, async () => {
    const kindOf = ({ name, over }: Broken.Fault) => (name.startsWith("v0-") ? "v0-" : (over ?? ""))
    const own = Broken.faults.filter(
      (fault) => kindOf(fault) === kind && (Broken.kernelTells || !fault.kernel),
    )
    expect(await Broken.passes(right, [...new Set(own.flatMap(({ cases }) => cases))])).toEqual([])
  })

for (const fault of Broken.faults)
  test
    .skipIf(fault.kernel === true && !Broken.kernelTells)
    .concurrent(`${fault.name} fails ${fault.cases.join(", ")}`, async () => {
      expect(await Broken.plays(fault)).toEqual([])
    })
