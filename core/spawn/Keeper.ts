/**
 * The interface of keepers. A keeper holds children beyond the life of the server that has started them, and hands
 * them to the next one.
 *
 * A keeper retains the latest output of each child and remembers its ends and its exit, so that the next server repeats
 * what the one before has seen: the same chunks, cut at the same places, with the same seqs. A child without a note, by
 * `keep` of its handle, ends with its server.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SpawnError } from "./SpawnError.ts"
import type { ChildHandle, SpawnEvents, TerminalSize } from "./Spawner.ts"

/** A child whose server is gone. */
export interface Left {
  /** The last note. */
  readonly about: string
  /** The size of its terminal; undefined with pipes. */
  readonly size?: TerminalSize | undefined
  /** When it exited, in milliseconds since 1970; undefined while it runs. */
  readonly endedAtMs?: number | undefined
  /** The ids of the writes that it was given, oldest first: at most the last 4,096. */
  readonly writeIds: ReadonlyArray<string>
  /** The output that the keeper has lost, in bytes of each stream: what is retained begins behind it. */
  readonly lost: { readonly stdout: number; readonly stderr: number; readonly pty: number }
  /**
   * Takes the child over, until the scope closes, which ends it as for any child. `events` get what is retained, with
   * ends and exit in their places, before it succeeds; then what follows. `skip` is called before an output whose seq
   * is not one more than that of the output before, with its seq. The first output has the seq 1 without a call.
   */
  readonly adopt: (
    events: SpawnEvents,
    skip: (seq: number) => void,
  ) => Effect.Effect<ChildHandle, SpawnError, Scope.Scope>
  /** Leaves the child to itself again: from `left` on it is paused, so that what is known of it stays true. */
  readonly pass: Effect.Effect<void>
  /** Ends a child that no server takes over. */
  readonly end: Effect.Effect<void>
}

/** Holds the children of a server. */
export interface KeeperService {
  /**
   * The children of servers that are gone, in the order of their starts; each until it is adopted or ended. Their
   * output is paused until they are adopted or passed.
   */
  readonly left: Effect.Effect<ReadonlyArray<Left>>
  /** The ids of the sessions that servers before had, in the order of `remember`. */
  readonly sessions: Effect.Effect<ReadonlyArray<string>>
  /** Keeps the id of a session for the next server, with or without children in it, until the result is called. */
  readonly remember: (sessionId: string) => () => void
  /** The server ends and leaves its noted children to the next one: no scope ends one from now on. */
  readonly leave: Effect.Effect<void>
}

/** The keeper of a server; by default it has none. */
export const Keeper = Context.Reference("procwire/Keeper", {
  defaultValue: (): KeeperService | undefined => undefined,
})
