/**
 * The rights of a client with the sessions of others: none, to look at them and their processes, or to act on these as
 * their owners do. The door by which the client came decides.
 */
import * as Data from "effect/Data"

/** The scopes, each with all that the one before has. */
export const scopes = ["own", "observe", "control"] as const

/** The rights of a client with the sessions of others. */
export type SessionScope = (typeof scopes)[number]

/** True if a client with one scope may do what needs another. */
export const includes = (has: SessionScope, needs: SessionScope): boolean =>
  scopes.indexOf(has) >= scopes.indexOf(needs)

/** The greater one. */
export const greater = (one: SessionScope, other: SessionScope): SessionScope =>
  includes(one, other) ? one : other

/** The refusal of an action on a process of others, because the client came by a door that does not allow it. */
export class ScopeError extends Data.TaggedError("ScopeError")<{
  /** The scope that it needs. */
  readonly needs: SessionScope
  /** The scope that it has. */
  readonly has: SessionScope
  /** The thing that it has tried, as a part of the text for the client. */
  readonly what: string
}> {}
