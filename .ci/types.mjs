// @ts-check
// Compiles programs against the packed package, those that have to compile and those that must not:
// conformance/lab/types, as for Node and for pages, by the oldest supported TypeScript and by that of the repository.
import { execFile, execFileSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { each } from "./each.mjs"
import { root } from "./setup.mjs"

/**
 * The worlds of each compiler, and its resolution of modules. The older one takes four times as long: it sees each
 * world and each way once.
 */
const compilers = {
  typescript: [
    "node.nodenext",
    "node.node16",
    "node.bundler",
    "web.nodenext",
    "web.bundler",
    "effect.nodenext",
    "effect.bundler",
    "effect3.nodenext",
  ],
  "typescript-5.6": ["node.node16", "web.bundler", "effect.nodenext", "effect3.bundler"],
}

const resolutions = {
  nodenext: { module: "nodenext" },
  node16: { module: "node16" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
}

/** The packages that programs without Effect do not have. */
const ofEffect = /^(?:effect$|@effect\/)/

/**
 * The files of a program, the types that are there without an import, and the packages that are installed beside
 * procwire, those of {@link ofEffect} or not.
 */
const worlds = {
  node: {
    hasEffect: false,
    files: ["node.ts", "client.ts"],
    compilerOptions: { lib: ["es2022"], types: ["node"] },
  },
  web: {
    hasEffect: false,
    files: ["web.ts", "client.ts"],
    compilerOptions: { lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"], types: [] },
  },
  effect: { hasEffect: true, files: ["effect.ts"], compilerOptions: { lib: ["es2022"], types: ["node"] } },
  effect3: { hasEffect: true, files: ["effect3.ts"], compilerOptions: { lib: ["es2022"], types: ["node"] } },
}

/** The folders of packages of a world that are not those of the repository. */
const folders = new Map([["effect3", join(root, "adapters/effect3/node_modules")]])

const strict = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  target: "es2022",
}

/** A program needs no types of its own for these: they are there once the package is. */
const own = /^(?:node_modules\/procwire\/|\w+\.ts)/

/**
 * The errors of a compiler for a configuration, but for faults of the declarations of other packages.
 * @param {string} folder
 * @param {string} compiler
 * @param {string} config
 * @returns {Promise<string[]>}
 */
const errors = (folder, compiler, config) =>
  new Promise((resolve) => {
    const words = [join(root, "node_modules", compiler, "bin/tsc"), "--pretty", "false", "-p", config]
    execFile(process.execPath, words, { cwd: folder, maxBuffer: 1 << 26 }, (failure, stdout, stderr) => {
      if (failure === null) return resolve([])
      const said = `${stdout}${stderr}`.split("\n").filter((line) => /^\S.*error TS\d+/.test(line))
      const ours = said.filter((line) => !/^[^(]+\(/.test(line) || own.test(line))
      return resolve(said.length > 0 ? ours : [`${failure.message}`])
    })
  })

/**
 * Makes a folder of a program that has installed the package.
 * @param {string} tarball its path
 * @param {string} folder
 * @param {boolean} hasEffect
 * @param {string} [own] a folder of packages that come before those of the repository
 */
const install = (tarball, folder, hasEffect, own = "") => {
  const installed = join(folder, "node_modules/procwire")
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"])
  const { dependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(installed, "package.json"), "utf8"),
  )
  const packages = [...Object.keys({ ...dependencies, ...peerDependenciesMeta }), "@types/node"]
  for (const name of packages.filter((one) => hasEffect || !ofEffect.test(one))) {
    const found = [own, join(root, "node_modules")].map((each) => join(each, name)).find(existsSync)
    if (found === undefined) continue
    const place = join(folder, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(found, place)
  }
  cpSync(join(root, "conformance/lab/types"), folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
}

/**
 * The faults of a package, each with the compiler and the configuration that see it.
 * @param {string} tarball its path
 * @returns {Promise<string[]>}
 */
export const typeFaults = async (tarball) => {
  const folder = mkdtempSync(join(tmpdir(), "procwire-types-"))
  try {
    for (const [world, { compilerOptions, files, hasEffect }] of Object.entries(worlds)) {
      install(tarball, join(folder, world), hasEffect, folders.get(world))
      for (const [kind, resolution] of Object.entries(resolutions))
        writeFileSync(
          join(folder, world, `${kind}.json`),
          JSON.stringify({ files, compilerOptions: { ...strict, ...resolution, ...compilerOptions } }),
        )
    }
    const all = Object.entries(compilers)
      .toReversed()
      .flatMap(([compiler, names]) => names.map((name) => ({ compiler, name })))
    const faults = await each(all, 2, async ({ compiler, name }) => {
      const [world = "", kind] = name.split(".")
      const found = await errors(join(folder, world), compiler, `${kind}.json`)
      return found.map((line) => `${compiler}, ${name}: ${line}`)
    })
    return faults.flat()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] !== undefined && relative(process.argv[1], import.meta.filename) === "") {
  const faults = await typeFaults(process.argv[2] ?? "")
  process.stdout.write(faults.map((line) => `${line}\n`).join(""))
  process.exitCode = faults.length === 0 ? 0 : 1
}
