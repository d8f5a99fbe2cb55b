/** Seeds that several processes share: what is printed is what one process would have said. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
import { faults, planted, playSeeds } from "./Lab.ts"

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
  const fault = faults.find(({ name }) => name === "exited-takes-no-seq-of-its-own")
  const file = await planted(fault!, join(folder, "planted.mjs"))
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

test("whoever plays ends once the program is gone that has started it", async () => {
  const [endless, program, noted] = ["endless.mjs", "program.mjs", "pid"].map((name) => join(folder, name))
  writeFileSync(
    endless!,
    `import { writeFileSync } from "node:fs"
     import process from "node:process"
     const slept = new Int32Array(new SharedArrayBuffer(4))
     export const Mix = { usual: new Set() }
     export const Report = {
       ofSeed: (seed) => {
         if (seed === 1) writeFileSync(${JSON.stringify(noted)}, String(process.pid))
         Atomics.wait(slept, 0, 0, 5)
         return { outcome: { millis: 60_000 }, text: "" }
       },
     }`,
  )
  const request = { file: endless, command: [process.execPath], parts: [{ from: 1, seeds: 1e9 }], jobs: 1 }
  writeFileSync(
    program!,
    `import { playSeeds } from ${JSON.stringify(new URL("seeds.mjs", import.meta.url).href)}
     await playSeeds(${JSON.stringify({ ...request, minutes: 1 })}, () => {})`,
  )
  const playing = spawn(process.execPath, [program!], { stdio: "ignore" })
  const patience = { timeout: 240_000 }
  const pid = await vi.waitFor(() => Number(readFileSync(noted!, "utf8") || Number.NaN), patience)
  expect(pid).toBeGreaterThan(0)
  onTestFinished(() => void spawnSync("kill", ["-9", `${pid}`]))
  playing.kill("SIGKILL")
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), patience)
})

test.each([1, 2])("nothing fails where no fault is planted, by %i processes", (jobs) => {
  const main = fileURLToPath(new URL("main.mjs", import.meta.url))
  const { status, stdout } = spawnSync(process.execPath, [main, "--seeds", "3", "--jobs", String(jobs)], {
    encoding: "utf8",
  })
  expect(stdout).toMatch(/^seeds 1 to 3 ok: \d+ virtual minutes in [\d.]+ s\n$/)
  expect(status).toBe(0)
})
