/** The cost of waits on a real server: processor time, which a busy machine does not change much. */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

/** Bytes that are searched. */
const size = 8_000_000

/** Milliseconds of processor time that so many waits take for a text of that size, each for a line behind it. */
const costOf = async (count: number): Promise<number> => {
  const script = `read go; head -c ${size} /dev/zero | tr '\\0' x; echo; seq -f 'line %g' 1 1000`
  const child = await client.start({ argv: ["/bin/sh", "-c", script], pipeStdin: true })
  const read = (async () => {
    let bytes = 0
    for await (const piece of child.output()) bytes += piece.length
    return bytes
  })()
  const waits = Array.from({ length: count }, (_, n) =>
    child.wait({ until: [{ pattern: `^line ${n + 1}$`, flags: "m" }], maxBytes: 0 }),
  )
  // All of them have begun when a request behind them is answered.
  await client.call("environment/status", null)
  const before = process.cpuUsage()
  await child.write("\n")
  for (const { met } of await Promise.all(waits)) expect(met).toBe(0)
  expect(await read).toBeGreaterThan(size)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

it("scans a text once for a thousand waits: far from a thousand times the work of one", async () => {
  await costOf(1)
  const one = await costOf(1)
  const thousand = await costOf(1000)
  expect(thousand).toBeLessThan(50 * one)
})
