// @ts-check
// The steps of a run. Some of them run side by side, because tests wait about as long as they compute: while those of
// one runtime wait for a process or for the end of their longest file, another step has the cores.
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { each } from "./each.mjs"
import { heading, root } from "./setup.mjs"
import * as Tally from "./tally.mjs"

/**
 * A command, and the title of its output.
 * @typedef {{ readonly title: string, readonly args: readonly string[] }} Step the words behind `node`
 *
 * The end of a step: an exit code; cut, because the time was over; or not begun.
 * @typedef {number | "cut" | "not begun"} End
 */

/** The number of last lines of a failed step that are repeated at the end: vitest's list of its failures. */
const repeatedLines = 60

/** Milliseconds that a step has to end by itself once its time is over. */
const graceMs = 10_000

/**
 * Seconds of processor time that the children of this process have used which have ended; 0 where the kernel does not
 * tell.
 */
export const cpuSeconds = () => {
  if (!existsSync("/proc/self/stat")) return 0
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ")
  // Children's user and system time, in ticks, of which Linux tells a hundred a second on every machine.
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/**
 * The output of steps, in their order: that of the first one that runs is shown as it comes, that of the others when
 * those before them have ended.
 * @param {readonly Step[]} steps
 */
const inOrder = (steps) => {
  const outputs = steps.map((step) => ({
    step,
    chunks: /** @type {Uint8Array[]} */ ([]),
    printed: 0,
    ended: false,
  }))
  let shown = 0
  const show = () => {
    for (; ; shown += 1) {
      const output = outputs[shown]
      if (output === undefined) return
      for (const bytes of output.chunks.slice(output.printed)) process.stdout.write(bytes)
      output.printed = output.chunks.length
      if (!output.ended) return
      const next = outputs[shown + 1]
      if (next !== undefined) heading(next.step.title)
    }
  }
  if (steps[0] !== undefined) heading(steps[0].title)
  return outputs.map((output) => ({
    step: output.step,
    /** @param {Uint8Array} bytes */
    write: (bytes) => {
      output.chunks.push(bytes)
      show()
    },
    end: () => {
      output.ended = true
      show()
    },
    lastLines: () =>
      Buffer.concat(output.chunks).toString().trimEnd().split("\n").slice(-repeatedLines).join("\n"),
  }))
}

/**
 * Runs one step to its end, or until the time is over. Its children are in its process group, and end with it.
 * @param {Step} step
 * @param {{ workers: number, until: number }} how many test workers it has, and when `performance.now()` cuts it
 * @param {(bytes: Uint8Array) => void} write takes its output
 * @returns {Promise<number | "cut">}
 */
const run = async ({ args }, { workers, until }, write) => {
  const env = { ...process.env, TEST_WORKERS: String(workers) }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    try {
      process.kill(-(child.pid ?? 0), signal)
    } catch {
      // It has ended.
    }
  }
  let isCut = false
  const cut = () => {
    isCut = true
    stop("SIGTERM")
    setTimeout(() => stop("SIGKILL"), graceMs).unref()
  }
  const timer = until === Infinity ? undefined : setTimeout(cut, Math.max(0, until - performance.now()))
  const leave = () => {
    stop("SIGTERM")
    process.exit(130)
  }
  process.once("SIGINT", leave).once("SIGTERM", leave)
  for (const stream of [child.stdout, child.stderr]) stream.on("data", write)
  const [code, signal] = await new Promise((resolve) => {
    child.once("close", (code, signal) => resolve([code, signal]))
  })
  clearTimeout(timer)
  process.off("SIGINT", leave).off("SIGTERM", leave)
  if (isCut) return "cut"
  if (signal !== null) write(Buffer.from(`procwire: ${signal} has ended ${args.join(" ")}\n`))
  return code ?? 1
}

/**
 * Runs steps. The last lines of those that have failed are repeated at the end, where a reader of a long log looks
 * first. A step that fails without having counted a failed test counts as one.
 * @param {readonly Step[]} steps longest first
 * @param {{ sideBySide?: number, until?: number }} [options] until: of `performance.now()`
 * @returns {Promise<End[]>} in the order of the steps
 */
export const play = async (steps, { sideBySide = 2, until = Infinity } = {}) => {
  const outputs = inOrder(steps)
  const most = Math.min(sideBySide, steps.length)
  // Together a few more workers than cores, and one more for the longest step.
  const share = Math.floor((availableParallelism() + 2) / most)
  /** @type {End[]} */
  const ends = steps.map(() => "not begun")
  /** @type {string[]} */
  const costs = []
  let counted = cpuSeconds()
  await each([...outputs.entries()], most, async ([index, { step, write, end }]) => {
    if (performance.now() < until) {
      const before = Tally.sum().failed
      const workers = share + (index === 0 && most > 1 ? 1 : 0)
      const began = performance.now()
      const ended = await run(step, { workers, until }, write)
      // The time of a child is counted as it ends: that of steps which run on is not in it.
      const cpu = cpuSeconds()
      const seconds = Math.round((performance.now() - began) / 1000)
      costs.push(`${step.title}: ${seconds} s, ${Math.round(cpu - counted)} s of processors`)
      counted = cpu
      if (typeof ended === "number" && ended !== 0 && Tally.sum().failed === before) {
        const message = `exit code ${ended}`
        const failure = { runtime: "node", file: "", test: `${step.title}: ${message}`, message }
        Tally.note({ failed: 1, failures: [failure] })
      }
      ends[index] = ended
    }
    end()
  })
  for (const [index, { step, lastLines }] of outputs.entries()) {
    const ended = ends[index]
    if (typeof ended !== "number" || ended === 0) continue
    heading(`failed with exit code ${ended}: ${step.title}. Its last lines:`)
    process.stdout.write(`${lastLines()}\n`)
  }
  if (costs.length > 1) process.stdout.write(`\n${costs.join("\n")}\n`)
  return ends
}
