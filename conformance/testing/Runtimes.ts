/** Bun and Deno, as npm has installed them. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url))

/** The program of a runtime for this platform, as `runtime("@deno", "deno")`; an empty text if npm has installed none. */
export const runtime = (scope: string, name: string): string => {
  const home = join(packages, scope)
  const found = existsSync(home) ? readdirSync(home).map((one) => join(home, one, name)) : []
  return found.find((one) => existsSync(one)) ?? ""
}
