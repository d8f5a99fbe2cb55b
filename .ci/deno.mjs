// @ts-check
// `npm run build:deno`: the command as one executable, dist/procwire-deno.
//
// `deno compile` needs `denort`, a runtime that no npm package has: Deno fetches it from its own site, or takes the
// file that DENORT_BIN names (the `deno` binary does not serve). Without it the result is a shell script followed by
// npm's `deno` and the program, both compressed; it unpacks them once into the user's cache and runs them from there.
// With `--bundle` only the program is made.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { bundle } from "./bundle.mjs"
import { binary, install, root } from "./setup.mjs"

install()
const deno = binary("@deno", "deno")
const program = `${root}.cache/single/procwire.mjs`
const executable = `${root}dist/procwire-deno`

await bundle({
  absWorkingDir: root,
  entryPoints: ["adapters/deno/main.ts"],
  outfile: program,
  minify: true,
  legalComments: "none",
  target: "es2022",
  external: ["bufferutil", "utf-8-validate"],
})
if (process.argv.includes("--bundle")) process.exit()
mkdirSync(`${root}dist`, { recursive: true })

/** @type {{ default: Record<string, true | string[]> }} */
const { default: allowed } = JSON.parse(readFileSync(`${root}deno.json`, "utf8")).permissions

/** What deno.json allows by default, as flags. `--allow-sys` lacks names that a configuration may have (`ca` in 2.9). */
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
 * The script is followed by the two compressed files. Numbers are padded, so that their digits do not change its
 * length.
 * @param {string} id
 * @param {readonly [string, string]} at where the files begin, from 1
 * @param {readonly [string, string]} sizes
 */
const script = (id, at, sizes) => `#!/bin/sh
# procwire: unpacks its runtime and its program once for each user, and runs them.
folder="\${XDG_CACHE_HOME:-\${HOME:?}/.cache}/procwire/${id}"
if [ ! -d "$folder" ]; then
  set -e
  mkdir -p "\${folder%/*}"
  new=$(mktemp -d "\${folder%/*}/.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  tail -c +${at[0]} "$0" | head -c ${sizes[0]} | gzip -d > "$new/deno"
  tail -c +${at[1]} "$0" | head -c ${sizes[1]} | gzip -d > "$new/procwire.mjs"
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

const pack = () => {
  const [runtime, source] = [readFileSync(deno), readFileSync(program)]
  const hash = createHash("sha256").update(runtime).update(source).update(config)
  const id = hash.digest("hex").slice(0, 16)
  const [first, second] = [gzipSync(runtime, { level: 9 }), gzipSync(source, { level: 9 })]
  /** @type {[string, string]} */
  const sizes = [padded(first.length), padded(second.length)]
  const start = script(id, [padded(0), padded(0)], sizes).length
  const head = script(id, [padded(start + 1), padded(start + first.length + 1)], sizes)
  writeFileSync(`${executable}.new`, Buffer.concat([Buffer.from(head), first, second]))
  process.stderr.write("procwire: no denort found (DENORT_BIN), so dist/procwire-deno unpacks itself\n")
}

if (!compile()) pack()
chmodSync(`${executable}.new`, 0o755)
renameSync(`${executable}.new`, executable)
