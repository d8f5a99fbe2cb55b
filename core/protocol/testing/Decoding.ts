/** Decodes texts by the method table, as a server does, for tests. */
import type * as Result from "effect/Result"
import * as Json from "../Json.ts"
import * as Methods from "../Methods.ts"
import * as Shape from "../shape/index.ts"

/** The shapes of the table: `METHOD`, `METHOD result` and `NOTIFICATION`. */
export const shapes = new Map<string, Shape.Any>([
  ...Object.entries(Methods.requests).flatMap(
    ([name, row]) =>
      [
        [name, row.params],
        [`${name} result`, row.result],
      ] as const,
  ),
  ...Object.entries(Methods.serverNotifications).map(([name, row]) => [name, row.params] as const),
])

/** One of them. */
export const shapeOf = (name: string): Shape.Any => {
  const shape = shapes.get(name)
  if (shape === undefined) throw new Error(`no row ${name}`)
  return shape
}

/** The decoded text, or the text of the error. */
export const decode = (name: string, text: string): Result.Result<unknown, string> =>
  Shape.decode(shapeOf(name), Json.parse(text))

/** The params of `process/start` that have no default. */
export const base = { processId: "p", argv: ["a"], cwd: "file:///", env: {}, tty: false }

/** The text of such params with other fields. */
export const start = (change: object) => JSON.stringify({ ...base, ...change })
