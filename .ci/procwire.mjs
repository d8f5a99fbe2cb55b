// @ts-check
// The command `procwire` for Node: dist/procwire.mjs, which only starts the program in dist/procwire-parts. The program
// is a script, whose code V8 can keep from one start to the next. What only some commands need is beside it, because a
// server starts faster if it need not read that.
import { createHash } from "node:crypto"
import { chmodSync, readFileSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import { build } from "esbuild"
import { bundle, external } from "./bundle.mjs"

/** @import { BuildOptions, Plugin } from "esbuild" */

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
 * Builds the command from the sources in a folder, into its dist.
 * @param {string} root
 * @param {Pick<BuildOptions, "logLevel">} [options]
 */
export const procwire = async (root, options = {}) => {
  /** @param {BuildOptions & { entryPoints: string[], outfile: string }} part */
  const script = (part) =>
    build({
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node20",
      // A script has no `import`. So modules of Node are loaded, too, when code that needs them is.
      supported: { "dynamic-import": false },
      external,
      plugins: [apart],
      absWorkingDir: root,
      minify: true,
      logLevel: "warning",
      ...options,
      ...part,
    })
  const folder = join(root, "dist/procwire-parts")
  rmSync(folder, { recursive: true, force: true })
  for (const [name, entry] of Object.entries(parts))
    await script({ entryPoints: [entry], outfile: join(folder, `${name}.cjs`) })
  const outfile = join(folder, "procwire.cjs")
  await script({
    entryPoints: ["adapters/node/main.ts"],
    outfile,
    banner: { js: "(function (require, commandUrl) {" },
    footer: { js: "})" },
    define: { "import.meta.url": "commandUrl" },
  })
  const hash = createHash("sha256").update(readFileSync(outfile)).digest("hex")
  const start = join(root, "dist/procwire.mjs")
  await bundle({
    absWorkingDir: root,
    entryPoints: ["adapters/node/start.ts"],
    outfile: start,
    minify: true,
    define: { PROGRAM: JSON.stringify(hash) },
    ...options,
  })
  chmodSync(start, 0o755)
}
