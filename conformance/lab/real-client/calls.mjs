// @ts-check
// How often a client has called each method, and which errors it got, from the files of `--trace`.
import { readFileSync } from "node:fs"

/** @typedef {Map<string, { calls: number, errors: Map<string, number> }>} Counts by arrow and method */

/** Adds a trace to the counts. @param {Counts} counts @param {string} file */
const add = (counts, file) => {
  /** @type {Map<unknown, string>} */
  const methods = new Map()
  /** @param {string} method */
  const line = (method) => {
    const known = counts.get(method) ?? { calls: 0, errors: new Map() }
    counts.set(method, known)
    return known
  }
  for (const text of readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    const { id, method, error } = JSON.parse(text.slice(2))
    const from = text[0]
    if (method !== undefined) {
      if (from === ">") methods.set(id, method)
      line(`${from} ${method}`).calls += 1
    } else if (error !== undefined && from === "<") {
      const { errors } = line(`> ${methods.get(id)}`)
      const told = `${error.code} ${error.message.replaceAll(/[`'"/][^ ]*/g, "…")}`
      errors.set(told, (errors.get(told) ?? 0) + 1)
    }
  }
}

/** The table of some traces, as text. @param {Iterable<string>} files */
export const table = (files) => {
  /** @type {Counts} */
  const counts = new Map()
  for (const file of files) add(counts, file)
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([method, { calls, errors }]) => [
      `${String(calls).padStart(7)} ${method}`,
      ...[...errors].map(([told, count]) => `${" ".repeat(10)}${count} × ${told}`),
    ])
    .join("\n")
}
