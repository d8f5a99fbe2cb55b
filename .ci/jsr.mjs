// @ts-check
// `npm run check -- jsr`: the sources as JSR would publish them, into dist/jsr, and a dry run of `deno publish` on it.
//
// Exports, version and dependencies are those of package.json. JSR bans `/// <reference lib>`, which the declarations
// on npm need; it gets the sources without. Types are not checked again: `deno check` does that. What is inferred by
// Schema would fill pages if it were written down, so slow types are allowed.
import { command } from "./command.mjs"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { binary, install, root, run } from "./setup.mjs"

command(import.meta.url)
install()
const folder = join(root, "dist/jsr")
rmSync(folder, { recursive: true, force: true })

/**
 * Only tests, the laboratory and what they are played with stay away, and the door for Effect 3: there every import of
 * `effect` is of one version.
 * @param {string} path
 */
const published = (path) =>
  /\.(ts|json|md)$/.test(path) &&
  !/\.test\.ts$|(^|\/)(effect3|testing|integration|lab|targets|clients|broken)\/|tsconfig/.test(path)

for (const top of ["core", "adapters", "conformance"]) {
  for (const entry of readdirSync(join(root, top), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name).slice(root.length)
    if (!entry.isFile() || !published(path)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    const text = readFileSync(join(root, path), "utf8")
    writeFileSync(join(folder, path), text.replace(/^\/\/\/ <reference lib=.*\n/gm, ""))
  }
}
for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) cpSync(join(root, name), join(folder, name))

/**
 * @type {{
 *   version: string, license: string, exports: Record<string, string | { types: string }>,
 *   dependencies: object, devDependencies: Record<string, string>, peerDependenciesMeta: object
 * }}
 */
const { version, license, exports, dependencies, devDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
)
const peerDependencies = Object.fromEntries(
  Object.keys(peerDependenciesMeta).flatMap((name) => {
    const range = devDependencies[name]
    return range === undefined ? [] : [[name, range]]
  }),
)
writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies, peerDependencies }, undefined, 2))
const entries = Object.entries(exports).flatMap(([name, place]) => {
  if (typeof place === "string" || name === "./effect3") return []
  return [[name, place.types.replace("./dist/lib/", "./").replace(/\.d\.ts$/, ".ts")]]
})
const manifest = {
  name: "@procwire/procwire",
  version,
  license,
  exports: Object.fromEntries(entries),
  nodeModulesDir: "manual",
}
writeFileSync(join(folder, "deno.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
const flags = ["--dry-run", "--allow-dirty", "--allow-slow-types", "--no-check", "--quiet"]
run(binary("@deno", "deno"), ["publish", ...flags], { cwd: folder })
process.stdout.write(`${entries.length} exports would be published as ${manifest.name}@${version}\n`)
