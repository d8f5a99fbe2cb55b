// `npm run check`: types (sources and tests), lint with the import rules, format, and the checks of Deno.
import { binary, install, run, tool } from "./setup.mjs"

install()
const heading = (text) => process.stdout.write(`\n== ${text}\n`)

heading("types")
tool("typescript/bin/tsc", ["-b"])
tool("typescript/bin/tsc", ["-p", "tsconfig.test.json"])
heading("lint and import rules")
tool("oxlint/bin/oxlint", ["-c", "oxlint.config.mjs", "--deny-warnings"])
heading("format")
tool("oxfmt/bin/oxfmt", ["--check"])
heading("READMEs")
run(process.execPath, [".ci/readme.mjs", "--check"])
heading("deno check and deno lint")
run(binary("@deno", "deno"), ["check", "--quiet"])
run(binary("@deno", "deno"), ["lint", "--quiet"])
