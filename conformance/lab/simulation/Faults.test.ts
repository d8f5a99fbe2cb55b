import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

interface Result {
  readonly code: number
  readonly stdout: string
}

const run = (script: string, ...args: ReadonlyArray<string>): Promise<Result> =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    execFile(process.execPath, [path, ...args], (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout }),
    )
  })

// Ten seeds are more than any of them needs, so that other plans of the simulation find them, too.
test.each([
  ["core/process/Process.ts", "output wakes nobody"],
  ["core/process/Ring.ts", "a reader gets its last chunk again"],
  ["core/server/Notifier.ts", "a cursor advances twice"],
  ["core/session/Expiry.ts", "a session expires although it was resumed"],
  ["core/client/EventFeed.ts", "what is consumed counts for ever"],
])("the simulation finds a fault that is planted in %s: %s", async (file, what) => {
  const { code, stdout } = await run("faults.mjs", "--seeds", "10", "--only", file, "--only", what)
  expect(stdout).toContain("found 1 of 1\n")
  expect(code).toBe(0)
})

test.each([1, 2])("the simulation finds nothing where nothing is planted, by %i processes", async (jobs) => {
  const { code, stdout } = await run("main.mjs", "--seeds", "3", "--jobs", String(jobs))
  expect(stdout).toMatch(/^seeds 1 to 3 ok: \d+ virtual minutes in [\d.]+ s\n$/)
  expect(code).toBe(0)
})
