// @ts-check
// Another commit beside this one: its scratch worktree with the installed node_modules, and the table of both.
import { execFileSync } from "node:child_process"
import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { root, run } from "../../../../.ci/setup.mjs"
import { median, spread, written } from "./figures.mjs"
import { measured, rows } from "./table.mjs"

/** @import { Result } from "./report.mjs" */
/** @import { Row } from "./table.mjs" */

/** CPU time of the server: on a machine that does other work, too, it says more than the clock. @type {readonly Row[]} */
const cpuRows = [
  ["CPU of a start, pipe", "W2-pipe", "cpu_ms_per_start", "ms", "less"],
  ["CPU of a start, PTY", "W2-tty", "cpu_ms_per_start", "ms", "less"],
  ["CPU of a start, 32 in flight", "W3", "cpu_ms_per_spawn", "ms", "less"],
  ["CPU of output, pipe", "W4-pipe", "cpu_s_per_gib", "s/GiB", "less"],
  ["CPU of output, text lines, pipe", "W4-text", "cpu_s_per_gib", "s/GiB", "less"],
  ["CPU of output, PTY", "W4-tty", "cpu_s_per_gib", "s/GiB", "less"],
  ["CPU of output, text lines, PTY", "W4-tty-text", "cpu_s_per_gib", "s/GiB", "less"],
  ["CPU of an echo, pipe", "W5-pipe", "cpu_us_per_round", "µs", "less"],
  ["CPU of an echo, PTY", "W5-tty", "cpu_us_per_round", "µs", "less"],
  ["CPU of a line of one of 200 processes", "W6", "cpu_us_per_line", "µs", "less"],
  ["CPU of a read of a full ring", "W7", "cpu_us_per_read", "µs", "less"],
  ["CPU of bytes into stdin", "W9", "cpu_s_per_gib", "s/GiB", "less"],
]

/** @param {readonly string[]} args */
const git = (...args) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim()

/**
 * The full name of a commit.
 * @param {string} ref
 * @returns {string | undefined} undefined if there is none
 */
export const commitOf = (ref) => {
  try {
    return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`)
  } catch {
    return undefined
  }
}

/**
 * Builds a commit in a worktree of its own.
 * @param {string} commit
 * @param {{ bunFile: boolean }} what `bunFile`: also the executable of Bun
 */
export const checkout = (commit, { bunFile }) => {
  const name = commit.slice(0, 9)
  const folder = join(root, ".cache", "bench", "against", name)
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
    git("worktree", "prune")
  }
  remove()
  process.stderr.write(`building ${name} in ${folder}\n`)
  git("worktree", "add", "--detach", "--force", folder, commit)
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  if (git("diff", "--stat", commit, "--", "package-lock.json") !== "")
    process.stderr.write(
      `${name} has another package-lock.json: it runs with the packages that are installed\n`,
    )
  const quiet = { cwd: folder, stdio: /** @type {const} */ (["ignore", "ignore", "inherit"]) }
  run(process.execPath, [".ci/build.mjs"], { ...quiet, stdio: [...quiet.stdio] })
  if (bunFile) run(process.execPath, [".ci/bun.mjs"], { ...quiet, stdio: [...quiet.stdio] })
  return { folder, name, remove }
}

/**
 * Both commits, row by row: before, now, how many times as good now is, and the larger spread of the two.
 * @param {{ results: readonly Result[] }} run
 * @param {readonly { now: string, before: string }[]} pairs names of servers
 */
export const againstTable = ({ results }, pairs) => {
  /** @param {string} transport @param {string} server @param {string} workload @param {string} key */
  const values = (transport, server, workload, key) => measured(results, transport, server, workload, key)
  const head = ["| row | server | before | now | now is | spread |", "|---|---|---:|---:|---:|---:|"]
  const lines = ["stdio", "ws"].flatMap((transport) =>
    [...rows, ...cpuRows].flatMap(([says, workload, key, unit, better]) =>
      pairs.flatMap(({ now, before }) => {
        const [was, is] = [values(transport, before, workload, key), values(transport, now, workload, key)]
        if (was.length === 0 || is.length === 0) return []
        const better_ = better === "more" ? median(is) / median(was) : median(was) / median(is)
        const name = `${workload.split("-")[0]} ${says}${unit && `, ${unit}`}, ${transport}`
        const both = `${written(median(was))} | ${written(median(is))}`
        const noise = Math.max(spread(was), spread(is)).toFixed(0)
        const factor = Number.isFinite(better_) ? `${better_.toFixed(2)}× as good` : "–"
        return [`| ${name} | ${now} | ${both} | ${factor} | ${noise} % |`]
      }),
    ),
  )
  return [...head, ...lines, ""].join("\n")
}
