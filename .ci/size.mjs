// @ts-check
// The code that a page loads for `connect` of procwire/web: the library as it is published, bundled and minified with
// `effect`. Fails if that is larger than it may be, and names what is large in it.
import { build } from "esbuild"
import { root } from "./setup.mjs"

/** The most bytes of the bundle, before compression. */
const most = 250_000

const { outputFiles, metafile } = await build({
  stdin: { contents: 'export { connect } from "procwire/web"', resolveDir: root },
  absWorkingDir: root,
  outfile: "connect.js",
  bundle: true,
  minify: true,
  platform: "browser",
  format: "esm",
  write: false,
  metafile: true,
  logLevel: "error",
})
const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.length, 0)
process.stdout.write(`connect of procwire/web: ${bytes} of at most ${most} bytes\n`)
if (bytes > most) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs))
  const largest = inputs.sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput).slice(0, 20)
  const lines = largest.map(([path, { bytesInOutput }]) => `  ${bytesInOutput} ${path}\n`)
  process.stderr.write(
    `connect of procwire/web is ${bytes - most} bytes too large. The largest in it:\n${lines.join("")}`,
  )
  process.exitCode = 1
}
