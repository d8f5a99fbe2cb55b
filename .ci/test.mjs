// `npm test`: installs, builds, and runs every test: all of them on Node, those of core and adapters also on Bun and Deno;
// then the suites on every runtime, which must prove what the support table says. Arguments go to vitest
// (`npm test -- core/rpc`), and then nothing but Node's vitest runs.
import { build, install, run, tool } from "./setup.mjs"

install()
build()
const args = process.argv.slice(2)
const heading = (text) => process.stdout.write(`\n== ${text}\n`)

heading(`Node ${process.version}`)
tool("vitest/vitest.mjs", ["run", ...args])
if (args.length === 0) {
  heading("core and adapters on Bun")
  run(process.execPath, [".ci/on.mjs", "bun"])
  heading("core and adapters on Deno")
  run(process.execPath, [".ci/on.mjs", "deno"])
  heading("the suites on every runtime")
  run(process.execPath, ["conformance/lab/run/support.mjs", "--check"])
}
