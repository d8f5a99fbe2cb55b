/** Every dialect by its name. */
import { auto } from "./auto.ts"
import { current } from "./current.ts"
import type { Dialect } from "./Dialect.ts"
import { v0 } from "./v0.ts"

/** The dialects. `auto` detects which of the others the client speaks. */
export const table = { current, v0, auto } satisfies { readonly [name: string]: Dialect }

/** The name of a dialect. */
export type Name = keyof typeof table

/** The names of all dialects. */
export const names = Object.keys(table) as ReadonlyArray<Name>

/** True for a method of any dialect. */
export const isRequest = (method: string): boolean =>
  Object.values(table).some(({ routes }) => Object.hasOwn(routes, method))
