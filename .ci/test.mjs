// `npm test`: installs, builds, and runs every test. Arguments go to vitest (`npm test -- core/rpc`) and
// then only Node runs; otherwise the core's tests run on Bun and Deno too.
import { binary, build, install, run, tool } from "./setup.mjs"

install()
build()
const args = process.argv.slice(2)
const heading = (text) => process.stdout.write(`\n== ${text}\n`)

heading(`Node ${process.version}`)
tool("vitest/vitest.mjs", ["run", ...args])
if (args.length === 0) {
  heading("core on Bun")
  run(binary("@oven", "bin/bun"), ["--bun", "node_modules/vitest/vitest.mjs", "run", "core", "--pool=threads"])
  heading("core on Deno")
  run(binary("@deno", "deno"), ["run", "-A", "node_modules/vitest/vitest.mjs", "run", "core", "--pool=forks"])
}
