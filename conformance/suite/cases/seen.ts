/**
 * Not cases: reads the environment that a process has.
 */
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"
import type { JsonObject } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

export type Variables = ReadonlyMap<string, string>

/** The environment that a process has. */
export const seen = async (
  wire: Wire,
  env: { readonly [name: string]: string },
  policy?: JsonObject,
  others: JsonObject = {},
): Promise<Variables> => {
  const params = policy === undefined ? others : { ...others, envPolicy: policy }
  const child = await Child.start(wire, { argv: ["/usr/bin/env", "-0"], env, params })
  Check.equal((await child.ended()).exitCode, 0, "the exit code of env -0")
  const settings = child
    .text("stdout")
    .split("\0")
    .filter((line) => line !== "")
  return new Map(
    settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )
}
