// @ts-check
// The lint: `npm run check -- lint`. Its import rules come from the table `imports`.
import { relative } from "node:path"

/** @import { DummyRuleMap, OxlintConfig, OxlintOverride } from "oxlint" */

/** The part of features below the method table. */
const wires =
  "core/features/Wires.ts core/features/FieldWires.ts core/features/*/wire.ts core/features/*/FileBounds.ts " +
  "core/features/*/Question.ts"

/**
 * The modules that a folder may import from outside that folder. A row holds for the folders below as well, unless
 * they have a row of their own; `!folder` takes one back. Tests and their helpers may import more: see `exceptions`.
 */
const imports = {
  core: "",
  "core/protocol": wires,
  "core/protocol/document": `core/protocol ${wires} core/features/Abouts.ts`,
  "core/features":
    "core/protocol core/spawn core/files core/http core/pattern core/process core/session core/transport core/rpc " +
    "core/client",
  "core/transport": "core/protocol",
  "core/rpc": "core/protocol core/transport",
  "core/spawn": "core/protocol",
  "core/files": `core/protocol core/spawn ${wires}`,
  "core/http": `core/protocol ${wires}`,
  "core/pattern": "core/protocol",
  "core/process": `core/protocol core/spawn ${wires}`,
  "core/session": "core/protocol core/spawn core/process core/transport",
  "core/directory": "",
  "core/fleet": "core/protocol core/transport core/rpc core/session core/directory",
  "core/server": "core !core/client !core/agent",
  "core/client": `core/protocol core/transport core/rpc ${wires} core/features/Client*.ts core/features/*/client.ts`,
  "core/agent": `core/protocol core/transport core/rpc core/client core/pattern ${wires}`,

  "adapters/web": "core",
  "adapters/shared": "core adapters/web !adapters/shared/cli",
  "adapters/shared/process": "core adapters/shared/host",
  "adapters/shared/transport": "core adapters/web adapters/shared/auth adapters/shared/host",
  "adapters/shared/keep":
    "core adapters/shared/host adapters/shared/process adapters/shared/transport adapters/shared/confine",
  "adapters/shared/serve": "core adapters/shared adapters/sandbox !adapters/shared/cli",
  "adapters/shared/doctor": "core adapters/shared adapters/sandbox !adapters/shared/cli",
  "adapters/shared/cli": "core adapters/shared adapters/sandbox",
  "adapters/node": "core adapters/web adapters/shared !adapters/shared/cli",
  "adapters/effect3": "core adapters/node adapters/shared !adapters/shared/cli",
  "adapters/bun": "core adapters/web adapters/shared !adapters/shared/cli",
  "adapters/deno": "core adapters/web adapters/shared !adapters/shared/cli",
  "adapters/sandbox": "core adapters/shared !adapters/shared/cli",

  conformance: "!conformance/lab",
  "conformance/suite": `core/protocol core/transport core/client ${wires}`,
  "conformance/suite/features": "conformance/suite conformance/lab/faults",
  "conformance/report": "conformance/suite conformance/command",
  "conformance/clients": "dist",
  "conformance/client": "core/protocol conformance/suite",
  "conformance/command":
    "core/protocol conformance/suite conformance/report conformance/client conformance/seam",
  "conformance/seam": "conformance/suite",
  "conformance/spawner": "core/protocol core/spawn conformance/suite conformance/seam",
  "conformance/transport":
    "core/protocol core/transport conformance/suite conformance/seam conformance/spawner",
  "conformance/directory": "core/directory conformance/suite conformance/seam",
  "conformance/simulation": "core",
  "conformance/targets": "conformance/lab/faults",
  "conformance/lab": ".ci dist conformance",
}

/** The modules that some files may not import; for all others the table holds. */
const exceptions = {
  "adapters/{node,bun,deno}/{main,program,start}.ts": ["**/conformance/**"],
  "core/features/{Client*,*/client}.ts": [
    "node:*",
    "**/process/**",
    "**/session/**",
    "**/spawn/**",
    "**/files/**",
    "**/http/**",
    "**/feature.ts",
  ],
  "core/**/{*.test.ts,testing/**,integration/**}": ["**/adapters/**", "**/conformance/**"],
  "adapters/**/{*.test.ts,testing/**,integration/**}": [
    "**/conformance/**",
    "!**/conformance/seam/**",
    "!**/conformance/spawner/**",
    "!**/conformance/transport/**",
    "!**/conformance/directory/**",
    "!**/conformance/testing/**",
  ],
  "conformance/{*,suite,report,command,client,spawner,transport,directory}/**/*.test.ts": [
    "**/lab/**",
    "**/.ci/**",
    "**/adapters/**",
  ],
}

/**
 * Folders that may not import `node:*`: the core, its simulation, and what runs in a browser.
 * @param {string} folder
 */
const isPure = (folder) =>
  folder.startsWith("core") || folder === "conformance/simulation" || folder === "adapters/web"

/**
 * @param {string[]} patterns
 * @param {string} message
 * @returns {DummyRuleMap}
 */
const restricted = (patterns, message) => ({
  "no-restricted-imports": [
    "error",
    { paths: ["effect", "@effect/platform"], patterns: [{ group: patterns, message }] },
  ],
})

/**
 * One override for each depth below the folder, because a pattern is matched against the specifier as it is written.
 * @param {[string, string]} row
 * @returns {OxlintOverride[]}
 */
const overridesOf = ([folder, list]) => {
  const words = list.split(" ").filter(Boolean)
  const node = isPure(folder) ? ["node:*"] : []
  const message = `${folder} may import ${list || "nothing outside itself"} (oxlint.config.mjs)`
  return [0, 1, 2, 3].map((depth) => {
    const up = "../".repeat(depth)
    const patterns = words.map((word) => {
      const below = word.endsWith(".ts") ? "" : "/**"
      const path = `${up}${relative(folder, word.replace("!", ""))}${below}`.replace(/^(?!\.)/, "./")
      return word.startsWith("!") ? path : `!${path}`
    })
    const files = [`${folder}/${"*/".repeat(depth)}*.{ts,mjs}`]
    return { files, rules: restricted([...node, `../${up}**`, ...patterns], message) }
  })
}

/** @type {OxlintConfig} */
export default {
  plugins: ["typescript", "import", "unicorn", "oxc"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["dist", "node_modules"],
  rules: {
    "no-shadow": "off",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-default-export": "error",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "no-console": "error",
    "unicorn/no-array-sort": "off",
    "unicorn/consistent-function-scoping": "off",
    "no-underscore-dangle": "off",
    "import/no-unassigned-import": "off",
    "require-yield": "off",
    "no-unmodified-loop-condition": "off",
  },
  overrides: [
    { files: ["*.config.{ts,mjs}"], rules: { "import/no-default-export": "off" } },
    { files: [".ci/**", "conformance/lab/{bench,types}/**"], rules: { "no-console": "off" } },
    ...Object.entries(imports).flatMap(overridesOf),
    ...Object.entries(exceptions).map(([files, patterns]) => ({
      files: [files],
      rules: restricted(patterns, `${files} may not import this (oxlint.config.mjs)`),
    })),
  ],
}
