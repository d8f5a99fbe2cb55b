/**
 * A case is data: a stable id, a level, what it needs, a sentence for the author of a server, and a function.
 *
 * Guarantees: ids are paths and never change their meaning; the sentence says what is sent and what must come back.
 * A case cannot know which implementation it talks to: everything it may use is in {@link CaseContext}.
 */
import type { Capabilities } from "../../core/protocol/Environment.ts"
import type { CaseContext, Setting } from "./CaseContext.ts"
import { peers, type Peer } from "./Peer.ts"
import type { Carriers } from "./wire/TransportKind.ts"
import type { Wire } from "./wire/Wire.ts"

/**
 * The weight of a failure: `must` breaks clients, `should` is quality, `peer` is only an accident of Codex.
 */
export type Level = "must" | "should" | "peer"

/** Tokens of what the wire does not announce, or announces under another name. */
export type Unannounced =
  | "arg0"
  | "capability-discovery"
  | "concurrency-flag"
  | "earlier-clients"
  | "egress-flags"
  | "env-policy"
  | "environment-config"
  | "filesystem"
  | "filesystem-blocks"
  | "filesystem-change"
  | "filesystem-walk"
  | "filesystem-watch"
  | "grace-flag"
  | "http-client"
  | "http-endpoints"
  | "http-header-env"
  | "http-status"
  | "limit-flags"
  | "network-proxy"
  | "process-group"
  | "procfs"
  | "pty"
  | "resume"
  | "sandbox"
  | "session-scopes"
  | "ws-auth"

/** A name of `environmentInfo.capabilities` as a token: `processRestart` is `process-restart`. */
export type Token<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Token<Rest>}`
    : `-${Lowercase<First>}${Token<Rest>}`
  : Name

/**
 * Something that a server may lack without being wrong. A case that requires a missing capability is skipped. The
 * caller names missing capabilities, and the suite finds most of them by asking the server (see `Manifest.ts`). Each
 * capability that the wire can announce is one, by its name in kebab-case.
 */
export type Capability = Unannounced | Token<keyof Capabilities>

/** Every capability that some of these cases require, in the order of the alphabet. */
export const capabilities = (cases: ReadonlyArray<Case>): ReadonlyArray<Capability> =>
  [...new Set(cases.flatMap(({ requires }) => requires))].sort()

/**
 * The number of a behaviour: in section 16 of the description of the process protocol, or, with a `b` before it, in
 * section 7 of the description of the protocol beyond processes.
 */
export type Behaviour = number | `b${number}`

/** One case. */
export interface Case extends Setting {
  /** A stable path, for example `process/read/after-seq-skips-older`. */
  readonly id: string
  /** The weight of a failure; `must` by default. */
  readonly level: Level
  /** The capabilities without which the case is skipped. */
  readonly requires: ReadonlyArray<Capability>
  /** The transports that can carry the case; `any` by default. */
  readonly transports: Carriers
  /** The releases of the peer whose behaviour this is; every one by default. A server is judged by one of them. */
  readonly peers: ReadonlyArray<Peer>
  /** The behaviours that the case covers; empty, as by default, where the descriptions number none. */
  readonly spec: ReadonlyArray<Behaviour>
  /** The request and the expected answer, in one sentence. */
  readonly says: string
  /** The case takes more than five seconds; it is left out unless asked for. */
  readonly slow: boolean
  /** Fails by throwing, best with the functions of `Check`. */
  readonly run: (t: CaseContext) => Promise<void>
}

/** Plays a case, on a connection after the handshake. */
export type Play = (wire: Wire, t: CaseContext) => Promise<void>

/** A case as it is written, without its function: the fields with a default may be left out. */
export type CaseFacts = Pick<Case, "says"> & Partial<Omit<Case, "run">>

/** A case as it is written. In place of `run` it may have `play`, which is given a connection after the handshake. */
export type CaseSpec = CaseFacts &
  ({ readonly run: Case["run"]; readonly play?: never } | { readonly play: Play; readonly run?: never })

/** Completes one case. The sentence may go over several lines. */
export const make = (
  id: string,
  { play, run = async (t) => play?.(await t.open(), t), says, ...spec }: CaseSpec,
): Case => ({
  dialect: "current",
  level: "must",
  peers,
  requires: [],
  transports: "any",
  args: [],
  spec: [],
  slow: false,
  server: spec.args === undefined ? "shared" : "fresh",
  ...spec,
  says: says.replaceAll(/\s+/g, " "),
  run,
  id,
})

/** Cases by the last step of their paths. */
export interface Specs {
  readonly [name: string]: CaseSpec
}

/** The facts that a case has unless it has its own. */
export type Shared = Partial<Omit<Case, "run" | "says">>

/** Completes a table of cases, all below one path, which may share some facts. */
export const table = (
  prefix: string,
  ...given: readonly [specs: Specs] | readonly [shared: Shared, specs: Specs]
): ReadonlyArray<Case> => {
  const [shared, specs] = given.length === 1 ? [{}, given[0]] : given
  return Object.entries(specs).map(([name, spec]) => make(`${prefix}/${name}`, { ...shared, ...spec }))
}

/** The part of an id that summaries group by: two steps for `process/…` and `v0/…`, one otherwise. */
export const family = (id: string): string => {
  const steps = id.split("/")
  return steps.slice(0, steps[0] === "process" || steps[0] === "v0" ? 2 : 1).join("/")
}
