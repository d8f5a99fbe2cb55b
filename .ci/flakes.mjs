// @ts-check
// Plays tests again and again beside busy processes, and tells which of them do not always pass.
//
//   npm run lab -- flakes [PATH...]   the test files whose paths contain a PATH (default: all; of core and adapters on
//                                     Bun and Deno)
//   --rounds N       rounds: 20
//   --load N         busy processes beside them: 8; 0 for none
//   --runtime NAME   node (default), bun or deno
//   --seconds N      ends after so many seconds, in the middle of a round if need be
//
// Each failure is printed, with the log of its round in dist/flakes; at the end there is a table. The exit code is 1 if
// a test has failed, 2 for wrong use.
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs"
import { command } from "./command.mjs"
import { build, heading, install, root, runtimeNames, vitestOn } from "./setup.mjs"
import * as Tally from "./tally.mjs"

/** @import { Runtime } from "./setup.mjs" */

const { values, positionals: files } = command(import.meta.url, {
  allowPositionals: true,
  options: {
    rounds: { usual: 20, least: 1 },
    load: 8,
    runtime: { usual: "node", of: runtimeNames },
    seconds: { usual: Infinity, least: 1 },
  },
})
const { rounds, load } = values
const until = Date.now() + values.seconds * 1000
const runtime = /** @type {Runtime} */ (values.runtime)

/** Keeps a core busy until this process has ended, however it ends. */
const busy = `for (;;) {
  for (const end = Date.now() + 200; Date.now() < end; );
  if (process.ppid !== ${process.pid}) process.exit()
}`

/**
 * Plays a round; its exit code, or null if it was ended because the time is over.
 * @param {string} log
 * @returns {Promise<number | null>}
 */
const round = async (log) => {
  const output = openSync(log, "w")
  const [program, words] = vitestOn(runtime, files)
  const child = spawn(program, [...words, "--passWithNoTests"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", output, output],
  })
  const stop = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL")
  const timer = until === Infinity ? undefined : setTimeout(stop, Math.max(0, until - Date.now()))
  const forward = () => {
    stop()
    process.exit(130)
  }
  process.once("SIGINT", forward).once("SIGTERM", forward)
  const code = await new Promise((resolve) => child.once("close", resolve))
  process.off("SIGINT", forward).off("SIGTERM", forward)
  clearTimeout(timer)
  closeSync(output)
  return code === null && Date.now() < until ? 1 : code
}

/** The number of failures of each test. @type {Map<string, number>} */
const failed = new Map()

const play = async () => {
  const folder = `${root}dist/flakes`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (let number = 1; number <= rounds; number++) {
    const began = Date.now()
    const log = `dist/flakes/round-${number}.log`
    process.env["TEST_TALLY"] = `${folder}/tally-${number}`
    mkdirSync(process.env["TEST_TALLY"])
    const code = began < until ? await round(`${root}${log}`) : null
    if (code === null) {
      process.stdout.write(`the time is over: ${number - 1} of ${rounds} rounds were played to their end\n`)
      return
    }
    const { passed, failed: count, failures } = Tally.sum()
    if (code !== 0 && failures.length === 0)
      failures.push({ runtime, file: "vitest", test: `ends with ${code}`, message: "its log says more" })
    const outcome = failures.length === 0 ? "passed" : `${failures.length} FAILED: ${log}`
    const seconds = Math.round((Date.now() - began) / 1000)
    process.stdout.write(`round ${number} of ${rounds}: ${outcome} (${passed + count} tests, ${seconds} s)\n`)
    for (const { file, test, message } of failures) {
      const name = `${file} > ${test}`
      failed.set(name, (failed.get(name) ?? 0) + 1)
      process.stdout.write(`  ${name}\n${message.replace(/^/gm, "    ")}\n`)
    }
  }
}

install()
build()
if (runtime !== "node") await (await import("./tested.mjs")).provide(runtime)
const of = files.length > 0 ? files.join(" ") : "all test files"
heading(`${rounds} rounds of ${of} on ${runtime}, beside ${load} busy processes`)
const loads = Array.from({ length: load }, () => spawn(process.execPath, ["-e", busy], { stdio: "ignore" }))
try {
  await play()
} finally {
  for (const one of loads) one.kill("SIGKILL")
}
const lines = [...failed].sort(([, a], [, b]) => b - a)
process.stdout.write(
  lines.map(([name, count]) => `${String(count).padStart(6)} of ${rounds}  ${name}\n`).join(""),
)
process.exitCode = lines.length === 0 ? 0 : 1
