// The real peer, `codex exec-server`: fetched with npm into `.cache/codex` once, with a fresh home of its own there.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../.ci/setup.mjs"

const peer = "@openai/codex@0.169.0"

const cache = join(root, ".cache", "codex")
const home = join(cache, "home")

/** The binary of this platform inside the installed packages. */
const find = () => {
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

/** The binary, and what its environment needs beside this process's. */
export const fetchedPeer = () => {
  if (find() === undefined) fetchPeer()
  const binary = find()
  if (binary === undefined) throw new Error(`${peer} has no binary for this platform`)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  return { binary, env: { CODEX_HOME: home } }
}
