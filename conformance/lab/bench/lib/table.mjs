// @ts-check
// Results as Markdown: a table for each transport, the first server first, the others with the ratio to it; faults; and
// both states of a commit.
import { figure } from "./native.mjs"
import { workloads } from "./workloads.mjs"

/**
 * @import { Figures, Transport } from "./native.mjs"
 *
 * @typedef {object} Result one run of a workload
 * @property {string} workload its id
 * @property {Transport} transport
 * @property {string} server
 * @property {number} rep the number of the repetition
 * @property {Figures} data
 *
 * @typedef {readonly Result[]} Run
 */

/** @param {readonly number[]} list */
const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Percents of the median between the least and the most. @param {readonly number[]} list */
const spread = (list) => {
  const middle = median(list)
  return middle ? ((Math.max(...list) - Math.min(...list)) / Math.abs(middle)) * 100 : 0
}

/** Three significant digits. @param {number} value */
const written = (value) => {
  const size = Math.abs(value)
  if (!Number.isFinite(value)) return "–"
  if (value === 0) return "0"
  if (size >= 1e6) return value.toExponential(2)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

const rows = workloads.flatMap(({ id, title, figures }) => figures.map((one) => ({ id, title, ...one })))

/** @param {string} id @param {string} says @param {string} unit */
const nameOf = (id, says, unit) => `${id.split("-")[0]} ${says}${unit && `, ${unit}`}`

/**
 * The measurements of one figure in the repetitions of a run, without those that failed.
 * @param {Run} run
 * @param {string} transport
 * @param {string} server
 * @param {{ id: string, key: string }} row
 */
const measured = (run, transport, server, { id, key }) =>
  run
    .filter((one) => one.workload === id && one.transport === transport && one.server === server)
    .map(({ data }) => figure(data, key))
    .filter(Number.isFinite)

/** @param {number} mine @param {number} theirs */
const ratio = (mine, theirs) =>
  Number.isFinite(mine / theirs) ? ` (${Number((mine / theirs).toPrecision(2))}×)` : ""

/**
 * The medians of a run, by transport.
 * @param {Run} run
 * @param {readonly string[]} servers their names; the others are compared with the first
 */
export const table = (run, servers) => {
  const [first = "", ...others] = servers
  const lines = ["stdio", "ws"].flatMap((transport) => {
    const found = rows.flatMap((row) => {
      const value = (/** @type {string} */ server) => median(measured(run, transport, server, row))
      const [theirs, mine] = [value(first), others.map(value)]
      if (row.says === "" || ![theirs, ...mine].some(Number.isFinite)) return []
      const cells = [written(theirs), ...mine.map((one) => written(one) + ratio(one, theirs))]
      return `| ${nameOf(row.id, row.says, row.unit)} | ${row.better} | ${cells.join(" | ")} |`
    })
    const head = `| over ${transport === "ws" ? "WebSocket" : transport} | | ${servers.join(" | ")} |`
    return found.length > 0 ? [head, `|---|---|${servers.map(() => "---:|").join("")}`, ...found, ""] : []
  })
  return lines.join("\n")
}

/** Runs that failed, and figures that have to be zero and are not, a line each. @param {Run} run @returns {readonly string[]} */
export const faults = (run) =>
  run.flatMap(({ workload, transport, server, rep, data }) => {
    const place = `${workload} ${transport} ${server} rep ${rep}`
    if ("error" in data) return [`- ${place}: ${data.error}`]
    return rows
      .filter(({ id, key, better }) => id === workload && better === "zero" && Number(data[key] ?? 0) !== 0)
      .map(({ key, unit }) => `- ${place}: ${key} is ${data[key]} ${unit}`)
  })

/**
 * Both commits, row by row: before, now, how many times as good now is, and the larger spread of the two. CPU time is
 * there, too: on a machine that does other work it says more than the clock.
 * @param {Run} run
 * @param {readonly { now: string, before: string }[]} pairs names of servers
 */
export const againstTable = (run, pairs) => {
  const head = ["| row | server | before | now | now is | spread |", "|---|---|---:|---:|---:|---:|"]
  const shown = rows.filter(({ says, key }) => says !== "" || key.startsWith("cpu_"))
  const lines = ["stdio", "ws"].flatMap((transport) =>
    shown.flatMap((row) =>
      pairs.flatMap(({ now, before }) => {
        const [was, is] = [measured(run, transport, before, row), measured(run, transport, now, row)]
        if (was.length === 0 || is.length === 0) return []
        const factor = row.better === "more" ? median(is) / median(was) : median(was) / median(is)
        const name = nameOf(row.id, row.says || `CPU of ${row.title}`, row.unit)
        const both = `${written(median(was))} | ${written(median(is))}`
        const noise = Math.max(spread(was), spread(is)).toFixed(0)
        const good = Number.isFinite(factor) ? `${factor.toFixed(2)}× as good` : "–"
        return [`| ${name}, ${transport} | ${now} | ${both} | ${good} | ${noise} % |`]
      }),
    ),
  )
  return [...head, ...lines, ""].join("\n")
}
