// @ts-check
// The bundle of a program: one ESM file for Node that finds its native packages where npm put them.
import { build } from "esbuild"

/** @import { BuildOptions } from "esbuild" */

/** CommonJS packages in the bundle call `require`, which ESM does not have. */
const requireInEsm =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/** Packages with native parts, the optional accelerators of ws, and peers that the user installs. */
export const external = [
  "@koromix/*",
  "@homebridge/node-pty-prebuilt-multiarch",
  "bufferutil",
  "utf-8-validate",
  "@xterm/headless",
  "@effect/sql-pg",
  "@nats-io/jetstream",
  "@nats-io/kv",
  "@nats-io/transport-node",
]

/** @satisfies {BuildOptions} */
export const bundled = {
  bundle: true,
  platform: /** @type {const} */ ("node"),
  format: /** @type {const} */ ("esm"),
  target: "node20",
  external,
  banner: { js: requireInEsm },
  logLevel: /** @type {const} */ ("warning"),
}

/** @param {BuildOptions & { entryPoints: string[], outfile: string }} options */
export const bundle = (options) => build({ ...bundled, ...options })
