// @ts-check
// core/simulation as one file that every runtime can import. It needs no build.
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "../../../.ci/setup.mjs"

/** @import { Plugin } from "esbuild" */

/**
 * Bundles the simulation, and says where.
 * @param {string} [outfile]
 * @param {readonly Plugin[]} [plugins]
 */
export const bundle = async (outfile = join(root, "dist/simulation.mjs"), plugins = []) => {
  mkdirSync(join(root, "dist"), { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: ["core/simulation/index.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "node20",
    logLevel: "warning",
    plugins: [...plugins],
  })
  return outfile
}
