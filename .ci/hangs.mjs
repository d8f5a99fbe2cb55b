// @ts-check
// A reporter of vitest that ends a run which hangs. A test that computes for ever, or that waits in a synchronous call,
// cannot be timed out by its own worker; so the run would hang without a word of which test it is.
import { execFileSync } from "node:child_process"
import process from "node:process"
import { relative } from "node:path"

/** @import { Reporter, TestCase, TestModule } from "vitest/node" */

/** Longer than the longest test may take: 20 minutes, that of the simulation's seeds. */
const longestMillis = 25 * 60_000

/** Between two looks. */
const lookMillis = 15_000

/** Every process below this one, and its line in a table of processes. */
const descendants = () => {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,wchan=,etime=,args="], { encoding: "utf8" })
  const all = table
    .split("\n")
    .map((line) => ({ line: line.slice(0, 200), numbers: line.trim().split(/\s+/, 2).map(Number) }))
  const found = new Map([[process.pid, ""]])
  // Parents are mostly before their children, but for numbers that have begun anew.
  for (let before = 0; before !== found.size;) {
    before = found.size
    for (const { line, numbers } of all) {
      const [pid = 0, parent = 0] = numbers
      if (found.has(parent) && !found.has(pid)) found.set(pid, line)
    }
  }
  found.delete(process.pid)
  return found
}

/** @implements {Reporter} */
export class Hangs {
  /** Tests that have begun and not ended, and their begin. @type {Map<string, { readonly name: string, readonly began: number }>} */
  #running = new Map()
  #last = performance.now()
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  onTestRunStart() {
    this.#last = performance.now()
    this.#timer = setInterval(() => this.#look(), lookMillis)
    this.#timer.unref?.()
  }

  /** @param {TestModule} module */
  onTestModuleStart({ id, moduleId }) {
    this.#begin(id, relative(process.cwd(), moduleId))
  }

  /** @param {TestModule} module */
  onTestModuleEnd({ id }) {
    this.#end(id)
  }

  /** @param {TestCase} test */
  onTestCaseReady({ id, fullName, module }) {
    this.#begin(id, `${relative(process.cwd(), module.moduleId)} > ${fullName}`)
  }

  /** @param {TestCase} test */
  onTestCaseResult({ id }) {
    this.#end(id)
  }

  onTestRunEnd() {
    clearInterval(this.#timer)
  }

  /** @param {string} id @param {string} name */
  #begin(id, name) {
    this.#last = performance.now()
    this.#running.set(id, { name, began: this.#last })
  }

  /** @param {string} id */
  #end(id) {
    this.#last = performance.now()
    this.#running.delete(id)
  }

  #look() {
    const now = performance.now()
    const silent = now - this.#last
    if (silent < longestMillis) return
    const left = descendants()
    const lines = [
      `The tests hang: nothing has begun or ended for ${Math.round(silent / 60_000)} minutes. What runs:`,
      ...[...this.#running.values()].map(
        ({ name, began }) => `${Math.round((now - began) / 1000)} s: ${name}`,
      ),
      "The processes below, which are killed now:",
      ...left.values(),
    ]
    process.stderr.write(`\n${lines.join("\n")}\n`)
    for (const pid of left.keys())
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It has ended meanwhile.
      }
    process.exit(1)
  }
}
