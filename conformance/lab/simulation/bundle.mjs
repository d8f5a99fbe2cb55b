// @ts-check
// conformance/simulation as one file that every runtime can import. It needs no build.
import { mkdirSync, renameSync } from "node:fs"
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
  // Others may be about to play the one that is there.
  const own = `${outfile}.${process.pid}.mjs`
  await build({
    absWorkingDir: root,
    entryPoints: ["conformance/simulation/index.ts"],
    outfile: own,
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "node20",
    logLevel: "warning",
    plugins: [...plugins],
  })
  renameSync(own, outfile)
  return outfile
}
