// `npm test`: installs, builds, and runs every test. Arguments go to vitest (`npm test -- core/rpc`) and
// then only Node runs; otherwise the tests of the core and of WebSockets run on Bun and Deno too.
import { binary, build, install, run, tool } from "./setup.mjs"

install()
build()
const args = process.argv.slice(2)
const heading = (text) => process.stdout.write(`\n== ${text}\n`)

heading(`Node ${process.version}`)
tool("vitest/vitest.mjs", ["run", ...args])
if (args.length === 0) {
  const everywhere = ["core", "adapters/shared/WebSocket", "adapters/shared/Outbox", "adapters/web"]
  heading("core and WebSockets on Bun")
  run(binary("@oven", "bin/bun"), ["--bun", "node_modules/vitest/vitest.mjs", "run", ...everywhere, "--pool=threads"])
  heading("core and WebSockets on Deno")
  run(binary("@deno", "deno"), ["run", "-A", "node_modules/vitest/vitest.mjs", "run", ...everywhere, "--pool=forks"])
}
