// @ts-check
// `npm run build`; `npm run build -- bun` and `npm run build -- deno` make the command as one executable instead.
//
// - dist/core, dist/adapters, dist/conformance: every module by the compiler, for the scripts and tests of this
//   repository.
// - dist/lib: the library as it is published. One file for each export, the chunks that they share, and the
//   declarations that they reach. The packages that npm installs with it, or the user beside it, stay imports.
// - dist/lib/bundled: what the command of the suite needs `effect` for, with `effect` in it. The rest of it is in the
//   library, and needs no more than npm installs.
// - dist/procwire.cjs: the command, with its packages. It only starts the program in dist/procwire-parts, a script
//   whose code V8 can keep. Code that only some uses need is beside it: a server starts faster if it need not read
//   that.
// - dist/procwire-conformance.mjs: the other command, from the library.
// - dist/THIRD_PARTY_NOTICES and dist/sbom.cdx.json: the packages whose code these have, with their licences.
// - dist/web: the page for browsers, compressed.
// - dist/schema: the wire for machines.
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { decode, encode } from "@jridgewell/sourcemap-codec"
import { build } from "esbuild"
import { declarations } from "./declarations.mjs"
import * as Notices from "./notices.mjs"
import { procwire } from "./procwire.mjs"
import { writeSchema } from "./schema/files.mjs"
import { web } from "./web.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = join(root, "dist")
const lib = join(dist, "lib")

/** @import { SourceMapSegment } from "@jridgewell/sourcemap-codec" */
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
 * The target of a condition of an export: a file, or further conditions.
 * @typedef {string | { readonly [condition: string]: Place }} Place
 * @type {{ exports: Readonly<Record<string, Place>>, dependencies?: object, optionalDependencies?: object,
 *   peerDependenciesMeta?: object, devDependencies: Record<string, string> }}
 */
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** @type {{ devDependencies: Record<string, string> }} */
const manifestOfEffect3 = JSON.parse(readFileSync(join(root, "adapters/effect3/package.json"), "utf8"))

/**
 * The files of an export.
 * @param {Place} place
 * @returns {string[]}
 */
const filesOf = (place) => (typeof place === "string" ? [place] : Object.values(place).flatMap(filesOf))

/** @param {string} name of an export: those in Effect need the package `effect` of the user */
const isInEffect = (name) => name === "./effect" || name.startsWith("./effect/")

/** The export for programs on Effect 3, over the library in promises; its packages are those of its own folder. */
const forEffect3 = "./effect3"

/** @param {string} name of an export: those in promises have what they need of `effect` in them */
const isInPromises = (name) => !isInEffect(name) && name !== forEffect3

/**
 * The modules behind the exports that are chosen, as paths below dist/lib without their extensions.
 * @param {(name: string) => boolean} chosen
 */
const modulesOf = (chosen) => {
  const places = Object.entries(manifest.exports).filter(([name]) => chosen(name) && !name.endsWith(".json"))
  const files = places.flatMap(([, place]) => filesOf(place)).map((file) => relative(lib, join(root, file)))
  const modules = files.map((file) => file.replace(/(\.d\.ts|\.js)$/, ""))
  return [...new Set(modules)].filter((module) => !module.startsWith("checked/"))
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

/** Dependencies and peers of the package. Anything else becomes part of the library. */
const installed = [
  ...Object.keys(manifest.dependencies ?? {}),
  ...Object.keys(manifest.optionalDependencies ?? {}),
  ...Object.keys(manifest.peerDependenciesMeta ?? {}),
]

const notices = Notices.make(root)

/** Modules that the command of the suite loads by path; see conformance/command/SpawnerFlag.ts. */
const ofSpawners = [
  "conformance/spawner/SpawnerRunner",
  "adapters/sandbox/NamedSpawners",
  "adapters/shared/HostPlatform",
]

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

/**
 * Modules of packages have no source map: a trace through them shows where they are in the library.
 * @type {Plugin}
 */
const unmapped = {
  name: "unmapped",
  setup: ({ onLoad }) => {
    const map = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64")
    onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}\n//# sourceMappingURL=data:application/json;base64,${map}`,
      loader: "js",
    }))
  },
}

/**
 * The code of features is in the chunks of those: a chunk of its own for each would make a tenth more files. Their
 * imports stand behind the code, whose lines keep their numbers.
 * @type {Plugin}
 */
const withFeatures = {
  name: "with-features",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/core\/features\/\w+\/\w+\.ts$/ }, ({ path }) => {
      const late = /\bimport\("([^"]+)"\)/g
      const text = readFileSync(path, "utf8")
      const imports = [...text.matchAll(late)].map(
        ([, from], index) => `import * as late${index} from "${from}"`,
      )
      let index = 0
      const code = text.replaceAll(late, () => `Promise.resolve(late${index++})`)
      return { contents: [code, ...imports].join("\n"), loader: "ts" }
    }),
}

/**
 * Bundles modules into dist/lib, with the chunks that they share. Lines are short: what a stack trace shows can be
 * found.
 * @param {readonly string[]} names of modules
 * @param {BuildOptions & { external: string[] }} options
 * @returns the names that each module exports
 */
const modules = async (names, { external, plugins = [], ...options }) => {
  const { metafile } = await build({
    ...shared,
    ...options,
    entryPoints: entries(names),
    outdir: "dist/lib",
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 300,
    splitting: true,
    metafile: true,
    plugins: [notices.plugin, withFeatures, ...plugins],
    external: withSubpaths(external),
  })
  return Object.fromEntries(
    Object.entries(metafile.outputs).map(([file, { exports }]) => [`./${file}`, exports]),
  )
}

