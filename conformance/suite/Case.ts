/**
 * A conformance case is data: a stable id, a level, what it needs, one sentence for the author of a server, and a function that plays it.
 *
 * Guarantees: ids are paths and never change their meaning; the sentence says what is sent and what must come back.
 * A case cannot know which implementation it talks to: everything it may use is in {@link CaseContext}.
 */
import type { CaseContext } from "./CaseContext.ts"

/** How much a failure matters: `must` breaks clients, `should` is quality, `peer` is only an accident of Codex 0.169.0. */
export type Level = "must" | "should" | "peer"

/** How the suite can talk to the server, in the order in which it does. */
export const transportKinds = ["stdio", "ws", "unix", "tcp"] as const

export type TransportKind = (typeof transportKinds)[number]

/** What can carry a case: anything; `lines`, as all but WebSocket; `sockets`, as all but stdio; or one alone. */
export type Carriers = "any" | "lines" | "sockets" | TransportKind

export const carries = (carriers: Carriers, kind: TransportKind): boolean =>
  carriers === "any" ||
  carriers === kind ||
  (carriers === "lines" && kind !== "ws") ||
  (carriers === "sockets" && kind !== "stdio")

/** Every capability, in the order in which help texts list them. */
export const capabilities = [
  "arg0",
  "capability-discovery",
  "concurrency-flag",
  "earlier-clients",
  "env-policy",
  "environment-config",
  "filesystem",
  "filesystem-blocks",
  "filesystem-walk",
  "filesystem-watch",
  "grace-flag",
  "http-client",
  "http-endpoints",
  "http-header-env",
  "http-status",
  "limit-flags",
  "network-proxy",
  "process-close-stdin",
  "process-group",
  "process-resize",
  "procfs",
  "pty",
  "resume",
  "sandbox",
  "session-replay",
  "ws-auth",
] as const

/**
 * What a server may lack without being wrong. A case that requires a missing one is skipped: missing is what the caller
 * says, and what the server itself says when it is asked (see `Manifest.ts`).
 */
export type Capability = (typeof capabilities)[number]

/** The wires that there are cases for, in the order in which help texts list them. */
export const dialects = ["current", "v0"] as const

/** Which of them a case speaks: today's, or the first version. */
export type Dialect = (typeof dialects)[number]

/**
 * The number of a behaviour: of section 16 of the description of the process protocol, or, with a `b` before it, of
 * section 7 of the description of what is beyond processes.
 */
export type Behaviour = number | `b${number}`

/**
 * Which server a case may share. `shared`: any one. `owned`: one that the suite has started, so that its
 * environment is known. `fresh`: started for this case alone, because the case signals it or watches it end.
 */
export type ServerNeed = "shared" | "owned" | "fresh"

export interface Case {
  /** A stable path, for example `process/read/after-seq-skips-older`. */
  readonly id: string
  readonly dialect: Dialect
  readonly level: Level
  readonly requires: ReadonlyArray<Capability>
  readonly transports: Carriers
  /** The behaviours that the case covers; empty where the descriptions number none. */
  readonly spec: ReadonlyArray<Behaviour>
  /** What is sent and what must come back, in one sentence. */
  readonly says: string
  readonly server: ServerNeed
  /** Arguments added to the command line of the server. */
  readonly args: ReadonlyArray<string>
  /** Takes more than five seconds; left out unless asked for. */
  readonly slow: boolean
  readonly run: (t: CaseContext) => Promise<void>
}

/** A case as it is written down: the fields with a usual value may be left out. */
export type CaseSpec = Pick<Case, "level" | "spec" | "says" | "run"> & Partial<Case>

/** Completes one case. */
export const make = (id: string, spec: CaseSpec): Case => ({
  dialect: "current",
  requires: [],
  transports: "any",
  args: [],
  slow: false,
  server: spec.args === undefined ? "shared" : "fresh",
  ...spec,
  id,
})

/** Completes a table of cases, all below one path. */
export const table = (prefix: string, specs: { readonly [name: string]: CaseSpec }): ReadonlyArray<Case> =>
  Object.entries(specs).map(([name, spec]) => make(`${prefix}/${name}`, spec))

/** The part of an id that summaries group by: two steps for `process/…` and `v0/…`, one otherwise. */
export const family = (id: string): string => {
  const steps = id.split("/")
  return steps.slice(0, steps[0] === "process" || steps[0] === "v0" ? 2 : 1).join("/")
}
