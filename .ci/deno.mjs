// @ts-check
// `npm run build -- deno`: the command as one executable, dist/procwire-deno.
//
// `deno compile` needs `denort`, a runtime that no npm package has: Deno fetches it from its own site, or takes the
// file that DENORT_BIN names (the `deno` binary does not serve). Without it the result is a shell script followed by
// npm's `deno`, the program and what starts it, compressed; it unpacks them once into the user's cache and runs them
// from there. With `--bundle` only the program is made, as one module.
import { command } from "./command.mjs"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { bundle } from "./bundle.mjs"
import { program as split } from "./procwire.mjs"
import { binary, install, root } from "./setup.mjs"

/** @import { BuildOptions } from "esbuild" */

const { values } = command(import.meta.url, { options: { bundle: false }, allowPositionals: true })
install()
const deno = binary("@deno", "deno")
const program = `${root}.cache/single/procwire.mjs`
const folder = `${root}.cache/single/split`
const executable = `${root}dist/procwire-deno`

/** @satisfies {BuildOptions} */
const options = {
  absWorkingDir: root,
  minify: true,
  legalComments: /** @type {const} */ ("none"),
  target: "es2022",
  external: ["bufferutil", "utf-8-validate", "@homebridge/node-pty-prebuilt-multiarch"],
}
await bundle({ ...options, entryPoints: ["adapters/deno/main.ts"], outfile: program })
if (values.bundle) process.exit()
mkdirSync(`${root}dist`, { recursive: true })

/** @type {{ default: Record<string, true | string[]> }} */
const { default: allowed } = JSON.parse(readFileSync(`${root}deno.json`, "utf8")).permissions

/** Default permissions of deno.json, as flags. `--allow-sys` lacks names that a configuration may have (`ca`, 2.9). */
const permissions = () =>
  Object.entries(allowed).map(([name, value]) =>
    value === true || name === "sys" ? `--allow-${name}` : `--allow-${name}=${value.join(",")}`,
  )

/** @returns {boolean} true if `deno compile` made an executable that runs */
const compile = () => {
  const wanted = [
    "compile",
    "--quiet",
    "--no-check",
    "--no-config",
    "--no-npm",
    "--no-prompt",
    ...permissions(),
  ]
  const { status } = spawnSync(deno, [...wanted, "--output", `${executable}.new`, program], {
    stdio: "ignore",
  })
  const { stdout } = spawnSync(`${executable}.new`, ["--version"], { encoding: "utf8" })
  return status === 0 && stdout?.startsWith("procwire ") === true
}

const config = JSON.stringify({ permissions: { default: allowed } })

/**
 * A compressed file: where it begins, from 1, and its size. Numbers are padded, so that their digits do not change the
 * length of the script.
 * @typedef {{ readonly name: string, readonly at: string, readonly size: string }} Part
 */

/**
 * The script, which is followed by the compressed parts.
 * @param {string} id
 * @param {readonly Part[]} parts
 */
const script = (id, parts) => `#!/bin/sh
# procwire: unpacks its runtime and its program once for each user, and runs them.
folder="\${XDG_CACHE_HOME:-\${HOME:?}/.cache}/procwire/${id}"
if [ ! -d "$folder" ]; then
  set -e
  mkdir -p "\${folder%/*}"
  new=$(mktemp -d "\${folder%/*}/.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  mkdir "$new/procwire-parts"
${parts.map(({ name, at, size }) => `  tail -c +${at} "$0" | head -c ${size} | gzip -d > "$new/${name}"\n`).join("")}\
  printf %s '${config}' > "$new/deno.json"
  chmod 700 "$new/deno"
  mv -T "$new" "$folder" 2> /dev/null || [ -d "$folder" ]
  rm -rf "$new"
fi
set -- --no-lock --no-npm --no-remote --no-prompt "$folder/procwire.mjs" "$@"
exec "$folder/deno" run --quiet --config "$folder/deno.json" -P "$@"
`

/** @param {number} number */
const padded = (number) => String(number).padEnd(10)

const pack = async () => {
  await split("deno", folder, options)
  const files = {
    deno,
    "procwire.mjs": `${folder}/procwire.mjs`,
    "procwire-parts/procwire.cjs": `${folder}/procwire-parts/procwire.cjs`,
  }
  const hash = createHash("sha256").update(config)
  const parts = Object.entries(files).map(([name, file]) => {
    const bytes = readFileSync(file)
    hash.update(bytes)
    return { name, bytes: gzipSync(bytes, { level: 9 }) }
  })
  const id = hash.digest("hex").slice(0, 16)
  /** @param {number} start length of the script */
  const head = (start) => {
    let next = start + 1
    const placed = parts.map(({ name, bytes: { length } }) => {
      const at = next
      next += length
      return { name, at: padded(at), size: padded(length) }
    })
    return script(id, placed)
  }
  const contents = [Buffer.from(head(head(0).length)), ...parts.map(({ bytes }) => bytes)]
  writeFileSync(`${executable}.new`, Buffer.concat(contents))
  process.stderr.write("procwire: no denort found (DENORT_BIN), so dist/procwire-deno unpacks itself\n")
}

if (!compile()) await pack()
chmodSync(`${executable}.new`, 0o755)
renameSync(`${executable}.new`, executable)
