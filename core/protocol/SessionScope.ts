/**
 * What a client may do with the sessions of others: nothing, look at them and their processes, or act on these as their
 * owners do. The door by which it came says which.
 */

/** The scopes, each with all that the one before has. */
export const scopes = ["own", "observe", "control"] as const

/** What a client may do with the sessions of others. */
export type SessionScope = (typeof scopes)[number]

/** True if a client with one scope may do what needs another. */
export const includes = (has: SessionScope, needs: SessionScope): boolean =>
  scopes.indexOf(has) >= scopes.indexOf(needs)

/** The greater one. */
export const greater = (one: SessionScope, other: SessionScope): SessionScope =>
  includes(one, other) ? one : other
