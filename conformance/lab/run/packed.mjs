// `npm run conformance:packed`: packs this package, installs it into an empty folder, and runs the first program of the
// README there on Node, Bun and Deno. Each must get its own adapter, with the same names, and the same output.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { binary, build, install, root } from "../../../.ci/setup.mjs"

install()
build()
const folder = mkdtempSync(join(tmpdir(), "procwire-packed-"))
const at = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: "utf8", timeout: 300_000, stdio: ["ignore", "pipe", "inherit"] })

const [, program] = /^```ts\n([\s\S]*?)^```/m.exec(readFileSync(`${root}README.md`, "utf8"))
const facts = `
import * as runtime from "procwire/runtime"
console.log(Object.keys(runtime).sort().join(), import.meta.resolve("procwire/runtime").split("/").slice(-2).join("/"))
`
/** Beside what the program starts, which is the same everywhere, a terminal may echo and prompt as it likes. */
const wanted = /^building\ndone\nexit code 0\n0\nconnect,layerSpawner,open (\w+)\/index\.js\n$/

try {
  at("npm", ["pack", "--silent", "--pack-destination", folder], root)
  const [tarball] = readdirSync(folder)
  const empty = join(folder, "empty")
  mkdirSync(empty)
  writeFileSync(join(empty, "package.json"), `{ "type": "module" }`)
  at("npm", ["install", "--silent", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, tarball)], empty)
  writeFileSync(join(empty, "program.mjs"), program + facts)
  const runs = {
    node: [process.execPath, "program.mjs"],
    bun: [binary("@oven", "bin/bun"), "program.mjs"],
    deno: [binary("@deno", "deno"), "run", "--quiet", "--allow-all", "--node-modules-dir=manual", "program.mjs"],
  }
  for (const [name, [command, ...args]] of Object.entries(runs)) {
    const output = at(command, args, empty)
    if (wanted.exec(output)?.[1] !== name) throw new Error(`${name} printed:\n${output}`)
    process.stdout.write(`packed and installed, the program of the README runs on ${name}\n`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
