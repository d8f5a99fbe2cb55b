// `npm run build`: the library by the compiler (dist/core, dist/adapters, dist/conformance) and the two
// commands as one bundled file each (dist/procwire.mjs, dist/procwire-conformance.mjs), but for packages that only some
// uses need: they are beside it, in dist/procwire-parts, because a server starts faster if it need not read them.
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Modules that import nothing but packages, and are imported when they are needed. */
const parts = { mcp: "adapters/shared/mcp/Sdk.ts" }

const apart = {
  name: "apart",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined
      const name = Object.keys(parts).find((part) => join(root, parts[part]) === join(resolveDir, path))
      return name === undefined ? undefined : { path: `./procwire-parts/${name}.mjs`, external: true }
    })
  },
}

const bundle = async (entry, outfile) => {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    // Native parts are found where npm put them; ws's optional accelerators are not used.
    external: ["koffi", "@homebridge/node-pty-prebuilt-multiarch", "bufferutil", "utf-8-validate"],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    plugins: [apart],
    logLevel: "warning",
  })
  chmodSync(`${root}${outfile}`, 0o755)
}

try {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b"], { cwd: root, stdio: "inherit" })
} catch {
  process.exit(1) // the compiler has said why
}
for (const [name, entry] of Object.entries(parts)) await bundle(entry, `dist/procwire-parts/${name}.mjs`)
await bundle("adapters/node/main.ts", "dist/procwire.mjs")
if (existsSync(`${root}conformance/cli.ts`)) await bundle("conformance/cli.ts", "dist/procwire-conformance.mjs")
