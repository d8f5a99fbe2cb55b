// @ts-check
// The real peer, `codex exec-server`. npm installs it into `.cache/codex`, where it gets a fresh home for each run.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cacheOf, fetchInto } from "./fetched.mjs"

const peer = "@openai/codex@0.169.0"

const cache = cacheOf("codex")
const home = join(cache, "home")

/** The binary of this platform inside the installed packages. */
const find = () => {
  const scope = join(cache, "node_modules", "@openai")
  const files = existsSync(scope) ? readdirSync(scope, { recursive: true }).map(String) : []
  const path = files.find((one) => /vendor[\\/][^\\/]+[\\/](bin|codex)[\\/]codex(\.exe)?$/.test(one))
  return path === undefined ? undefined : join(scope, path)
}

/** The binary, and the variables that it needs in addition to those of this process. */
export const fetchedPeer = () => {
  if (find() === undefined && !fetchInto("codex", [peer])) throw new Error(`${peer} could not be fetched`)
  const binary = find()
  if (binary === undefined) throw new Error(`${peer} has no binary for this platform`)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  return { binary, env: { CODEX_HOME: home } }
}
