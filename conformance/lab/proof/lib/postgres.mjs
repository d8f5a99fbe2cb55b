// @ts-check
// A PostgreSQL of its own for a proof, started as the tests start theirs.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { root } from "../../../../.ci/setup.mjs"

/**
 * Starts it. Where it cannot be had the proof says so, and ends with 0.
 * @param {string} folder for what is built
 */
export const start = async (folder) => {
  const outfile = join(folder, "server.mjs")
  await build({
    absWorkingDir: root,
    entryPoints: ["adapters/shared/directory/testing/PostgresServer.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  })
  /** @type {typeof import("../../../../adapters/shared/directory/testing/PostgresServer.ts")} */
  const { lacking, PostgresServer } = await import(pathToFileURL(outfile).href)
  if (lacking !== undefined) {
    process.stdout.write(`skipped: ${lacking}\n`)
    process.exit(0)
  }
  return PostgresServer.start()
}
