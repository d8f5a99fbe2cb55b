// @ts-check
// A planted fault as data, and how the lists of them (`*.faults`) are read.
//
//   core/process/Deadline.ts                                  the file, from the root
//     output does not delay the end for silence | seed 2 waits   what is wrong then, and who must notice it
//   - since = Math.max(since, this.lastOutput)                a pattern of the syntax: see syntax.mjs
//   +                                                         what stands in its place
//
// Noticed by: `seed N MIX` of the simulation (MIX are the programs that it plays), ids of the wire suite, paths of
// tests, or without a word the tests beside the file. Lines that begin with # are comments.

/**
 * One planted fault.
 * @typedef {object} Fault
 * @property {string} name what it says, in kebab-case ("the-first-seq-is-2"); unique
 * @property {string} says one sentence: what is wrong then
 * @property {string} file source path from the root
 * @property {string} find a pattern of the syntax
 * @property {string} put what stands in its place
 * @property {readonly string[]} [tests] vitest paths that must notice
 * @property {readonly string[]} [cases] ids of the wire suite that must notice
 * @property {string} [mix] the simulation must notice: the programs that are played ("default", "drills", ...)
 * @property {number} [seed] a seed that is known to notice, played first
 *
 * @typedef {(typeof ways)[number]} Way
 */

export const ways = /** @type {const} */ (["tests", "cases", "seeds"])

/** @param {string} who @returns {Pick<Fault, "tests" | "cases" | "mix" | "seed">} */
const noticing = (who) => {
  const words = who.split(" ").filter((word) => word !== "")
  const [first = "", seed, mix = "default"] = words
  if (first === "seed") return { seed: Number(seed), mix }
  if (first === "") return {}
  return /^(core|adapters|conformance)\//.test(first) ? { tests: words } : { cases: words }
}

/**
 * The faults of a list.
 * @param {string} text
 * @returns {Fault[]}
 */
export const read = (text) => {
  let file = ""
  /** @type {Fault[]} */
  const faults = []
  for (const line of text.split("\n")) {
    const rest = line.slice(2)
    if (line === "" || line.startsWith("#")) continue
    if (line.startsWith("  ")) {
      const [says = "", who = ""] = rest.split(" | ")
      const name =
        says
          .toLowerCase()
          .match(/[a-z0-9]+/g)
          ?.join("-") ?? ""
      faults.push({ name, says, file, find: "", put: "", ...noticing(who) })
    } else if (line.startsWith("- ")) Object.assign(faults.at(-1) ?? {}, { find: rest })
    else if (line.startsWith("+")) Object.assign(faults.at(-1) ?? {}, { put: rest })
    else file = line
  }
  return faults
}

/**
 * The way in which a fault is noticed.
 * @param {Fault} fault
 * @returns {Way}
 */
export const wayOf = ({ cases, mix }) =>
  mix !== undefined ? "seeds" : cases !== undefined ? "cases" : "tests"
