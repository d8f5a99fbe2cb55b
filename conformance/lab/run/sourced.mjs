// @ts-check
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { root } from "../../../.ci/setup.mjs"

/**
 * A module that the tests share, which is in no build.
 * @param {string} path from the root
 * @returns {Promise<any>}
 */
export const sourced = async (path) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-sourced-"))
  const outfile = join(folder, "module.mjs")
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [path],
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
