/** Seeds that several processes share: what is printed is what one process would have said. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { faults, plant, playSeeds } from "./Lab.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-seeds-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const told = async (file: string, jobs: number, seeds = 2) => {
  const texts: Array<string> = []
  const parts = [{ from: 1, seeds }]
  const request = { file, command: [process.execPath] as const, parts, jobs, minutes: 0.3 }
  const ok = await playSeeds(request, (text) => texts.push(text))
  return { ok, text: texts.join("").replace(/in [\d.]+ s\n$/, "in a while\n") }
}

test("failures come in the order of their seeds, however many processes play", async () => {
  const fault = faults.find(({ what }) => what === "exited takes no seq of its own")
  const file = await plant(fault!, join(folder, "planted.mjs"))
  const one = await told(file, 1)
  expect(one.ok).toBe(false)
  expect(one.text).toMatch(/seed \d FAILED[^]*seed \d FAILED/)
  expect(one.text).toContain("2 of 2 failed (1, 2)")
  expect(await told(file, 2)).toEqual(one)
})

test("a process that dies is told, and nothing is called ok", async () => {
  const file = join(folder, "dies.mjs")
  writeFileSync(
    file,
    `export const Mix = { usual: new Set() }
     export const Report = {
       ofSeed: (seed) => {
         if (seed === 4) process.kill(process.pid, "SIGKILL")
         return { outcome: { millis: 60_000 }, text: "" }
       },
     }`,
  )
  expect(await told(file, 2, 6)).toEqual({
    ok: false,
    text:
      "the player ended with SIGKILL before seed 4\n" +
      "seeds 1 to 6 were not all played: 3 virtual minutes in a while\n",
  })
})
