// `codex exec` with a home of its own: its model is ours, its environment is the server under test.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const quoted = (text) => JSON.stringify(text)

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

const environments = (place) => `
default = "under-test"
include_local = false

[[environments]]
id = "under-test"
${place}
`

/** How the client is told where the server is. */
export const ways = {
  ws: { environment: "remote", variables: ({ url }) => ({ CODEX_EXEC_SERVER_URL: url }) },
  "ws-toml": { environment: "under-test", file: ({ url }) => environments(`url = ${quoted(url)}`) },
  stdio: {
    environment: "under-test",
    file: ({ words: [program, ...args] }) =>
      environments(`program = ${quoted(program)}\nargs = ${JSON.stringify([...args, "--listen", "stdio"])}`),
  },
}

/** Makes the home of a client. `place` is where the server is: `{ url }` or `{ words }`. */
export const home = (folder, { over, place, model }) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.toml"), config(model))
  const { file, variables } = ways[over]
  if (file !== undefined) writeFileSync(join(folder, "environments.toml"), file(place))
  // What a server over stdio says on its stderr is told by the client, if it is asked to.
  const log = { RUST_LOG: "error,codex_exec_server::client_transport=debug" }
  return { CODEX_HOME: folder, LOOPBACK_KEY: "none", ...log, ...variables?.(place) }
}

/** Starts it. The answer's `ended` is `{ code, events, stderr }`; it may be asked for events before that. */
export const start = (program, args, { cwd, env }) => {
  const child = spawn(program, ["exec", ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
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
  return { pid: child.pid, kill: (signal) => child.kill(signal), events, stderr: () => stderr, ended }
}
