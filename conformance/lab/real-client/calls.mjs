// What a client has called, by method: how often, and which errors it got. From what `--trace` has written down.
import { readFileSync } from "node:fs"

/** Adds what a trace says to `counts`, by method. */
const add = (counts, file) => {
  const methods = new Map()
  const line = (method) =>
    counts.get(method) ?? counts.set(method, { calls: 0, errors: new Map() }).get(method)
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

/** A table as text. */
export const table = (files) => {
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
