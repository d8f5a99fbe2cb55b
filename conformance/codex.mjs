// `npm run conformance:codex`: the suite against the real peer, `codex exec-server`, over both transports.
//
// Fetches the package with npm into `.cache/codex` once, gives it a home of its own there, and holds what it
// fails against `targets/codex.baseline.json`. Arguments go to the suite; the exit code is the suite's.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, install, root } from "../.ci/setup.mjs"

const peer = "@openai/codex@0.169.0"

const cache = join(root, ".cache", "codex")
const home = join(cache, "home")

/** The binary of this platform inside the installed packages. */
const binary = () => {
  const scope = join(cache, "node_modules", "@openai")
  const found = existsSync(scope) ? readdirSync(scope, { recursive: true }) : []
  const path = found
    .map(String)
    .find((one) => /vendor[\\/][^\\/]+[\\/](bin|codex)[\\/]codex(\.exe)?$/.test(one))
  return path === undefined ? undefined : join(scope, path)
}

const fetchPeer = () => {
  process.stderr.write(`fetching ${peer}\n`)
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, "package.json"), '{ "private": true }\n')
  const wanted = ["install", "--no-save", "--no-audit", "--no-fund", "--no-progress", peer]
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, ...wanted]] : ["npm", wanted]
  const { status } = spawnSync(command, args, { cwd: cache, stdio: ["ignore", process.stderr, "inherit"] })
  if (status !== 0) throw new Error(`${peer} could not be fetched`)
}

install()
build()
if (binary() === undefined) fetchPeer()
const codex = binary()
if (codex === undefined) throw new Error(`${peer} has no binary for this platform`)
rmSync(home, { recursive: true, force: true })
mkdirSync(home, { recursive: true })

const quoted = `'${codex.replaceAll("'", `'\\''`)}'`
const baseline = fileURLToPath(new URL("targets/codex.baseline.json", import.meta.url))
const wanted = ["--command", `${quoted} exec-server --listen {LISTEN}`, "--strict", "--baseline", baseline]
const { status } = spawnSync(
  process.execPath,
  [join(root, "dist", "procwire-conformance.mjs"), ...wanted, ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, CODEX_HOME: home } },
)
process.exit(status ?? 1)
