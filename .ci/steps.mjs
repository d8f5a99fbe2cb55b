// @ts-check
// The steps of a whole run. Two of them run side by side, because tests wait about as long as they compute: while those
// of one runtime wait for a process, a deadline or the end of their longest file, another step has the cores.
import { spawn } from "node:child_process"
import { availableParallelism } from "node:os"
import { heading, root } from "./setup.mjs"

/**
 * What runs, and the title of its output.
 * @typedef {{ readonly title: string, readonly args: readonly string[] }} Step the words behind `node`
 */

/** @type {Step} The longest. */
const node = { title: `Node ${process.version}`, args: ["node_modules/vitest/vitest.mjs", "run"] }
/** @type {readonly Step[]} */
const others = [
  { title: "core and adapters on Bun", args: [".ci/on.mjs", "bun"] },
  { title: "core and adapters on Deno", args: [".ci/on.mjs", "deno"] },
  { title: "the suites on every runtime", args: ["conformance/lab/run/support.mjs", "--check"] },
]

/** @type {Step} */
const check = { title: "npm run check", args: [".ci/check.mjs"] }

/** Longest first. */
export const tests = [node, ...others]

/** With the check second: much of it uses one core alone, and the last step has both. */
export const testsAndCheck = [node, check, ...others]

const sideBySide = 2

/** Of a step that has failed, as many of its last lines are repeated at the end: what vitest says of its failures. */
const repeatedLines = 80

/**
 * The test workers of a step: together a few more than there are cores, and one more for the longest step.
 * @param {Step} step
 */
const workersOf = (step) => Math.floor((availableParallelism() + 2) / sideBySide) + (step === node ? 1 : 0)

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
 * Runs one step to its end.
 * @param {Step} step
 * @param {(bytes: Uint8Array) => void} write takes its output
 * @returns {Promise<number>} its exit code, or 1 if a signal has ended it
 */
const run = async (step, write) => {
  const env = { ...process.env, TEST_WORKERS: String(workersOf(step)) }
  const child = spawn(process.execPath, step.args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
  for (const stream of [child.stdout, child.stderr]) stream.on("data", write)
  const [code, signal] = await new Promise((resolve) => {
    child.once("close", (code, signal) => resolve([code, signal]))
  })
  if (signal !== null) write(Buffer.from(`procwire: ${signal} has ended ${step.args.join(" ")}\n`))
  return code ?? 1
}

/**
 * Runs steps. Once one has failed no other begins; those that run go on to their end. The last lines of those that have
 * failed are repeated at the end, where a reader of a long log looks first.
 * @param {readonly Step[]} steps
 * @returns {Promise<number>} 0, or the exit code of the first that has failed
 */
export const play = async (steps) => {
  const waiting = inOrder(steps)
  const failed = /** @type {{ title: string, code: number, lastLines: string }[]} */ ([])
  const take = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { step, write, end, lastLines } = next
      if (failed.length === 0) {
        const code = await run(step, write)
        if (code !== 0) failed.push({ title: step.title, code, lastLines: lastLines() })
      } else write(Buffer.from("not begun, because another step has failed\n"))
      end()
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, take))
  for (const { title, code, lastLines } of failed) {
    heading(`failed with exit code ${code}: ${title}. Its last lines:`)
    process.stdout.write(`${lastLines}\n`)
  }
  return failed[0]?.code ?? 0
}
