import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { wanted } from "./PostgresPackages.ts"

it("names the versions that this was made for to who lacks the package of PostgreSQL", () => {
  const { devDependencies } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  ) as { readonly devDependencies: Readonly<Record<string, string>> }
  for (const each of wanted) {
    const [, name = "", version = ""] = /^(.+)@(.+)$/.exec(each) ?? []
    expect(devDependencies[name], name).toMatch(`^${version}.`)
  }
})
