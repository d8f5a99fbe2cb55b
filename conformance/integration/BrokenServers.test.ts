/**
 * A suite that cannot fail is noticed by everybody: a broken server of each kind. All of them are in
 * `lab/faults/wire/BrokenServers.test.ts`.
 */
import { readFileSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { cases } from "../suite/cases/index.ts"
import * as Broken from "../testing/Broken.ts"

const names = [
  "cancel-wrong-code",
  "error-code-wrong",
  "list-newest-first",
  "log-on-stdout",
  "max-bytes-starves",
  "resume-takes-over",
  "streams-merged",
  "v0-version-unnamed",
  "wait-exits-at-once",
]

afterAll(Broken.close)

for (const name of names)
  test.concurrent(`${name} is noticed`, async () => {
    const fault = Broken.faults.find((one) => one.name === name)
    expect(fault && (await Broken.plays(fault))).toEqual([])
  })

test("what to check first are ten cases, each with a server that fails it", () => {
  const page = readFileSync(new URL("../FIRST.md", import.meta.url), "utf8")
  const rows = page.split("\n").filter((line) => /^\|.*`\w+\/[^`]+` *\|[^|]+\|$/.test(line))
  const seen = rows.map((row) => {
    const cells = row.split("|").map((cell) => cell.trim().replaceAll("`", ""))
    const [id = "", server = ""] = cells.slice(-3)
    const servers = server === "both" ? ["typescript-gateway", "frame-forwarder"] : [server]
    const fail = servers.every((name) =>
      Broken.faults.some((fault) => fault.name === name && fault.cases.includes(id)),
    )
    return { id, exists: cases.some((item) => item.id === id), fail }
  })
  expect(seen.filter(({ exists, fail }) => !exists || !fail)).toEqual([])
  expect(new Set(seen.map(({ id }) => id)).size).toBe(10)
})
