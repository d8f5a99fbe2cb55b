// @ts-check
// `npm run test:bun` and `npm run test:deno`: the tests of core and adapters on that runtime, or those that the
// arguments name.
import { binary, build, install, run } from "./setup.mjs"

const [runtime, ...args] = process.argv.slice(2)
const files = args.length > 0 ? args : ["core", "adapters"]
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...files, "--pool=forks"]
install()
build()
// Node plays the long soak.
process.env["PROCWIRE_SOAK_SECONDS"] ??= "4"
if (runtime === "bun") run(binary("@oven", "bin/bun"), ["--bun", ...vitest])
if (runtime === "deno") run(binary("@deno", "deno"), ["run", "-A", ...vitest])
