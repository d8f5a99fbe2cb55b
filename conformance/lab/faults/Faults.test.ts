/** The player of planted faults: what it says of one that is noticed, and of one that is not. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const main = fileURLToPath(new URL("main.mjs", import.meta.url))

const play = (...words: ReadonlyArray<string>): Promise<{ readonly code: number; readonly said: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [main, ...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    )
  })

// Ten seeds are more than any of them needs, so that other plans of the simulation find them, too.
test.each([
  "output-wakes-nobody",
  "a-session-expires-although-it-was-resumed",
  "what-is-consumed-counts-for-ever",
])("the simulation notices that %s", async (name) => {
  const { code, said } = await play(name, "--seeds", "10")
  expect(said).toMatch(new RegExp(`noticed +[\\d.]+ s  ${name}, by seed \\d+: `))
  expect(said).toContain("1 of 1 noticed, 0 do not apply")
  expect(code).toBe(0)
})

test("the tests beside a file notice what is planted in it", async () => {
  const { code, said } = await play("includeonly-is-ignored")
  expect(said).toMatch(/noticed +[\d.]+ s  includeonly-is-ignored, by .*EnvPolicy\.test\.ts/)
  expect(code).toBe(0)
})

test("cases of the wire suite notice what is planted in a server", async () => {
  const { code, said } = await play("the-first-seq-is-2")
  expect(said).toMatch(/noticed +[\d.]+ s  the-first-seq-is-2, by process\/output\/seq-contiguous over stdio/)
  expect(code).toBe(0)
})

test("what no seed notices survives, and the exit code is 1", async () => {
  const { code, said } = await play("exited-takes-no-seq-of-its-own", "--seeds", "0")
  expect(said).toMatch(/0 of 1 noticed[^]*survived: exited-takes-no-seq-of-its-own/)
  expect(code).toBe(1)
})

test("a wrong use is told in one line", async () => {
  const { code, said } = await play("--by", "chance")
  expect(said).toMatch(/^.*--by.*chance.*\n$/)
  expect(code).toBe(2)
})
