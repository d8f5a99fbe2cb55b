// @ts-check
// The real peer, `codex exec-server`. npm installs a release into a folder of `.cache`, where each run gets a home of
// its own: the peer keeps links to itself there, through which it starts sandboxed processes.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { cacheOf, fetchInto } from "./fetched.mjs"

/**
 * The releases that the suite knows, newest first.
 * @typedef {"0.171" | "0.169"} Release
 * @type {readonly [Release, ...Release[]]}
 */
export const releases = ["0.171", "0.169"]

/** The binary of this platform inside the installed packages. @param {string} cache */
const find = (cache) => {
  const scope = join(cache, "node_modules", "@openai")
  const files = existsSync(scope) ? readdirSync(scope, { recursive: true }).map(String) : []
  const path = files.find((one) => /vendor[\\/][^\\/]+[\\/](bin|codex)[\\/]codex(\.exe)?$/.test(one))
  return path === undefined ? undefined : join(scope, path)
}

/**
 * The release that the arguments of the suite name (`--peer`), the newest if they name none. The suite refuses others.
 * @param {readonly string[]} args
 */
export const releaseOf = (args) => {
  const at = args.indexOf("--peer")
  const given = args.find((arg) => arg.startsWith("--peer="))?.slice(7) ?? (at < 0 ? undefined : args[at + 1])
  return releases.find((release) => release === given)
}

/**
 * The binary, and the variables that it needs in addition to those of this process, at whose end its home goes.
 * @param {string} [release] the newest by default
 */
export const fetchedPeer = (release = releases[0]) => {
  const peer = `@openai/codex@${release}.0`
  const folder = `codex-${release}`
  const cache = cacheOf(folder)
  if (find(cache) === undefined && !fetchInto(folder, [peer])) throw new Error(`${peer} could not be fetched`)
  const binary = find(cache)
  if (binary === undefined) throw new Error(`${peer} has no binary for this platform`)
  const home = mkdtempSync(join(cache, "home-"))
  process.on("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
  return { binary, env: { CODEX_HOME: home } }
}
