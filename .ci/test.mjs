// @ts-check
// `npm test`: installs, builds, and runs every test: all of them on Node, those of core and adapters on Bun and Deno
// too; then the suites on every runtime, which must prove what the support table says. With arguments only Node's
// vitest runs, and gets them (`npm test -- core/rpc`).
import { build, heading, install, run, tool } from "./setup.mjs"

install()
build()
const args = process.argv.slice(2)

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
