// @ts-check
// The differences that are wanted, as data: each entry says which they are and why.
import { readFileSync } from "node:fs"

/**
 * @import { Difference } from "./compare.mjs"
 *
 * @typedef {object} Entry the expressions must all match
 * @property {string} id
 * @property {string} reason
 * @property {string} method
 * @property {string} at
 * @property {string} reference
 * @property {string} candidate in which REFERENCE is what the reference has said, as it is
 * @property {string} [request] what the text of the message must have
 * @property {string} [earlier] what the texts of the messages before must have, a line each
 * @property {boolean} [ends] what follows in the sequence depends on it, and is not compared
 * @property {number} [within] how many sequences may pass without it before it is stale, 1000 by default
 *
 * @typedef {ReturnType<typeof make>} Allowed
 */

const parts = /** @type {const} */ (["method", "at", "reference", "candidate", "request", "earlier"])

/** @param {unknown} value @returns {value is Entry} */
const isEntry = (value) => {
  const entry = Object(value)
  return (
    ["id", "reason", "method", "at", "reference", "candidate"].every(
      (name) => typeof entry[name] === "string",
    ) && Object.keys(entry).every((name) => ["id", "reason", "ends", "within", ...parts].includes(name))
  )
}

/** A text as the part of an expression that matches it alone. @param {string} text */
const literal = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Whether an entry allows a difference. @param {Entry} entry @returns {(difference: Difference) => boolean} */
const holdsOf = (entry) => {
  const tests = parts.map((part) => ({
    part,
    source: entry[part] ?? "",
    test: new RegExp(entry[part] ?? "", "s"),
  }))
  return (difference) =>
    tests.every(({ part, source, test }) =>
      source.includes("REFERENCE")
        ? new RegExp(source.replace("REFERENCE", literal(difference.reference)), "s").test(difference[part])
        : test.test(difference[part]),
    )
}

/** @param {readonly Entry[]} entries */
export const make = (entries) => {
  const rules = entries.map((entry) => ({ entry, holds: holdsOf(entry), hits: 0 }))
  return {
    /** The entry that allows it, which is counted. @param {Difference} difference */
    entryOf: (difference) => {
      const rule = rules.find(({ holds }) => holds(difference))
      if (rule) rule.hits += 1
      return rule?.entry
    },
    hits: () => rules.map(({ entry, hits }) => ({ id: entry.id, reason: entry.reason, hits })),
    /** The entries that this many sequences should have shown. @param {number} sequences */
    stale: (sequences) =>
      rules
        .filter(({ entry, hits }) => hits === 0 && sequences >= (entry.within ?? 1000))
        .map(({ entry }) => entry.id),
  }
}

/** Reads a list. @param {string} path @throws if it is none */
export const read = (path) => {
  /** @type {unknown} */
  const json = JSON.parse(readFileSync(path, "utf8"))
  if (!Array.isArray(json)) throw new Error(`${path} has no list of entries`)
  const wrong = json.findIndex((one) => !isEntry(one))
  if (wrong >= 0)
    throw new Error(`${path}: entry ${wrong} is not of the form that conformance/README.md describes`)
  return make(json)
}

/**
 * The differences that nothing allows; those behind an entry that ends the comparison are left out.
 * @param {readonly Difference[]} all
 * @param {Allowed} allowed
 */
export const unexplained = (all, allowed) => {
  /** @type {Difference[]} */
  const rest = []
  for (const difference of all) {
    const entry = allowed.entryOf(difference)
    if (entry?.ends) break
    if (!entry) rest.push(difference)
  }
  return rest
}
