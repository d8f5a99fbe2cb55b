// @ts-check
// The command `procwire` for Node: dist/procwire.cjs, which only starts the program in dist/procwire-parts. Both are
// scripts: V8 can keep the code of one from one start to the next, and Node's loader of ES modules would take a quarter
// of the time to the first answer. What only some commands need is beside the program, because a server starts faster
// if it need not read that.
import { createHash } from "node:crypto"
import { chmodSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative } from "node:path"
import { build } from "esbuild"
import { bundle, external } from "./bundle.mjs"

/** @import { BuildOptions, Plugin } from "esbuild" */

const require = createRequire(import.meta.url)

/**
 * Modules that import nothing but packages, and are imported when they are needed.
 * @type {Readonly<Record<string, string>>}
 */
const parts = { mcp: "adapters/shared/mcp/McpSdk.ts" }

/** @type {Plugin} */
const apart = {
  name: "apart",
  setup: ({ initialOptions: { absWorkingDir: root = "" }, onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined
      const module = relative(root, join(resolveDir, path))
      const name = Object.keys(parts).find((part) => parts[part] === module)
      return name === undefined ? undefined : { path: `./procwire-parts/${name}.cjs`, external: true }
    })
  },
}

/**
 * Modules of the user are imported by what starts the program.
 * @type {Plugin}
 */
const userModules = {
  name: "user-modules",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/adapters\/sandbox\/UserModule\.ts$/ }, () => ({
      contents: "export const load = importModule",
    }))
  },
}

/**
 * The MCP SDK checks with ajv what a user has answered to a question of the server. The command asks nothing.
 * @type {Plugin}
 */
const withoutAjv = {
  name: "without-ajv",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/sdk\/dist\/esm\/validation\/ajv-provider\.js$/ }, () => ({
      contents: "export class AjvJsonSchemaValidator {}",
    }))
  },
}

/** Modules of Node that a start can do without: they are loaded when a function of theirs is first called. */
const late = ["child_process", "crypto", "fs/promises", "module", "timers/promises", "tls", "zlib"].map(
  (name) => `node:${name}`,
)

/**
 * What is known of a module of Node when the program is built, so that it need not be loaded: the command is no worker.
 * @type {Readonly<Record<string, string>>}
 */
const known = { "node:worker_threads": "export const isMainThread = true" }

/**
 * The same in a script, which has the `require` of the command: Node's module loads the loader of ES modules.
 * @type {typeof known}
 */
const knownInScript = { ...known, "node:module": "export const createRequire = () => require" }

/** Loads a module of Node once. `later` is a function or class of it that loads it when it is called. */
const loading = (/** @type {string} */ path) => `
let all
const load = () => (all ??= process.getBuiltinModule("${path}"))
const later = (name) => {
  const stand = function (...args) {
    return new.target === undefined ? load()[name](...args) : Reflect.construct(load()[name], args)
  }
  return Object.defineProperty(stand, Symbol.hasInstance, { value: (it) => it instanceof load()[name] })
}
`

/**
 * A module of Node as one with exports. What esbuild makes of an import otherwise copies every property of the module
 * for every file that imports it, with two closures each: half a megabyte at each start.
 * @type {Plugin}
 */
const modulesOfNode = {
  name: "modules-of-node",
  setup: ({ initialOptions: { format }, onResolve, onLoad }) => {
    const replaced = format === "cjs" ? knownInScript : known
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "node", sideEffects: false } : undefined,
    )
    onLoad({ filter: /^/, namespace: "node" }, ({ path }) => {
      if (replaced[path] !== undefined) return { contents: replaced[path] }
      const module = require(path)
      const names = Object.keys(module).filter((name) => /^[A-Za-z_]\w*$/.test(name) && name !== "default")
      const exports = names.map((name) => {
        const isLate = late.includes(path) && typeof module[name] === "function"
        return `export const ${name} = /* @__PURE__ */ ${isLate ? `later("${name}")` : `(() => load().${name})()`}`
      })
      return { contents: `${loading(path)}${exports.join("\n")}\nexport default /* @__PURE__ */ load()` }
    })
  },
}

/**
 * Builds a script, into a folder of parts.
 * @param {BuildOptions & { entryPoints: string[], outfile: string }} options
 */
const script = (options) =>
  build({
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    // A script has no `import`. So modules of Node are loaded, too, when code that needs them is.
    supported: { "dynamic-import": false },
    external,
    minify: true,
    logLevel: "warning",
    ...options,
    plugins: [...(options.plugins ?? []), modulesOfNode],
  })

/**
 * The second line of `procwire.cjs`, which is a script of the shell and of Node: to the shell a command that starts
 * Node on the file, to Node a string and a comment. Started without `--`, Node takes `--env-file` and more of its own
 * options out of the arguments of the program. A first line `#!/usr/bin/env -S node --` is refused by BusyBox.
 *
 * In place of a stdout that is closed Node opens /dev/null, and what is written there seems to be written. Opened for
 * reading it fails as a closed one does (EBADF). `true` is no special builtin, whose failed redirection ends the shell,
 * and 3 is another descriptor than 1, which a shell would take for done.
 */
const startNode = `":" //; { true 3>&1; } 2>/dev/null || exec 1</dev/null; exec node -- "$0" "$@"`

/**
 * The first lines of what starts the program. A script has no `import.meta.url`.
 */
const startScript = `${startNode}
"use strict"
const commandUrl = require("node:url").pathToFileURL(__filename).href`

/**
 * Builds a program from `main.ts` of an adapter, and what starts it from `start.ts`: `procwire.cjs` for Node, and for
 * Deno the module `procwire.mjs`.
 * @param {"node" | "deno"} adapter
 * @param {string} folder for that and for `procwire-parts`
 * @param {BuildOptions} options
 */
export const program = async (adapter, folder, options) => {
  const outfile = join(folder, "procwire-parts/procwire.cjs")
  await script({
    ...options,
    entryPoints: [`adapters/${adapter}/main.ts`],
    outfile,
    plugins: [...(options.plugins ?? []), userModules],
    banner: { js: "(function (require, importModule, commandUrl, early) {" },
    footer: { js: "})" },
    define: { "import.meta.url": "commandUrl" },
  })
  const hash = createHash("sha256").update(readFileSync(outfile)).digest("hex")
  await bundle({
    ...options,
    entryPoints: [`adapters/${adapter}/start.ts`],
    minify: true,
    plugins: [...(options.plugins ?? []), modulesOfNode],
    ...(adapter === "node"
      ? {
          outfile: join(folder, "procwire.cjs"),
          format: "cjs",
          banner: { js: startScript },
          define: { PROGRAM: JSON.stringify(hash), "import.meta.url": "commandUrl" },
        }
      : {
          outfile: join(folder, "procwire.mjs"),
          banner: { js: startNode },
          define: { PROGRAM: JSON.stringify(hash) },
        }),
  })
}

/**
 * Builds the command from the sources in a folder, into its dist.
 * @param {string} root
 * @param {Pick<BuildOptions, "logLevel" | "plugins">} [options]
 */
export const procwire = async (root, options = {}) => {
  const dist = join(root, "dist")
  rmSync(join(dist, "procwire-parts"), { recursive: true, force: true })
  /** @type {BuildOptions} */
  const all = { absWorkingDir: root, ...options, plugins: [apart, withoutAjv, ...(options.plugins ?? [])] }
  for (const [name, entry] of Object.entries(parts))
    await script({ ...all, entryPoints: [entry], outfile: join(dist, `procwire-parts/${name}.cjs`) })
  await program("node", dist, all)
  chmodSync(join(dist, "procwire.cjs"), 0o755)
}
