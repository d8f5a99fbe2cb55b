/**
 * Chooses cases by level, by the release of the peer, and by ids or globs (see Glob.ts).
 */
import type { Case, Level } from "./Case.ts"
import * as Glob from "./Glob.ts"
import { newest, type Peer } from "./Peer.ts"

/** The depth of a run: `must` alone, `should` with it, or `all`. */
export type Depth = "must" | "should" | "all"

const levels: { readonly [depth in Depth]: ReadonlyArray<Level> } = {
  must: ["must"],
  should: ["must", "should"],
  all: ["must", "should", "peer"],
}

/** The result of {@link select}. */
export interface Selection {
  /** The chosen cases, in the order given. */
  readonly cases: ReadonlyArray<Case>
  /** Globs that fit no case at all. */
  readonly unknown: ReadonlyArray<string>
}

/** The chosen cases; without globs all of the depth. Cases about other releases of the peer are left out. */
export const select = (
  cases: ReadonlyArray<Case>,
  globs: ReadonlyArray<string>,
  depth: Depth,
  peer: Peer = newest,
): Selection => {
  const wanted = Glob.make(globs)
  const fits = ({ id, level, peers }: Case): boolean =>
    peers.includes(peer) && levels[depth].includes(level) && (globs.length === 0 || wanted.match(id))
  return { cases: cases.filter(fits), unknown: wanted.unmatched(cases.map(({ id }) => id)) }
}
