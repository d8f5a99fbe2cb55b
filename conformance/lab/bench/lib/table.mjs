// @ts-check
// The figures as the README shows them: a table for each transport, the peer first, ours with the
// ratio to it.
import { median, written } from "./figures.mjs"
import { figure } from "./native.mjs"

/** @import { Result } from "./report.mjs" */

/** @typedef {[says: string, workload: string, figure: string, unit: string, better: "less" | "more"]} Row */

/** @type {readonly Row[]} */
export const rows = [
  ["cold start to the first answer", "W1", "cold_ms_p50", "ms", "less"],
  ["resident memory, idle", "W1", "idle_rss_mb", "MiB", "less"],
  ["start to exited, pipe", "W2-pipe", "exited_us_p50", "µs", "less"],
  ["start to exited, PTY", "W2-tty", "exited_us_p50", "µs", "less"],
  ["start to exited, pipe, after 2,000 others", "W2-warm", "exited_us_p50", "µs", "less"],
  ["spawns, 32 in flight", "W3", "spawns_per_s", "/s", "more"],
  ["spawns, 32 in flight, after 2,500 others", "W3-warm", "spawns_per_s", "/s", "more"],
  ["output, pipe", "W4-pipe", "mb_per_s", "MB/s", "more"],
  ["output, pipe, 1 GiB", "W4-warm", "mb_per_s", "MB/s", "more"],
  ["output, text lines, pipe", "W4-text", "mb_per_s", "MB/s", "more"],
  ["output, PTY", "W4-tty", "mb_per_s", "MB/s", "more"],
  ["output, text lines, PTY", "W4-tty-text", "mb_per_s", "MB/s", "more"],
  ["echo round trip, pipe", "W5-pipe", "rtt_us_p50", "µs", "less"],
  ["the same, 99th percentile", "W5-pipe", "rtt_us_p99", "µs", "less"],
  ["echo round trip, pipe, after 20,000 others", "W5-warm", "rtt_us_p50", "µs", "less"],
  ["the same, 99th percentile", "W5-warm", "rtt_us_p99", "µs", "less"],
  ["echo round trip, PTY", "W5-tty", "rtt_us_p50", "µs", "less"],
  ["the same, 50 chatty neighbours", "W5-noisy", "rtt_us_p50", "µs", "less"],
  ["a line of one of 200 processes", "W6", "lat_us_p50", "µs", "less"],
  ["memory for an idle process", "W6-idle", "kb_per_proc", "KiB", "less"],
  ["reads of a full ring", "W7", "reads_per_s", "/s", "more"],
  ["wake-up of a long poll", "W7", "longpoll_us_p50", "µs", "less"],
  ["a request behind a waiting read", "W7", "blocked_behind_read_ms", "ms", "less"],
  ["a line, 100 connections", "W8", "lat_us_p50", "µs", "less"],
  ["connecting", "W8", "connect_us_p50", "µs", "less"],
  ["connecting, 500 one after the other", "W8-many", "connect_us_p50", "µs", "less"],
  ["into stdin, 64 KiB writes", "W9", "mb_per_s", "MB/s", "more"],
  ["into stdin, 1 GiB", "W9-warm", "mb_per_s", "MB/s", "more"],
  ["peak memory, client not reading", "W10", "stall_peak_rss_mb", "MiB", "less"],
  ["draining after that", "W10", "drain_mb_per_s", "MB/s", "more"],
  ["of 300 starts at once, unanswered", "W11", "unanswered", "", "less"],
  ["first command of a new user", "W12", "command_ms_p50", "ms", "less"],
  ["memory of that", "W12", "command_hwm_mb", "MiB", "less"],
  ["list of a running server", "W13", "command_ms_p50", "ms", "less"],
]

/**
 * What the repetitions of a run have measured of one figure; what was counted apart, and what failed, is left out.
 * @param {readonly Result[]} results
 * @param {string} transport
 * @param {string} server
 * @param {string} workload
 * @param {string} key of the figure
 */
export const measured = (results, transport, server, workload, key) =>
  results
    .filter((one) => !one.counts && one.workload === workload)
    .filter((one) => one.transport === transport && one.server === server)
    .map(({ data }) => figure(data, key))
    .filter(Number.isFinite)

/** @param {number} mine @param {number} theirs */
const ratio = (mine, theirs) =>
  Number.isFinite(mine / theirs) ? ` (${Number((mine / theirs).toPrecision(2))}×)` : ""

/**
 * Markdown from the results of a run.
 * @param {{ results: readonly Result[] }} run
 * @param {readonly string[]} servers their names, the peer's first
 */
export const table = ({ results }, [peer = "", ...ours]) => {
  /** @param {string} transport @param {string} server @param {Row} row */
  const value = (transport, server, [, workload, key]) =>
    median(measured(results, transport, server, workload, key))
  const lines = ["stdio", "ws"].flatMap((transport) => [
    `| over ${transport === "ws" ? "WebSocket" : transport} | | ${[peer, ...ours].join(" | ")} |`,
    `|---|---|${[peer, ...ours].map(() => "---:|").join("")}`,
    ...rows.flatMap((row) => {
      const [says, workload, , unit, better] = row
      const theirs = value(transport, peer, row)
      const mine = ours.map((server) => value(transport, server, row))
      if (![theirs, ...mine].some(Number.isFinite)) return []
      const cells = [written(theirs), ...mine.map((one) => written(one) + ratio(one, theirs))]
      return `| ${workload.split("-")[0]} ${says}${unit && `, ${unit}`} | ${better} | ${cells.join(" | ")} |`
    }),
    "",
  ])
  return lines.join("\n")
}
