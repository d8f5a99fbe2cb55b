// `npm run conformance:real-client`: `codex exec` at work on a server, its model being a script of ours.
import { spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { cacheOf } from "../run/fetched.mjs"
import { fetchedPeer } from "../run/peer.mjs"
import { flags, progress } from "../proof/lib/command.mjs"
import { ready } from "../proof/lib/servers.mjs"
import * as Calls from "./calls.mjs"
import { ways } from "./client.mjs"
import { all } from "./scenarios/index.mjs"
import { serverNames, words } from "./server.mjs"
import * as Stage from "./stage.mjs"

const about = [
  "Lets codex exec work on a server, with a model that a script plays.\n",
  ...Object.entries(all).map(
    ([name, { says, slow }]) => `  ${name}: ${says}${slow ? " Slow: only if named." : ""}`,
  ),
].join("\n")
const options = flags("conformance:real-client", about, {
  server: { says: `of ${serverNames.join(", ")}`, standard: "node,bun,deno", choices: serverNames },
  command: { says: "another server instead, by its words before --listen", standard: "none" },
  over: { says: `of ${Object.keys(ways).join(", ")}`, standard: "ws,stdio", choices: Object.keys(ways) },
  only: { says: "of the scenarios above", standard: "all", choices: ["all", ...Object.keys(all)] },
  trace: {
    says: "a folder for all that is said between client and server, and a table of it",
    standard: "none",
  },
})

ready()
const { binary } = fetchedPeer()
const folder = join(cacheOf("codex"), `real-client-${process.pid}`)
const traces = options.trace === "none" ? undefined : resolve(options.trace)
if (traces !== undefined) mkdirSync(traces, { recursive: true })
const tap = fileURLToPath(new URL("stdio-tap.mjs", import.meta.url))

const lines = (text, most) => {
  const all = text.split("\n")
  return all.length <= most ? text : `… ${all.length - most} lines …\n${all.slice(-most).join("\n")}`
}

const play = async (name, server, over) => {
  const { run, cuts = false, flags: more = [] } = all[name]
  const talk = []
  const note = (who, text) =>
    talk.push(`${who}: ${text.length > 3000 ? `${text.slice(0, 3000)}… (${text.length})` : text}`)
  const file = traces && join(traces, `${name}.${server.replaceAll(/[^\w.-]+/g, "_")}.${over}.txt`)
  if (file !== undefined) {
    rmSync(file, { force: true })
    files.add(file)
  }
  const started = words(server, binary, more)
  const opened = Stage.open({
    folder,
    client: binary,
    server: over === "stdio" && file !== undefined ? [process.execPath, tap, file, ...started] : started,
    over,
    tapped: cuts || file !== undefined,
    heard: (arrow, text) => file && appendFileSync(file, `${arrow} ${text}\n`),
    note,
  })
  const wrong = []
  const stage = await opened.catch((error) => wrong.push(error.stack))
  if (wrong.length > 0) return wrong.join("\n")
  await run(stage).catch((error) => wrong.push(error.stack))
  const client = stage.client()
  await stage.close().catch((error) => wrong.push(error.message))
  if (wrong.length === 0) return undefined
  return [
    ...wrong,
    lines(talk.join("\n"), 60),
    `client's stderr: ${lines(client?.stderr() ?? "", 30)}`,
    ...(client?.events() ?? [])
      .filter(({ type }) => /error|failed/.test(type))
      .map((event) => JSON.stringify(event)),
  ].join("\n")
}

const names =
  options.only === "all" ? Object.keys(all).filter((name) => !all[name].slow) : options.only.split(",")
/** The peer brings its own. */
const bubblewrap = spawnSync("bwrap", ["--version"]).status === 0
const failed = []
const files = new Set()
let played = 0
const servers = options.command === "none" ? options.server.split(",") : [options.command]
for (const server of servers)
  for (const over of options.over.split(","))
    for (const name of names) {
      const { only, confines = false } = all[name]
      if (only !== undefined && !only.includes(over)) continue
      if (confines && !bubblewrap && server !== "peer") {
        progress(`not played on ${server} over ${over}: ${name}, for bubblewrap is not installed`)
        continue
      }
      const began = performance.now()
      const wrong = await play(name, server, over)
      const title = `${server} over ${over}: ${name}`
      played += 1
      progress(
        `${wrong === undefined ? "ok  " : "FAIL"} ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`,
      )
      if (wrong === undefined) continue
      failed.push(title)
      process.stdout.write(`\nFAIL ${title}\n  ${all[name].says}\n${wrong.replace(/^/gm, "    ")}\n\n`)
    }

rmSync(folder, { recursive: true, force: true })
const traced = [...files].filter((file) => existsSync(file))
process.stdout.write(
  [
    ...(traced.length > 0 ? [Calls.table(traced)] : []),
    `${played - failed.length} of ${played} scenarios passed`,
    ...failed.map((title) => `failed: ${title}`),
    "",
  ].join("\n"),
  () => process.exit(failed.length === 0 && played > 0 ? 0 : 1),
)
