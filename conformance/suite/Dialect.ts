/**
 * The versions of the wire that there are cases for.
 */

/** In the order in which help texts list them. */
export const dialects = ["current", "v0"] as const

/** `current` is today's wire, `v0` the first version. */
export type Dialect = (typeof dialects)[number]
