/**
 * The lists of cases in the READMEs of the suites of seams are current.
 * `vitest run conformance/integration/SeamReadmes.test.ts -u` writes them.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { cases as transportCases } from "../transport/cases/index.ts"
import { cases as directoryCases } from "../directory/cases/index.ts"
import { cases as spawnerCases } from "../spawner/cases/index.ts"
import { listing } from "../seam/SeamCase.ts"

describe.each([
  { suite: "spawner", cases: spawnerCases },
  { suite: "transport", cases: transportCases },
  { suite: "directory", cases: directoryCases },
])("the $suite suite", ({ suite, cases }) => {
  test("lists its cases in its README", async () => {
    const path = fileURLToPath(new URL(`../${suite}/README.md`, import.meta.url))
    const [head, , tail] = readFileSync(path, "utf8").split(/(?<=<!-- cases -->\n)[^]*?(?=<!-- \/cases -->)/)
    expect(head).toContain("## The cases")
    await expect(`${head}\n${listing(cases)}\n\n<!-- /cases -->\n${tail ?? ""}`).toMatchFileSnapshot(path)
  })

  test("gives each case an id of its own below the name of the suite, and a sentence", () => {
    const ids = cases.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id, says } of cases) {
      expect(id).toMatch(new RegExp(`^${suite}/[a-z]+/[a-z0-9-]+$`))
      expect(says).toMatch(/^\S.*[^.]\.$/)
    }
  })
})
