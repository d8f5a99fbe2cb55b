// @ts-check
// `npm run check`: what can be said of the sources without running them: types, lint with the import rules, format,
// READMEs, the lock of the wire, the guards of invariants and threats, the package, the size of its client for the web,
// and of what a start evaluates. Names choose some of them: `npm run check -- types lint`. Those that take long are run
// where they are named, and by `npm run test:all`: `types-of-exports` (what compiles against the package, by old
// compilers, too), `docs` (the API reference), `jsr`, and `deno` (its type check and its lint).
import { spawnSync } from "node:child_process"
import { command } from "./command.mjs"
import { binary, build, heading, install, root } from "./setup.mjs"
import * as Tally from "./tally.mjs"

/** @typedef {readonly [command: string, ...args: string[]]} Words */

const { execPath: node } = process
/** @param {string} path of a script inside node_modules @param {string[]} args @returns {Words} */
const tool = (path, ...args) => [node, `node_modules/${path}`, ...args]
/** @param {string[]} args @returns {Words} */
const compiled = (...args) => tool("typescript/bin/tsc", ...args)

/** @type {Record<string, () => readonly Words[]>} */
const usual = {
  types: () => [
    compiled("-b"),
    ...["test", "scripts", "web"].map((name) => compiled("-p", `tsconfig.${name}.json`)),
  ],
  lint: () => [tool("oxlint/bin/oxlint", "-c", "oxlint.config.mjs", "--deny-warnings")],
  format: () => [tool("oxfmt/bin/oxfmt", "--check"), [node, ".ci/lines.mjs"]],
  readmes: () => [
    [node, ".ci/readme.mjs", "--check"],
    [node, ".ci/rooms.mjs", "--check"],
  ],
  wire: () => [[node, ".ci/schema.mjs", "--check"]],
  guards: () => [[node, ".ci/guards.mjs"]],
  package: () => [[node, ".ci/package.mjs"]],
  size: () => [[node, ".ci/size.mjs"]],
  startup: () => [[node, ".ci/startup.mjs", "--check"]],
}

/** @type {Record<string, () => readonly Words[]>} */
const long = {
  "types-of-exports": () => [[node, ".ci/package.mjs", "--types"]],
  docs: () => [[node, ".ci/docs.mjs"]],
  jsr: () => [[node, ".ci/jsr.mjs"]],
  deno: () => [
    [binary("@deno", "deno"), "check", "--quiet"],
    [binary("@deno", "deno"), "lint", "--quiet"],
  ],
}

const every = { ...usual, ...long }
const { positionals } = command(import.meta.url, { allowPositionals: true })
for (const name of positionals)
  if (!Object.hasOwn(every, name)) {
    process.stderr.write(`npm run check: no check is called ${name}: ${Object.keys(every).join(", ")}\n`)
    process.exit(2)
  }

install()
// Tests import the published package by its name.
build()
for (const name of positionals.length > 0 ? positionals : Object.keys(usual)) {
  const began = performance.now()
  heading(name)
  const failed = (every[name]?.() ?? []).filter(
    ([program, ...args]) => spawnSync(program, args, { cwd: root, stdio: "inherit" }).status !== 0,
  )
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  process.stdout.write(`${failed.length === 0 ? "ok" : "FAILED"}, ${seconds} s\n`)
  const failures = failed.map((words) => ({
    runtime: "node",
    file: "",
    test: `npm run check -- ${name}`,
    message: words.join(" "),
  }))
  Tally.note(failed.length === 0 ? { passed: 1 } : { failed: 1, failures: failures.slice(0, 1) })
  if (failed.length > 0) process.exitCode = 1
}
