// @ts-check
// `npm run bench -- --receipts` and `--histories`: what a receipt or a history takes from the throughput of a flood, in
// interleaved pairs. Two floods without one in each round say how much the machine itself differs.
import { loadavg } from "node:os"
import { finish, flags, progress } from "../stress/lib/command.mjs"
import { ready, runtimeNames } from "../stress/lib/servers.mjs"
import { serverOn } from "../run/runtimes.mjs"
import { median, spread, written } from "./lib/figures.mjs"
import { build, figure, runWorkload } from "./lib/native.mjs"
import { workloads } from "./lib/workloads.mjs"

/** @import { Transport } from "./lib/native.mjs" */

const kinds = {
  "--receipts": { what: "a receipt", id: "W4-receipt", least: 95, rounds: 9 },
  "--histories": { what: "a history", id: "W4-history", least: 80, rounds: 5 },
}
const kind = process.argv.includes("--histories") ? "--histories" : "--receipts"
const { what, id, least, rounds } = kinds[kind]
process.argv = process.argv.filter((word) => word !== kind)
const options = flags(`bench -- ${kind}`, `What ${what} takes from the throughput of a flood.`, {
  rounds: { says: "rounds of four floods: without, with, with, without", standard: rounds },
  mib: { says: "MiB of a flood", standard: 512 },
  bound: { says: "MiB that a history may keep", standard: 1024 },
  output: { says: "zeros, or lines of text", standard: "zeros", choices: ["zeros", "text"] },
  transport: { says: "stdio or ws", standard: "stdio", choices: ["stdio", "ws"] },
  runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  dir: { says: "the folder for temporary files, where histories are", standard: "/var/tmp" },
  least: { says: "the least share of the throughput that must be left, in percent", standard: least },
})

ready()
build()
const words = serverOn(options.runtime)
const server = {
  stdio: [...words, "--listen", "stdio"],
  ws: [...words, "--listen", "ws://127.0.0.1:{PORT}"],
  env: { TMPDIR: options.dir },
}
const transport = /** @type {Transport} */ (options.transport)

/**
 * Plays one flood, on a server of its own.
 * @param {string} id
 */
const flood = async (id) => {
  const workload = workloads.find((one) => one.id === id)
  if (workload === undefined) throw new Error(`there is no workload ${id}`)
  const text = options.output === "text" ? { text: 1 } : {}
  const bound = "history" in workload.args ? { history: options.bound } : {}
  const args = { ...workload.args, ...text, ...bound, mib: options.mib }
  const figures = await runWorkload(server, transport, { ...workload, args })
  if ("error" in figures) throw new Error(`${id}: ${figures.error}`)
  return {
    speed: figure(figures, "mb_per_s"),
    cpu: figure(figures, "cpu_s_per_gib"),
    main: figure(figures, "main_s_per_gib"),
  }
}

const measured = /** @type {const} */ (["speed", "cpu", "main"])
/** @returns {Record<(typeof measured)[number], number[]>} */
const none = () => ({ speed: [], cpu: [], main: [] })
const [plain, asked, shares] = [none(), none(), none()]
const loads = /** @type {number[]} */ ([])
/** @type {number[]} */
const same = []
for (let round = 1; round <= options.rounds; round++) {
  const [first, second, third, last] = [
    await flood("W4-pipe"),
    await flood(id),
    await flood(id),
    await flood("W4-pipe"),
  ]
  for (const name of measured) {
    plain[name].push(first[name], last[name])
    asked[name].push(second[name], third[name])
    shares[name].push(second[name] / first[name], third[name] / last[name])
  }
  same.push(last.speed / first.speed)
  loads.push(loadavg()[0] ?? 0)
  const ratios = shares.speed.slice(-2).map((share) => share.toFixed(2))
  progress(`${round}/${options.rounds}: with ${what} ${ratios.join(" and ")} of the throughput`)
}

const share = median(shares.speed)
/** @param {readonly number[]} ratios */
const ofAll = (ratios) => `${median(ratios).toFixed(3)} (spread ${spread(ratios).toFixed(0)} %)`
finish(
  `${what} of a flood of ${options.output} on ${options.runtime} over ${transport}`,
  [
    [`MB/s without ${what}`, written(median(plain.speed))],
    ["MB/s with one", written(median(asked.speed))],
    ["share of the throughput", ofAll(shares.speed)],
    ["the same flood twice, without", ofAll(same)],
    ["CPU seconds of the server for a GiB", `${written(median(plain.cpu))}, ${written(median(asked.cpu))}`],
    ["of them its main thread's", `${written(median(plain.main))}, ${written(median(asked.main))}`],
    ["CPU time of the server", `${ofAll(shares.cpu)} times`],
    ["load of the machine", `${written(Math.min(...loads))} to ${written(Math.max(...loads))}`],
  ],
  100 * share >= options.least
    ? []
    : [`${(100 * share).toFixed(1)} % of the throughput are left, of ${options.least}`],
)
