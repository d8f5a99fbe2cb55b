// @ts-check
// `npm run check`: types (sources, tests, scripts, the page), lint with the import rules, format, line width, READMEs,
// changes of the wire, types for other languages, the guards of invariants and threats, the API reference, the package
// (npm and JSR), mutations that still apply, and the checks of Deno.
import { binary, build, heading, install, run, tool } from "./setup.mjs"

install()
// Tests import the published package by its name.
build()
heading("types")
tool("typescript/bin/tsc", ["-b"])
tool("typescript/bin/tsc", ["-p", "tsconfig.test.json"])
tool("typescript/bin/tsc", ["-p", "tsconfig.scripts.json"])
tool("typescript/bin/tsc", ["-p", "tsconfig.web.json"])
heading("lint and import rules")
tool("oxlint/bin/oxlint", ["-c", "oxlint.config.mjs", "--deny-warnings"])
heading("format")
tool("oxfmt/bin/oxfmt", ["--check"])
run(process.execPath, [".ci/lines.mjs"])
heading("READMEs")
run(process.execPath, [".ci/readme.mjs", "--check"])
heading("wire")
run(process.execPath, [".ci/schema.mjs", "--check"])
heading("types for Go and Rust")
run(process.execPath, [".ci/languages.mjs", "--check"])
heading("guards of invariants and of threats")
run(process.execPath, [".ci/guards.mjs"])
heading("API reference")
run(process.execPath, [".ci/docs.mjs"])
heading("package")
run(process.execPath, [".ci/package.mjs"])
heading("JSR")
run(process.execPath, [".ci/jsr.mjs"])
heading("mutations")
run(process.execPath, ["conformance/lab/mutations/run.mjs", "--check"])
run(process.execPath, ["conformance/lab/simulation/faults.mjs", "--check"])
heading("deno check and deno lint")
run(binary("@deno", "deno"), ["check", "--quiet"])
run(binary("@deno", "deno"), ["lint", "--quiet"])
