// `npm run conformance:single [-- bun|deno] [-- ARGS]`: the suite against the executables of `npm run build:bun` and
// `npm run build:deno`, each alone in an empty folder, with an empty environment but PATH and HOME. This repository and
// Node are covered by empty mounts while it runs, so nothing of them can be of use. Arguments go to the suite.
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, install, root, run } from "../../../.ci/setup.mjs"

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`

const entered = (mounted, line) =>
  spawnSync("unshare", ["--map-root-user", "--mount", "sh", "-c", `${mounted} && ${line}`], {
    encoding: "utf8",
  })

const test = (name, args) => {
  run(process.execPath, [`.ci/${name}.mjs`])
  const folder = mkdtempSync(join(tmpdir(), "procwire-single-"))
  const alone = join(folder, "alone")
  const home = join(folder, "home")
  for (const made of [alone, home]) mkdirSync(made)
  const executable = join(alone, "procwire")
  copyFileSync(`${root}dist/procwire-${name}`, executable)
  chmodSync(executable, 0o755)

  const node = quote(realpathSync(process.execPath))
  const cover = `mount -t tmpfs none ${quote(root)} && mount --bind /dev/null ${node}`
  const empty = entered(cover, `test -z "$(ls -A ${quote(root)})" && ! test -s ${node}`)
  if (empty.status !== 0) throw new Error(`cannot cover the repository: ${empty.stderr}`)
  const enter = join(folder, "enter")
  writeFileSync(enter, `#!/bin/sh\n${cover} && exec ${quote(executable)} "$@"\n`, { mode: 0o755 })

  const server = `unshare --map-root-user --mount ${quote(enter)} serve --listen {LISTEN}`
  process.stdout.write(`\n== procwire-${name}\n`)
  const suite = [`${root}dist/procwire-conformance.mjs`, "--command", server, "--strict", ...args]
  const env = { PATH: "/usr/bin:/bin", HOME: home }
  const { status } = spawnSync(process.execPath, suite, { cwd: alone, stdio: "inherit", env })
  rmSync(folder, { recursive: true, force: true })
  return status === 0
}

install()
build()
const [first, ...rest] = process.argv.slice(2)
const only = ["bun", "deno"].includes(first)
const names = only ? [first] : ["bun", "deno"]
const passed = names.map((name) => test(name, only ? rest : process.argv.slice(2)))
process.exit(passed.every(Boolean) ? 0 : 1)
