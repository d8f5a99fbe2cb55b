// The real peer, `codex exec-server`: fetched with npm into `.cache/codex` once, with a fresh home of its own there.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cacheOf, fetchInto } from "./fetched.mjs"

const peer = "@openai/codex@0.169.0"

const cache = cacheOf("codex")
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

/** The binary, and what its environment needs beside this process's. */
export const fetchedPeer = () => {
  if (find() === undefined && !fetchInto("codex", [peer])) throw new Error(`${peer} could not be fetched`)
  const binary = find()
  if (binary === undefined) throw new Error(`${peer} has no binary for this platform`)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  return { binary, env: { CODEX_HOME: home } }
}
