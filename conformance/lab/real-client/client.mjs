// @ts-check
// `codex exec` with a home of its own, in which its model is a script and its environment the server under test.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The place of the server: an address, or the words that start it.
 * @typedef {{ url?: string | undefined, words: readonly string[] }} Place
 *
 * The configuration of the client: by variables, or by a file of environments. `environment` is the name in use.
 * @typedef {object} Way
 * @property {string} environment
 * @property {(place: Place) => Record<string, string>} [variables]
 * @property {(place: Place) => string} [file]
 *
 * A line of the client's output.
 * @typedef {{ type: string, thread_id?: string, [more: string]: unknown }} Event
 *
 * @typedef {ReturnType<typeof start>} Client
 */

/** @param {unknown} value as TOML, of which JSON's strings and lists of strings are a part */
const quoted = (value) => JSON.stringify(value)

/** @param {string} model its address */
const config = (model) => `
model = "gpt-5.5"
model_provider = "loopback"
approval_policy = "never"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.loopback]
name = "loopback"
base_url = ${quoted(model)}
wire_api = "responses"
env_key = "LOOPBACK_KEY"
`

/** @param {string} place */
const environments = (place) => `
default = "under-test"
include_local = false

[[environments]]
id = "under-test"
${place}
`

/** @type {Record<string, Way>} */
export const ways = {
  ws: { environment: "remote", variables: ({ url = "" }) => ({ CODEX_EXEC_SERVER_URL: url }) },
  "ws-toml": { environment: "under-test", file: ({ url }) => environments(`url = ${quoted(url)}`) },
  stdio: {
    environment: "under-test",
    file: ({ words: [program, ...args] }) =>
      environments(`program = ${quoted(program)}\nargs = ${quoted([...args, "--listen", "stdio"])}`),
  },
}

/**
 * Makes the home of a client; the variables that it needs.
 * @param {string} folder
 * @param {{ over: string, place: Place, model: string }} options
 */
export const home = (folder, { over, place, model }) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.toml"), config(model))
  const { file, variables } = ways[over] ?? {}
  if (file !== undefined) writeFileSync(join(folder, "environments.toml"), file(place))
  // With this the client passes on the stderr of a server over stdio.
  const log = { RUST_LOG: "error,codex_exec_server::client_transport=debug" }
  return { CODEX_HOME: folder, LOOPBACK_KEY: "none", ...log, ...variables?.(place) }
}

/**
 * Starts the client.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 */
export const start = (program, args, { cwd, env }) => {
  const child = spawn(program, ["exec", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
  /** @returns {Event[]} */
  const events = () =>
    stdout
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
  const ended = once(child, "close").then(([code, signal]) => ({
    code: signal ?? code,
    events: events(),
    stderr,
  }))
  return {
    pid: child.pid,
    /** @param {NodeJS.Signals} signal */
    kill: (signal) => child.kill(signal),
    /** Its output so far. */
    events,
    stderr: () => stderr,
    /** Its exit code or signal, and all its output. */
    ended,
  }
}
