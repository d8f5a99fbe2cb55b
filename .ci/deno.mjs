// `npm run build:deno`: the command as one executable, dist/procwire-deno.
//
// `deno compile` needs `denort`, a runtime that is in no npm package: Deno fetches it from its own site, or takes the
// file that DENORT_BIN names (the `deno` binary itself is none). Without it the file is a shell script with the `deno`
// of npm and the program behind it, compressed; it unpacks them once into the user's cache and runs them from there.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { build as bundle } from "esbuild"
import { binary, install, root } from "./setup.mjs"

install()
const deno = binary("@deno", "deno")
const program = `${root}.cache/single/procwire.mjs`
const executable = `${root}dist/procwire-deno`

await bundle({
  absWorkingDir: root,
  entryPoints: ["adapters/deno/main.ts"],
  outfile: program,
  bundle: true,
  minify: true,
  legalComments: "none",
  platform: "node",
  format: "esm",
  target: "es2022",
  external: ["bufferutil", "utf-8-validate"],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: "warning",
})
mkdirSync(`${root}dist`, { recursive: true })

const { default: allowed } = JSON.parse(readFileSync(`${root}deno.json`, "utf8")).permissions

/** What deno.json allows by default, as flags. These do not know all that a configuration may name (`ca`, seen in 2.9). */
const permissions = () =>
  Object.entries(allowed).map(([name, value]) =>
    value === true || name === "sys" ? `--allow-${name}` : `--allow-${name}=${value.join(",")}`,
  )

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

/** Behind the script come the two compressed files; the numbers are filled up, so that they do not move them. */
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
exec "$folder/deno" run --quiet --config "$folder/deno.json" -P --no-lock --no-npm --no-remote --no-prompt "$folder/procwire.mjs" "$@"
`

const pack = () => {
  const files = [deno, program].map((file) => readFileSync(file))
  const id = createHash("sha256").update(files[0]).update(files[1]).update(config).digest("hex").slice(0, 16)
  const parts = files.map((file) => gzipSync(file, { level: 9 }))
  const padded = (number) => String(number).padEnd(10)
  const sizes = parts.map(({ length }) => padded(length))
  const start = script(id, ["", ""].map(padded), sizes).length
  const head = script(id, [start + 1, start + parts[0].length + 1].map(padded), sizes)
  writeFileSync(`${executable}.new`, Buffer.concat([Buffer.from(head), ...parts]))
  process.stderr.write("procwire: no denort at hand (DENORT_BIN), so dist/procwire-deno unpacks itself\n")
}

if (process.argv.includes("--bundle")) process.exit() // the program is all that was asked for
if (!compile()) pack()
chmodSync(`${executable}.new`, 0o755)
renameSync(`${executable}.new`, executable)
