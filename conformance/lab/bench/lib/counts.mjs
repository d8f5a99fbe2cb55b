// @ts-check
// What a row costs in system calls and garbage, as markdown, from the runs that count and are not timed.
import { median, written } from "./figures.mjs"

/** @import { Result } from "./report.mjs" */

/** @typedef {[says: string, workload: string, per: "op" | "mb"]} CountRow */

/** @type {readonly CountRow[]} */
const rows = [
  ["start of /bin/true, pipe", "W2-pipe", "op"],
  ["start of /bin/true, PTY", "W2-tty", "op"],
  ["start of /bin/true, 32 in flight", "W3", "op"],
  ["MB of output, pipe", "W4-pipe", "mb"],
  ["MB of output, pipe, with a receipt", "W4-receipt", "mb"],
  ["MB of output, pipe, with a history", "W4-history", "mb"],
  ["MB of text, pipe", "W4-text", "mb"],
  ["MB of output, PTY", "W4-tty", "mb"],
  ["MB of text, PTY", "W4-tty-text", "mb"],
  ["echo, pipe", "W5-pipe", "op"],
  ["echo, PTY", "W5-tty", "op"],
  ["echo, 50 chatty neighbours", "W5-noisy", "op"],
  ["line of one of 200 processes", "W6", "op"],
  ["read of 64 KiB of a ring", "W7", "op"],
  ["line, 100 connections", "W8", "op"],
  ["MB into stdin", "W9", "mb"],
]

/** @type {readonly [key: string, says: string][]} */
const figures = [
  ["calls", "system calls"],
  ["garbage_kb", "garbage, kB"],
  ["gc_us", "collecting, µs"],
]

/**
 * @param {{ results: readonly Result[] }} run
 * @param {readonly string[]} servers
 */
export const countTable = ({ results }, servers) => {
  const counted = results.filter(({ counts }) => counts)
  /** @param {string} transport @param {string} server @param {CountRow} row @param {string} key */
  const value = (transport, server, [, workload, per], key) =>
    median(
      counted
        .filter((one) => one.workload === workload && one.transport === transport && one.server === server)
        .flatMap(({ data }) => ("error" in data ? [] : (data[`${key}_per_${per}`] ?? []))),
    )
  return ["stdio", "ws"]
    .flatMap((transport) => {
      const columns = servers.flatMap((server) =>
        figures
          .filter(([key]) => rows.some((row) => Number.isFinite(value(transport, server, row, key))))
          .map(([key, says]) => ({ server, key, says })),
      )
      if (columns.length === 0) return []
      return [
        `| over ${transport === "ws" ? "WebSocket" : transport}, each | ${columns.map(({ server, says }) => `${server}: ${says}`).join(" | ")} |`,
        `|---|${columns.map(() => "---:|").join("")}`,
        ...rows.flatMap((row) => {
          const cells = columns.map(({ server, key }) => value(transport, server, row, key))
          if (!cells.some(Number.isFinite)) return []
          return [`| ${row[1].split("-")[0]} ${row[0]} | ${cells.map(written).join(" | ")} |`]
        }),
        "",
      ]
    })
    .join("\n")
}
