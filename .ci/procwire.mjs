// @ts-check
// The command `procwire` for Node: dist/procwire.cjs, which only starts the program in dist/procwire-parts. Both are
// scripts: V8 can keep the code of one from one start to the next, and Node's loader of ES modules would take a quarter
// of the time to the first answer. Code of some commands is beside the program, because a server starts faster
// if it need not read that.
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, join, relative } from "node:path"
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
 * Facts of a module of Node at the build of the program, so that it need not be loaded: the command is no worker.
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
 * A module of Node as one with exports. The import of esbuild otherwise copies every property of the module
 * for every file that imports it, with two closures each: half a megabyte at each start.
 * @returns {Plugin}
 */
const modulesOfNode = (replaced = known) => ({
  name: "modules-of-node",
  setup: ({ onResolve, onLoad }) => {
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
})

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
    plugins: [...(options.plugins ?? []), modulesOfNode(knownInScript)],
  })

/**
 * The modules whose code is in the program itself, with all that they import: the commands whose code V8 keeps, and
 * what they load in the usual case. The code of everything else is in the part `rest`, which is read when it is first
 * needed.
 */
const usual = [
  "adapters/shared/cli/ServeCommand.ts",
  "adapters/shared/cli/RunCommand.ts",
  "adapters/shared/cli/PsCommand.ts",
  "adapters/shared/cli/McpCommand.ts",
  "adapters/shared/Connect.ts",
  "adapters/shared/InProcess.ts",
  "adapters/shared/HostPlatform.ts",
  "adapters/shared/transport/WebSocketListener.ts",
  "adapters/shared/transport/WebSocketUpgrades.ts",
  "adapters/shared/transport/WebSocketClient.ts",
  "core/client/ExecClient.ts",
]

/** An export that may change, but for two of `effect`, which are read in the chunks that have them. */
const changing = /^export let (?!backEdges|compilerAdaptersEnabled)/m

/**
 * A chunk of esbuild as a function that makes its exports. Variables of other chunks become constants of the function:
 * so code reads them as fast as its own. A module may therefore not export a variable that it changes later.
 * @param {string} text an ESM module, minified
 */
const toFunction = (text) => {
  /** @type {string[]} */
  const lines = []
  let at = 0
  const statement = /import(?:\{([^}]*)\}from)?"\.\/([^"]+)\.js";/y
  for (let found = statement.exec(text); found !== null; found = statement.exec(text)) {
    at = statement.lastIndex
    // Chunks have no effects: one of which nothing is named need not be there.
    if (found[1] !== undefined)
      lines.push(`const{${found[1].replaceAll(" as ", ":")}}=procwireChunk("${found[2]}");`)
  }
  const end = /export\{([^}]*)\};\s*$/.exec(text)
  const body = text
    .slice(at, end?.index)
    .replaceAll(/\bimport\("\.\/([\w.-]+)\.js"\)/g, 'Promise.resolve().then(()=>procwireChunk("$1"))')
    .replaceAll(/\bimport\(("[^"]+")\)/g, "Promise.resolve().then(()=>procwireModule(require($1)))")
  const names = (end?.[1] ?? "").split(",").map((name) => name.split(" as "))
  const exported = names.map(([own, name = own]) => (name === own ? own : `${name}:${own}`))
  return `(){${lines.join("")}${body}\nreturn{${exported.join(",")}}}`
}

/**
 * Builds the program as two scripts: `procwire.cjs` and `rest.cjs`. Each is a table of functions, one for each chunk of
 * modules that are reached from the same places; one runs when its chunk is first needed. So V8 compiles, and keeps,
 * nothing of what a command does not use.
 * @param {string} folder
 * @param {BuildOptions & { entryPoints: string[] }} options
 */
const scripts = async (folder, options) => {
  const { metafile, outputFiles } = await build({
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    minify: true,
    logLevel: "warning",
    ...options,
    plugins: [...(options.plugins ?? []), modulesOfNode(knownInScript)],
    outdir: folder,
    chunkNames: "[name]-[hash]",
    write: false,
    metafile: true,
  })
  for (const input of Object.keys(metafile.inputs)) {
    const path = join(options.absWorkingDir ?? "", input)
    if (existsSync(path) && changing.test(readFileSync(path, "utf8")))
      throw new Error(`${input} exports a variable that may change`)
  }
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    ...output,
    id: basename(path, ".js"),
  }))
  const byId = new Map(outputs.map((output) => [output.id, output]))
  /** @type {Set<string>} */
  const early = new Set()
  const reach = (/** @type {string} */ id) => {
    const output = early.has(id) ? undefined : byId.get(id)
    if (output === undefined) return
    early.add(id)
    for (const { kind, path } of output.imports) if (kind === "import-statement") reach(basename(path, ".js"))
  }
  for (const { entryPoint, id } of outputs)
    if (entryPoint !== undefined && [...options.entryPoints, ...usual].includes(entryPoint)) reach(id)
  const table = (/** @type {boolean} */ isEarly) =>
    outputFiles
      .map(({ path, text }) => ({ id: basename(path, ".js"), text }))
      .filter(({ id }) => early.has(id) === isEarly)
      .map(({ id, text }) => `"${id}"${toFunction(text)}`)
      .join(",\n")
  const main = basename(options.entryPoints[0] ?? "", ".ts")
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, "procwire.cjs"),
    `(function(require,importModule,commandUrl,early){"use strict";
const procwireMade={};let procwireRest;
const procwireChunk=(id)=>procwireMade[id]??=(procwireChunks[id]??procwireLate()[id])();
const procwireLate=()=>procwireRest??=require("./procwire-parts/rest.cjs")(
require,importModule,commandUrl,early,procwireChunk,procwireModule);
const procwireModule=(module)=>({...module,default:module});
const procwireChunks={${table(true)}};
procwireChunk("${main}")})`,
  )
  writeFileSync(
    join(folder, "rest.cjs"),
    `"use strict";module.exports=(require,importModule,commandUrl,early,procwireChunk,procwireModule)=>({${table(false)}})`,
  )
}

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
  const whole = {
    ...options,
    entryPoints: [`adapters/${adapter}/main.ts`],
    plugins: [...(options.plugins ?? []), userModules],
    define: { "import.meta.url": "commandUrl", "import.meta": "{}" },
  }
  if (adapter === "node") await scripts(join(folder, "procwire-parts"), whole)
  else
    await script({
      ...whole,
      outfile,
      banner: { js: "(function (require, importModule, commandUrl, early) {" },
      footer: { js: "})" },
    })
  const hash = createHash("sha256").update(readFileSync(outfile)).digest("hex")
  await bundle({
    ...options,
    entryPoints: [`adapters/${adapter}/start.ts`],
    minify: true,
    plugins: [...(options.plugins ?? []), modulesOfNode(adapter === "node" ? knownInScript : known)],
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
