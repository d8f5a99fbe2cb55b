// @ts-check
// `npm run bench -- --receipts`: what a receipt takes from the throughput of a flood, in interleaved pairs. Two floods
// without one in each round say how much the machine itself differs.
import { finish, flags, progress } from "../proof/lib/command.mjs"
import { ready, runtimeNames } from "../proof/lib/servers.mjs"
import { serverOn } from "../run/runtimes.mjs"
import { median, spread, written } from "./lib/figures.mjs"
import { build, figure, runWorkload } from "./lib/native.mjs"
import { workloads } from "./lib/workloads.mjs"

/** @import { Transport } from "./lib/native.mjs" */

process.argv = process.argv.filter((word) => word !== "--receipts")
const options = flags("bench -- --receipts", "What a receipt takes from the throughput of a flood.", {
  rounds: { says: "rounds of four floods: without, with, with, without", standard: 9 },
  mib: { says: "MiB of a flood", standard: 512 },
  transport: { says: "stdio or ws", standard: "stdio", choices: ["stdio", "ws"] },
  runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  least: { says: "the least share of the throughput that must be left, in percent", standard: 95 },
})

ready()
build()
const words = serverOn(options.runtime)
const server = {
  stdio: [...words, "--listen", "stdio"],
  ws: [...words, "--listen", "ws://127.0.0.1:{PORT}"],
}
const transport = /** @type {Transport} */ (options.transport)

/**
 * Plays one flood, on a server of its own.
 * @param {"W4-pipe" | "W4-receipt"} id
 */
const flood = async (id) => {
  const workload = workloads.find((one) => one.id === id)
  if (workload === undefined) throw new Error(`there is no workload ${id}`)
  const args = { ...workload.args, mib: options.mib }
  const figures = await runWorkload(server, transport, { ...workload, args })
  if ("error" in figures) throw new Error(`${id}: ${figures.error}`)
  return { speed: figure(figures, "mb_per_s"), cpu: figure(figures, "cpu_s_per_gib") }
}

const speeds = { without: /** @type {number[]} */ ([]), with: /** @type {number[]} */ ([]) }
const shares = { speed: /** @type {number[]} */ ([]), cpu: /** @type {number[]} */ ([]) }
/** @type {number[]} */
const same = []
for (let round = 1; round <= options.rounds; round++) {
  const [first, second, third, last] = [
    await flood("W4-pipe"),
    await flood("W4-receipt"),
    await flood("W4-receipt"),
    await flood("W4-pipe"),
  ]
  speeds.without.push(first.speed, last.speed)
  speeds.with.push(second.speed, third.speed)
  shares.speed.push(second.speed / first.speed, third.speed / last.speed)
  shares.cpu.push(second.cpu / first.cpu, third.cpu / last.cpu)
  same.push(last.speed / first.speed)
  const ratios = shares.speed.slice(-2).map((share) => share.toFixed(2))
  progress(`${round}/${options.rounds}: with a receipt ${ratios.join(" and ")} of the throughput`)
}

const share = median(shares.speed)
/** @param {readonly number[]} ratios */
const ofAll = (ratios) => `${median(ratios).toFixed(3)} (spread ${spread(ratios).toFixed(0)} %)`
finish(
  `a receipt of a flood on ${options.runtime} over ${transport}`,
  [
    ["MB/s without a receipt", written(median(speeds.without))],
    ["MB/s with one", written(median(speeds.with))],
    ["share of the throughput", ofAll(shares.speed)],
    ["the same flood twice, without", ofAll(same)],
    ["CPU time of the server", `${ofAll(shares.cpu)} times`],
  ],
  100 * share >= options.least
    ? []
    : [`${(100 * share).toFixed(1)} % of the throughput are left, of ${options.least}`],
)
