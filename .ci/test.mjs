// @ts-check
// `npm test`: installs, builds, and runs every test: all of them on Node, those of core and adapters on Bun and Deno
// too; and the suites on every runtime, which must prove what the support table says. With `--and-check` also what
// `npm run check` runs. With other arguments only Node's vitest runs, and gets them (`npm test -- core/rpc`).
import { build, install, tool } from "./setup.mjs"
import { play, tests, testsAndCheck } from "./steps.mjs"

install()
build()
const args = process.argv.slice(2)
if (args.length === 0) process.exitCode = await play(tests)
else if (args.join() === "--and-check") process.exitCode = await play(testsAndCheck)
else tool("vitest/vitest.mjs", ["run", ...args])
