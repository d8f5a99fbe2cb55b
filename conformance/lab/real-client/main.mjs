// @ts-check
// `npm run lab -- real-client`: `codex exec` at work on a server, with a model that a script plays.
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../.ci/command.mjs"
import { each } from "../../../.ci/each.mjs"
import { cacheOf } from "../run/fetched.mjs"
import { fetchedPeer, releases } from "../run/peer.mjs"
import { progress, stackOf } from "../stress/lib/command.mjs"
import { ready } from "../stress/lib/servers.mjs"
import { ways } from "./client.mjs"
import { all } from "./scenarios/index.mjs"
import * as Stage from "./stage.mjs"

const scenarios = Object.entries(all).map(
  ([name, { says, slow }]) => `  ${name}: ${says}${slow ? " Slow: only if named." : ""}\n`,
)
const { values: options } = command(import.meta.url, {
  options: {
    server: { says: "where", usual: "node,bun,deno", some: Stage.serverNames },
    command: { says: "another server instead, by its words before --listen", usual: "" },
    over: { says: "the ways to it", usual: "ws,stdio", some: Object.keys(ways) },
    peer: { says: "the release of the client, and of the server peer", usual: releases[0], of: releases },
    only: { says: "some of the scenarios", usual: "all", some: ["all", ...Object.keys(all)] },
    jobs: { says: "scenarios at a time, which wait longer than they compute", usual: 4 },
  },
  more: `\n${scenarios.join("")}`,
})

ready()
const { binary } = fetchedPeer(options.peer)
const folder = join(cacheOf("codex"), `real-client-${process.pid}`)

/**
 * The last lines of a text.
 * @param {string} text
 * @param {number} most
 */
const tail = (text, most) => {
  const all = text.split("\n")
  return all.length <= most ? text : `… ${all.length - most} lines …\n${all.slice(-most).join("\n")}`
}

/** Stages so far: each has a folder of its own. */
let stages = 0

/**
 * Plays one scenario.
 * @param {import("./scenarios/index.mjs").Scenario} scenario
 * @param {string} server
 * @param {string} over
 * @returns {Promise<string | undefined>} what went wrong
 */
const play = async ({ run, cuts = false, flags: more = [] }, server, over) => {
  /** @type {string[]} */
  const talk = []
  /** @param {string} who @param {string} text */
  const note = (who, text) =>
    talk.push(`${who}: ${text.length > 3000 ? `${text.slice(0, 3000)}… (${text.length})` : text}`)
  const opened = Stage.open({
    folder: join(folder, String((stages += 1))),
    client: binary,
    server: Stage.words(server, binary, more),
    over,
    cuts,
    note,
  })
  /** @type {string[]} */
  const wrong = []
  /** @param {unknown} error */
  const fail = (error) => void wrong.push(stackOf(error))
  const stage = await opened.catch(fail)
  if (stage === undefined) return wrong.join("\n")
  await run(stage).catch(fail)
  if (wrong.length === 0 && stage.goesOn())
    await stage.done().then(({ code }) => code === 0 || fail(`the client ended with ${code}`), fail)
  const client = stage.started() ? stage.client() : undefined
  await stage.close().catch(fail)
  if (wrong.length === 0) return undefined
  const events = (client?.events() ?? []).filter(({ type }) => /error|failed/.test(type))
  return [
    ...wrong,
    tail(talk.join("\n"), 60),
    `client's stderr: ${tail(client?.stderr() ?? "", 30)}`,
    ...events.map((event) => JSON.stringify(event)),
  ].join("\n")
}

const named = options.only.split(",")
const chosen = Object.entries(all).filter(([name, { slow }]) =>
  options.only === "all" ? !slow : named.includes(name),
)
/** The peer brings its own. */
const bubblewrap = spawnSync("bwrap", ["--version"]).status === 0
/** @type {string[]} */
const failed = []
let played = 0

/** Plays one scenario if it can be played there, and reports. @param {string} name @param {Parameters<typeof play>} one */
const playAndReport = async (name, ...one) => {
  const [{ confines = false, only, ours = false, says }, server, over] = one
  if (only !== undefined && !only.includes(over)) return
  if (ours && !Stage.isOurs(server)) return
  if (confines && !bubblewrap && server !== "peer") {
    progress(`not played on ${server} over ${over}: ${name}, because bubblewrap is not installed`)
    return
  }
  const began = performance.now()
  const wrong = await play(...one)
  const title = `${server} over ${over}: ${name}`
  played += 1
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  progress(`${wrong === undefined ? "ok  " : "FAIL"} ${title} (${seconds} s)`)
  if (wrong === undefined) return
  failed.push(title)
  process.stdout.write(`\nFAIL ${title}\n  ${says}\n${wrong.replace(/^/gm, "    ")}\n\n`)
}

const servers = options.command === "" ? options.server.split(",") : [options.command]
const waiting = servers
  .flatMap((server) => options.over.split(",").map((over) => ({ server, over })))
  .flatMap((place) => chosen.map(([name, scenario]) => ({ ...place, name, scenario })))
await each(waiting, Math.max(1, options.jobs), ({ name, scenario, server, over }) =>
  playAndReport(name, scenario, server, over),
)

rmSync(folder, { recursive: true, force: true })
process.stdout.write(
  [
    `${played - failed.length} of ${played} scenarios passed`,
    ...failed.map((title) => `failed: ${title}`),
    "",
  ].join("\n"),
  () => process.exit(failed.length === 0 && played > 0 ? 0 : 1),
)
