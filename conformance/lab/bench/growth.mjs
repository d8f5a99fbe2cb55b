// @ts-check
// `npm run bench -- --growth`: what a process, a connection and a finished process more cost, from 10 to 5,000.
import { writeFileSync } from "node:fs"
import { finish, flags, progress } from "../stress/lib/command.mjs"
import { fileLimit } from "../stress/lib/proc.mjs"
import { ready, runtimeNames } from "../stress/lib/servers.mjs"
import { serverOn } from "../run/runtimes.mjs"
import { written } from "./lib/figures.mjs"
import { grow, kinds, verdicts } from "./lib/growth.mjs"

process.argv = process.argv.filter((word) => word !== "--growth")
const options = flags("bench -- --growth", "What one process, connection or finished process more costs.", {
  kinds: { says: kinds.join(", "), standard: kinds.join(","), choices: kinds },
  counts: { says: "how many of them, rising", standard: "10,100,1000,5000" },
  settle: { says: "seconds before anything is measured", standard: 12 },
  rounds: { says: "starts that are timed at each count", standard: 100 },
  seconds: { says: "how long nothing happens, for the idle CPU time", standard: 5 },
  runtime: { says: runtimeNames.join(", "), standard: "node", choices: runtimeNames },
  command: { says: "another server, which takes --listen", standard: "procwire" },
  out: { says: "a file for the figures as JSON", standard: "none" },
})
const counts = options.counts.split(",").map(Number)
if (!counts.every((count, index) => Number.isInteger(count) && count > (counts[index - 1] ?? 0))) {
  process.stderr.write(
    `bench -- --growth: --counts ${options.counts} wants rising whole numbers, as 10,100\n`,
  )
  process.exit(2)
}
const needed = Math.max(...counts) * 3 + 500
if (fileLimit() < needed) {
  const limit = `the limit is ${fileLimit()}: run \`ulimit -n ${needed}\` first`
  process.stderr.write(`bench -- --growth: needs ${needed} open files, ${limit}\n`)
  process.exit(2)
}

ready()
/** Bounds that do not stand in the way of the last count. */
const bounds = ["--max-session-processes", "--max-processes", "--max-connections", "--max-sessions"]
const wide = [...bounds.flatMap((flag) => [flag, "20000"]), "--retention-ms", "3600000"]
const ours = [...serverOn(options.runtime), ...wide, "--max-starts-per-second", "100000"].join(" ")
const command = options.command === "procwire" ? ours : options.command

/** @type {import("../stress/lib/command.mjs").Row[]} */
const rows = []
/** @type {Record<string, unknown>} */
const all = {}
for (const kind of kinds.filter((one) => options.kinds.split(",").includes(one))) {
  const grown = await grow(kind, counts, {
    command,
    rounds: options.rounds,
    settle: options.settle,
    seconds: options.seconds,
    progress,
  })
  all[kind] = grown
  for (const { count, startMillis, startCpu, kibEach, cpuPerSecond, napsPerSecond } of grown) {
    const idle = `idle ${written(cpuPerSecond)} ms/s of CPU, ${written(napsPerSecond)} wake-ups/s`
    rows.push([
      `${count} ${kind}`,
      `start ${written(startMillis)} ms, ${written(startCpu)} ms of CPU, ${written(kibEach)} KiB each, ${idle}`,
    ])
  }
  rows.push([
    kind,
    verdicts(grown)
      .map(([what, says]) => `${what} ${says}`)
      .join(", "),
  ])
}
if (options.out !== "none") writeFileSync(options.out, `${JSON.stringify(all, undefined, 1)}\n`)
finish(`growth on ${options.command === "procwire" ? options.runtime : options.command}`, rows, [])
