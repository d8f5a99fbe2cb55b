/** Decodes texts by the method table, as a server does, for tests. */
import type * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as Decoder from "../decoding/Decoder.ts"
import * as Json from "../Json.ts"
import * as Methods from "../Methods.ts"

/** The schemas of the table: `METHOD`, `METHOD result` and `NOTIFICATION`. */
export const schemas = new Map<string, Schema.Schema<unknown>>(
  [
    ...Object.entries(Methods.requests).flatMap(
      ([name, row]) =>
        [
          [name, row.params],
          [`${name} result`, row.result],
        ] as const,
    ),
    ...Object.entries(Methods.serverNotifications).map(([name, row]) => [name, row.params] as const),
  ].map(([name, schema]) => [name, schema as unknown as Schema.Schema<unknown>]),
)

/** One of them. */
export const schemaOf = (name: string): Schema.Schema<unknown> => {
  const schema = schemas.get(name)
  if (schema === undefined) throw new Error(`no row ${name}`)
  return schema
}

/** The decoded text, or the text of the error. */
export const decode = (name: string, text: string): Either.Either<unknown, string> =>
  Decoder.make(schemaOf(name))(Json.parse(text))

/** The params of `process/start` that have no default. */
export const base = { processId: "p", argv: ["a"], cwd: "file:///", env: {}, tty: false }

/** The text of such params with other fields. */
export const start = (change: object) => JSON.stringify({ ...base, ...change })
