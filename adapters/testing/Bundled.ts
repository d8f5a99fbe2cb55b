/** Programs for tests, as this runtime starts them. */
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
  // In one file it starts in half of the time, on each runtime.
  buildSync({
    entryPoints: [source],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@koromix/*", "@homebridge/*", "@xterm/*", "bufferutil", "utf-8-validate"],
    // CommonJS packages call `require`, which ESM does not have.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  })
  const args = { Node: [], Bun: [], Deno: ["run", "--quiet", "--allow-all"] }[name]
  return { args: [process.execPath, ...args, bundle] as const, remove: () => rmSync(bundle, { force: true }) }
}
