/** Programs for tests, as this runtime starts them: Node cannot run the source. */
import { rmSync } from "node:fs"
import { basename, join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"
import { name } from "./Runtime.ts"

const folder = fileURLToPath(new URL(".", import.meta.url))
const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))

/** A program of this folder, without `.ts`: what the runtime takes to start it, and how what was made for that goes. */
export const program = (file: string) => {
  const source = join(folder, `${file}.ts`)
  const bundle = join(cache, `${basename(file)}-${process.pid}.mjs`)
  if (name === "Node") {
    const options = { bundle: true, platform: "node", format: "esm", packages: "external" } as const
    buildSync({ entryPoints: [source], outfile: bundle, ...options })
  }
  const args = { Node: [bundle], Bun: [source], Deno: ["run", "--quiet", "--allow-all", source] }[name]
  return { args: [process.execPath, ...args] as const, remove: () => rmSync(bundle, { force: true }) }
}
