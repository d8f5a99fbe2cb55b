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
  const outputs = steps.map(({ title }) => ({ title, kept: /** @type {Uint8Array[]} */ ([]), ended: false }))
  let shown = 0
  const show = () => {
    for (; ; shown += 1) {
      const output = outputs[shown]
      if (output === undefined) return
      for (const bytes of output.kept.splice(0)) process.stdout.write(bytes)
      if (!output.ended) return
      const next = outputs[shown + 1]
      if (next !== undefined) heading(next.title)
    }
  }
  if (steps[0] !== undefined) heading(steps[0].title)
  return outputs.map((output) => ({
    /** @param {Uint8Array} bytes */
    write: (bytes) => {
      output.kept.push(bytes)
      show()
    },
    end: () => {
      output.ended = true
      show()
    },
  }))
}

/**
 * Runs steps. Once one has failed no other begins; those that run go on to their end.
 * @param {readonly Step[]} steps
 * @returns {Promise<number>} 0, or the exit code of the first that has failed
 */
export const play = async (steps) => {
  const outputs = inOrder(steps)
  let failed = 0
  const waiting = [...steps.entries()]
  const take = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, step] = next
      const { args } = step
      const output = outputs[index]
      if (failed === 0) {
        const env = { ...process.env, TEST_WORKERS: String(workersOf(step)) }
        const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output?.write(bytes))
        const [code, signal] = await new Promise((resolve) => {
          child.once("close", (code, signal) => resolve([code, signal]))
        })
        if (signal !== null) output?.write(Buffer.from(`procwire: ${signal} has ended ${args.join(" ")}\n`))
        if (code !== 0) failed ||= code ?? 1
      } else output?.write(Buffer.from("not begun, because another step has failed\n"))
      output?.end()
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, take))
  return failed
}
