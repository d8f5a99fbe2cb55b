// @ts-check
// The command as the tests of Bun and Deno start it, bundled. They start it many hundred times, and from its sources it
// reads four hundred files each time. The suites (`npm run lab -- support`) start it from its sources, too.
import { build } from "esbuild"
import { bundled } from "./bundle.mjs"
import { modified, newestSource, root } from "./setup.mjs"

/**
 * Builds it, if any source is newer.
 * @param {"bun" | "deno"} runtime
 * @returns {Promise<string>} the path of its module
 */
export const tested = async (runtime) => {
  const folder = `${root}dist/tested-${runtime}`
  const program = `${folder}/procwire.mjs`
  if (modified(program) >= newestSource()) return program
  await build({
    ...bundled,
    absWorkingDir: root,
    entryPoints: { procwire: `adapters/${runtime}/main.ts` },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    // Modules of some commands are read only by these.
    splitting: true,
    minify: true,
    legalComments: "none",
  })
  return program
}

/**
 * Has the tests start that.
 * @param {"bun" | "deno"} runtime
 */
export const provide = async (runtime) => {
  process.env["TESTED_PROGRAM"] = await tested(runtime)
}
