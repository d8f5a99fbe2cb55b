/**
 * What a client may do with the sessions of others: nothing, look at them and their processes, or act on these as their
 * owners do. The door by which it came says which.
 */
import * as Data from "effect/Data"

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

/** What a client does not do with the processes of others, because it came by a door that does not let it. */
export class ScopeError extends Data.TaggedError("ScopeError")<{
  /** The scope that it needs. */
  readonly needs: SessionScope
  /** The scope that it has. */
  readonly has: SessionScope
  /** The thing that it has tried, as a part of the text for the client. */
  readonly what: string
}> {}
