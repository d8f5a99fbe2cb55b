// @ts-check
// `npm run lab -- single [bun|deno] [ARGS]`: the suite against the executables of `npm run build -- bun` and
// `npm run build -- deno`, each alone in an empty folder, with no variables but PATH and HOME. Mounts hide this
// repository and Node meanwhile, so that the executables cannot use them. Arguments go to the suite.
import { spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, heading, install, root, run } from "../../../.ci/setup.mjs"
import { flags, suite } from "./suite.mjs"

install()
build()
const { quote } = await import("../../../dist/conformance/suite/ShellWords.js")

const unshare = ["--map-root-user", "--mount"]

/** Cases at a time: a case waits longer than it computes. */
const parallel = 4

/** Hides the repository and Node, in a mount namespace; a line for a shell. */
const hide = () => {
  const node = quote(realpathSync(process.execPath))
  const line = `mount -t tmpfs none ${quote(root)} && mount --bind /dev/null ${node}`
  const hidden = `${line} && test -z "$(ls -A ${quote(root)})" && ! test -s ${node}`
  const { status, stderr } = spawnSync("unshare", [...unshare, "sh", "-c", hidden], { encoding: "utf8" })
  if (status !== 0) throw new Error(`cannot hide the repository: ${stderr}`)
  return line
}

/**
 * @param {string} name `bun` or `deno`
 * @param {readonly string[]} args
 * @returns {boolean} true if the suite passed
 */
const test = (name, args) => {
  run(process.execPath, [`.ci/${name}.mjs`])
  const folder = mkdtempSync(join(tmpdir(), "procwire-single-"))
  const alone = join(folder, "alone")
  const home = join(folder, "home")
  for (const made of [alone, home]) mkdirSync(made)
  const executable = join(alone, "procwire")
  copyFileSync(`${root}dist/procwire-${name}`, executable)
  chmodSync(executable, 0o755)
  const enter = join(folder, "enter")
  writeFileSync(enter, `#!/bin/sh\n${hide()} && exec ${quote(executable)} "$@"\n`, { mode: 0o755 })

  heading(`procwire-${name}`)
  const server = `unshare ${unshare.join(" ")} ${quote(enter)} serve --listen {LISTEN}`
  // Cases start the runtime of the suite, which is a copy that is not hidden.
  const node = join(folder, "node")
  copyFileSync(realpathSync(process.execPath), node)
  const words = [...flags({ command: server, parallel }), ...args]
  const env = { PATH: "/usr/bin:/bin", HOME: home }
  const { status } = spawnSync(node, [suite, ...words], { cwd: alone, stdio: "inherit", env })
  rmSync(folder, { recursive: true, force: true })
  return status === 0
}

const [first = "", ...rest] = process.argv.slice(2)
const passed = ["bun", "deno"].includes(first)
  ? [test(first, rest)]
  : ["bun", "deno"].map((name) => test(name, process.argv.slice(2)))
process.exit(passed.every(Boolean) ? 0 : 1)
