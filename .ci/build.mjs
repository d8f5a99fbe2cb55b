// @ts-check
// `npm run build`, in three parts:
//
// - dist/core, dist/adapters, dist/conformance: every module by the compiler, for the scripts and tests of this
//   repository.
// - dist/lib: the library as it is published. One file for each export, the chunks that they share, and the
//   declarations that they reach. The packages that npm installs with it stay imports.
// - dist/procwire.mjs, dist/procwire-conformance.mjs: the commands, with their packages. What only some uses need is
//   beside them, in dist/procwire-parts, because a server starts faster if it need not read that.
import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const lib = join(dist, "lib")

/** @import { BuildOptions, Plugin } from "esbuild" */

/** @satisfies {BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: /** @type {const} */ ("node"),
  format: /** @type {const} */ ("esm"),
  target: "node20",
  logLevel: /** @type {const} */ ("warning"),
}

const compile = () => {
  try {
    execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: root, stdio: "inherit" })
  } catch {
    process.exit(1) // the compiler has said why
  }
}

const compiled = /\.(d\.ts|js(\.map)?)$/

/** Removes what the compiler made of sources that are gone since. */
const prune = () => {
  for (const folder of ["core", "adapters", "conformance"])
    for (const path of readdirSync(join(dist, folder), { recursive: true, encoding: "utf8" }))
      if (compiled.test(path) && !existsSync(join(root, folder, path.replace(compiled, ".ts"))))
        rmSync(join(dist, folder, path))
}

/**
 * @typedef {Readonly<Record<string, string>>} Names
 * @type {{ exports: Readonly<Record<string, string | Names>>, dependencies?: Names, optionalDependencies?: Names,
 *   peerDependencies?: Names }}
 */
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The exports of package.json as paths below dist/lib, without their extensions. */
const exported = () => {
  const files = Object.values(manifest.exports).flatMap((conditions) =>
    typeof conditions === "string" ? [] : Object.values(conditions),
  )
  return [...new Set(files.map((file) => relative(lib, join(root, file)).replace(/(\.d\.ts|\.js)$/, "")))]
}

/**
 * The given declarations and all that they import, directly or not.
 * @param {readonly string[]} files
 * @param {Set<string>} [found]
 * @returns {Set<string>}
 */
const reached = (files, found = new Set()) => {
  for (const file of files) {
    if (found.has(file)) continue
    found.add(file)
    const imports = readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)
    reached(
      [...imports].map(([, path = ""]) => join(dirname(file), path).replace(/\.(js|ts)$/, ".d.ts")),
      found,
    )
  }
  return found
}

/** What npm installs with the package, or the user beside it. Anything else becomes part of the library. */
const installed = [
  ...Object.keys(manifest.dependencies ?? {}),
  ...Object.keys(manifest.optionalDependencies ?? {}),
  ...Object.keys(manifest.peerDependencies ?? {}),
]

const library = async () => {
  const names = exported()
  rmSync(lib, { recursive: true, force: true })
  await build({
    ...shared,
    entryPoints: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
    outdir: "dist/lib",
    // Names and lines stay as they are.
    minifySyntax: true,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    external: installed.flatMap((name) => [name, `${name}/*`]),
  })
  for (const file of reached(names.map((name) => join(dist, `${name}.d.ts`))))
    cpSync(file, join(lib, relative(dist, file)))
}

/**
 * Modules that import nothing but packages, and are imported when they are needed.
 * @type {Readonly<Record<string, string>>}
 */
const parts = { mcp: "adapters/shared/mcp/McpSdk.ts" }

/** @type {Plugin} */
const apart = {
  name: "apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined
      const name = Object.keys(parts).find((part) => join(root, parts[part] ?? "") === join(resolveDir, path))
      return name === undefined ? undefined : { path: `./procwire-parts/${name}.mjs`, external: true }
    })
  },
}

/**
 * @param {string} entry
 * @param {string} outfile
 */
const command = async (entry, outfile) => {
  await build({
    ...shared,
    entryPoints: [entry],
    outfile,
    minify: true,
    // Native parts are found where npm put them; ws's optional accelerators are not used.
    external: ["koffi", "@homebridge/node-pty-prebuilt-multiarch", "bufferutil", "utf-8-validate"],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [apart],
  })
  chmodSync(join(root, outfile), 0o755)
}

compile()
prune()
await library()
rmSync(join(dist, "procwire-parts"), { recursive: true, force: true })
for (const [name, entry] of Object.entries(parts)) await command(entry, `dist/procwire-parts/${name}.mjs`)
await command("adapters/node/main.ts", "dist/procwire.mjs")
await command("conformance/cli.ts", "dist/procwire-conformance.mjs")
