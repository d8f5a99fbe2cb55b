// @ts-check
// `npm run build`; `npm run build -- bun` and `npm run build -- deno` make the command as one executable instead.
//
// - dist/core, dist/adapters, dist/conformance: every module by the compiler, for the scripts and tests of this
//   repository.
// - dist/lib: the library as it is published. One file for each export, the chunks that they share, and the
//   declarations that they reach. The packages that npm installs with it, or the user beside it, stay imports.
// - dist/lib/bundled: what the command of the suite needs `effect` for, with `effect` in it. The rest of it is in the
//   library, and needs no more than npm installs.
// - dist/procwire.mjs: the command, with its packages. It only starts the program in dist/procwire-parts, a script
//   whose code V8 can keep. What only some uses need is beside it: a server starts faster if it need not read that.
// - dist/procwire-conformance.mjs: the other command, from the library.
// - dist/THIRD_PARTY_NOTICES and dist/sbom.cdx.json: the packages whose code these have, with their licences.
// - dist/web: the page for browsers, compressed.
// - dist/schema: the wire for machines.
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import * as Notices from "./notices.mjs"
import { procwire } from "./procwire.mjs"
import { writeSchema } from "./schema/files.mjs"
import { web } from "./web.mjs"

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
 *   peerDependenciesMeta?: object }}
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
  ...Object.keys(manifest.peerDependenciesMeta ?? {}),
]

const notices = Notices.make(root)

/** What judges messages by the schemas, for the command of the suite and for the library. */
const judges = ["conformance/suite/WireInvariants", "conformance/client/Judge"]

/** What `procwire-conformance --spawner` loads; see conformance/command/SpawnerFlag.ts. */
const ofSpawners = [
  "conformance/spawner/runner",
  "adapters/sandbox/NamedSpawners",
  "adapters/node/NodeSpawner",
  "adapters/bun/BunSpawner",
  "adapters/deno/DenoSpawner",
]

/**
 * The judges are beside the library. What imports them is in the root of a folder of it: chunks, and the commands.
 * @type {Plugin}
 */
const judgesApart = {
  name: "judges-apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const name = relative(root, join(resolveDir, path)).replace(/\.ts$/, "")
      return judges.includes(name) ? { path: `../bundled/${name}.js`, external: true } : undefined
    })
  },
}

/** @param {readonly string[]} names of modules */
const entries = (names) => Object.fromEntries(names.map((name) => [name, `${name}.ts`]))

/** @param {readonly string[]} names of packages */
const withSubpaths = (names) => names.flatMap((name) => [name, `${name}/*`])

/**
 * Declarations with a tab for each step of four blanks, which are a tenth of them, and for compilers before 5.7, which
 * know no kinds of `Uint8Array`: the usual one has that name in all of them.
 * @param {string} text
 */
const published = (text) =>
  text
    .replaceAll(/^(?: {4})+/gm, (blanks) => "\t".repeat(blanks.length / 4))
    .replaceAll("Uint8Array<ArrayBufferLike>", "Uint8Array")

const library = async () => {
  const names = exported()
  rmSync(lib, { recursive: true, force: true })
  await build({
    ...shared,
    entryPoints: entries([...names, "conformance/cli"]),
    outdir: "dist/lib",
    // Names stay as they are, and lines are short: what a stack trace shows can be found.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 300,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    plugins: [notices.plugin, judgesApart],
    external: withSubpaths(installed),
  })
  await build({
    ...shared,
    entryPoints: entries([...judges, ...ofSpawners]),
    outdir: "dist/lib/bundled",
    minify: true,
    chunkNames: "chunks/[name]-[hash]",
    splitting: true,
    plugins: [notices.plugin],
    external: withSubpaths(installed.filter((name) => name !== "effect")),
  })
  // The cases for clients are data, for every language.
  const cases = "conformance/client/cases"
  mkdirSync(join(lib, cases), { recursive: true })
  for (const name of readdirSync(join(root, cases))) {
    const data = JSON.parse(readFileSync(join(root, cases, name), "utf8"))
    writeFileSync(join(lib, cases, name), `${JSON.stringify(data)}\n`)
  }
  for (const file of reached(names.map((name) => join(dist, `${name}.d.ts`)))) {
    const copy = join(lib, relative(dist, file))
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, published(readFileSync(file, "utf8")))
  }
}

const everything = async () => {
  compile()
  prune()
  await writeSchema(root)
  await library()
  await web(root, { plugins: [notices.plugin] })
  await procwire(root, { plugins: [notices.plugin] })
  notices.write(join(dist, "THIRD_PARTY_NOTICES"))
  notices.writeMaterials(join(dist, "sbom.cdx.json"))
  writeFileSync(
    join(dist, "procwire-conformance.mjs"),
    '#!/usr/bin/env node\nimport "./lib/conformance/cli.js"\n',
  )
  chmodSync(join(dist, "procwire-conformance.mjs"), 0o755)
}

const [executable] = process.argv.slice(2)
if (executable === undefined) await everything()
else if (executable === "bun" || executable === "deno") await import(`./${executable}.mjs`)
else {
  process.stderr.write(`npm run build: ${executable}: expected bun or deno, or nothing\n`)
  process.exitCode = 2
}
