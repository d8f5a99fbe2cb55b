// @ts-check
// What was measured, as Markdown: a table for each transport, the first server first, the others with the ratio to it;
// what is wrong; and both states of a commit.
import { median, spread, written } from "./figures.mjs"
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
 * @property {boolean} [counts] true if it counted system calls and garbage: its times mean nothing
 * @property {Figures} data
 *
 * @typedef {{ results: readonly Result[] }} Run
 */

const rows = workloads.flatMap(({ id, title, figures }) => figures.map((one) => ({ id, title, ...one })))

/** @param {string} id @param {string} says @param {string} unit */
const nameOf = (id, says, unit) => `${id.split("-")[0]} ${says}${unit && `, ${unit}`}`

/**
 * What the repetitions of a run have measured of one figure; what was counted apart, and what failed, is left out.
 * @param {Run} run
 * @param {string} transport
 * @param {string} server
 * @param {{ id: string, key: string }} row
 */
const measured = ({ results }, transport, server, { id, key }) =>
  results
    .filter((one) => !one.counts && one.workload === id)
    .filter((one) => one.transport === transport && one.server === server)
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
export const faults = ({ results }) =>
  results.flatMap(({ workload, transport, server, rep, data }) => {
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

/** @type {readonly [key: string, says: string][]} */
const counted = [
  ["calls", "system calls"],
  ["garbage_kb", "garbage, kB"],
  ["gc_us", "collecting, µs"],
]

/**
 * What a workload costs in system calls and garbage for each operation or megabyte, from the runs that count.
 * @param {Run} run
 * @param {readonly string[]} servers
 */
export const countTable = ({ results }, servers) => {
  /** @param {string} transport @param {string} server @param {string} id @param {string} key */
  const value = (transport, server, id, key) =>
    median(
      results
        .filter((one) => one.counts && one.workload === id)
        .filter((one) => one.transport === transport && one.server === server)
        .flatMap(({ data }) =>
          "error" in data ? [] : (data[`${key}_per_op`] ?? data[`${key}_per_mb`] ?? []),
        ),
    )
  const some = workloads.filter((one) => one.counted)
  return ["stdio", "ws"]
    .flatMap((transport) => {
      const columns = servers.flatMap((server) =>
        counted
          .filter(([key]) => some.some(({ id }) => Number.isFinite(value(transport, server, id, key))))
          .map(([key, says]) => ({ server, key, says })),
      )
      if (columns.length === 0) return []
      return [
        `| over ${transport === "ws" ? "WebSocket" : transport}, each operation or MB | ${columns.map(({ server, says }) => `${server}: ${says}`).join(" | ")} |`,
        `|---|${columns.map(() => "---:|").join("")}`,
        ...some.flatMap(({ id, title }) => {
          const cells = columns.map(({ server, key }) => value(transport, server, id, key))
          return cells.some(Number.isFinite) ? [`| ${id} ${title} | ${cells.map(written).join(" | ")} |`] : []
        }),
        "",
      ]
    })
    .join("\n")
}