/** An import of a chunk for nothing but its effects, and chunks have none. Bundlers of programs would warn of each. */
const bareImport = /import"\.{1,2}\/[^"]*\.js";/g

/**
 * Takes the bare imports out of a module, and out of its source map all that a stack trace can do without: it needs the
 * file and the line, a quarter of the map.
 * @param {string} path
 */
const finish = (path) => {
  const code = readFileSync(path, "utf8")
  writeFileSync(path, code.replaceAll(bareImport, ""))
  if (!existsSync(`${path}.map`)) return
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8"))
  const cuts = code.split("\n").map((line) => [...line.matchAll(bareImport)])
  let last = ""
  const lines = decode(map.mappings).map((segments, number) =>
    segments.flatMap(
      /** @returns {SourceMapSegment[]} */ ([before, source, line], index) => {
        const cut = (cuts[number] ?? []).filter((match) => match.index < before)
        const column = before - cut.reduce((sum, [text]) => sum + text.length, 0)
        if (source === undefined || line === undefined) return [[column]]
        const place = `${source}:${line}`
        if (place === last && index > 0) return []
        last = place
        return [[column, source, line, 0]]
      },
    ),
  )
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, names: [], mappings: encode(lines) }))
}

/** The packages in Effect that an export needs before it can be loaded, with the line of each. @param {string} name */
const peersOf = (name) => {
  const { devDependencies } = name === forEffect3 ? manifestOfEffect3 : manifest
  const peers = name === forEffect3 ? ["effect", "@effect/platform"] : ["effect"]
  return Object.fromEntries(peers.map((peer) => [peer, devDependencies[peer]?.replace(/\.\d+$/, "")]))
}

/**
 * Writes what `import` finds of an export in Effect: it looks at the packages of the user first, and then loads the
 * module that `require` finds.
 * @param {string} name of the export
 * @param {Place} place
 * @param {Record<string, string[]>} names that each file exports
 */
const writeChecked = (name, place, names) => {
  if (typeof place === "string") return
  const { require: real, default: checked } = place
  if (typeof real === "string" && typeof checked === "string") {
    const file = join(root, checked)
    /** @param {string} path */
    const from = (path) => relative(dirname(file), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      file,
      `import { check } from "${from(join(lib, `${peerCheck}.js`))}"\n` +
        `check("procwire${name.slice(1)}", ${JSON.stringify(peersOf(name))})\n` +
        `export const { ${names[real]?.join(", ")} } = await import("${from(join(root, real))}")\n`,
    )
  }
  for (const inner of Object.values(place)) writeChecked(name, inner, names)
}

const peerCheck = "adapters/shared/PeerCheck"

/**
 * The library in promises, as a module that imports it finds it in dist/lib.
 * @type {Plugin}
 */
const overPromises = {
  name: "over-promises",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.\/node\/index\.ts$/ }, () => ({ path: "../node/index.js", external: true })),
}

/** Writes dist/lib. The `declared` files are still on their way, and take longest. */
const library = async () => {
  const [promises, effects] = [modulesOf(isInPromises), modulesOf(isInEffect)]
  const effect3 = modulesOf((name) => name === forEffect3)
  rmSync(lib, { recursive: true, force: true })
  const declared = declarations(root, promises)
  await modules([...promises, "conformance/cli", ...ofSpawners], {
    chunkNames: "chunks/[name]-[hash]",
    minifyIdentifiers: true,
    sourcemap: true,
    sourcesContent: false,
    plugins: [unmapped],
    external: installed.filter((name) => name !== "effect"),
  })
  const named = await modules([...effects, peerCheck], {
    chunkNames: "effect/[name]-[hash]",
    external: installed,
  })
  const names = { ...named, ...(await modules(effect3, { external: installed, plugins: [overPromises] })) }
  for (const file of readdirSync(lib, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(".js")) finish(join(lib, file))
  for (const [name, place] of Object.entries(manifest.exports))
    if (!isInPromises(name)) writeChecked(name, place, names)
  // The cases for clients are data, for every language.
  const cases = "conformance/client/cases"
  mkdirSync(join(lib, cases), { recursive: true })
  for (const name of readdirSync(join(root, cases))) {
    const data = JSON.parse(readFileSync(join(root, cases, name), "utf8"))
    writeFileSync(join(lib, cases, name), `${JSON.stringify(data)}\n`)
  }
  const declarationsOf = (/** @type {readonly string[]} */ names) =>
    names.map((name) => join(dist, `${name}.d.ts`))
  const inPromises = new Set(declarationsOf(promises))
  const overThem = [...reached(declarationsOf(effect3), new Set(inPromises))].filter(
    (file) => !inPromises.has(file),
  )
  for (const file of [...reached(declarationsOf(effects)), ...overThem]) {
    const copy = join(lib, relative(dist, file))
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, published(readFileSync(file, "utf8")))
  }
  return { declared }
}

const everything = async () => {
  compile()
  prune()
  await writeSchema(root)
  const { declared } = await library()
  await web(root, { plugins: [notices.plugin] })
  await procwire(root, { plugins: [notices.plugin] })
  notices.write(join(dist, "THIRD_PARTY_NOTICES"))
  notices.writeMaterials(join(dist, "sbom.cdx.json"))
  writeFileSync(
    join(dist, "procwire-conformance.mjs"),
    '#!/usr/bin/env node\nimport "./lib/conformance/cli.js"\n',
  )
  chmodSync(join(dist, "procwire-conformance.mjs"), 0o755)
  await declared
}

const [executable] = process.argv.slice(2)
if (executable === undefined) await everything()
else if (executable === "bun" || executable === "deno") await import(`./${executable}.mjs`)
else {
  process.stderr.write(`npm run build: ${executable}: expected bun or deno, or nothing\n`)
  process.exitCode = 2
}
