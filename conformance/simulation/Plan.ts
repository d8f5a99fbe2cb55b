/**
 * A run as data that follows from its number: settings of the server and the network, what the clients
 * do, what their children do, and what goes wrong. Shrinking takes parts away and plays the rest.
 */
import type { StartOptions } from "../../core/client/StartOptions.ts"
import type { FleetPlan } from "./FleetPlan.ts"
import type { AgentPlan, FilePlan, HttpPlan, ViewerPlan } from "./MixMaker.ts"
import type { Terms } from "./Pipe.ts"
import type { HistoryDiskPlan, ListPlan, RecordPlan } from "./RecordMaker.ts"
import type { Script } from "./Script.ts"
import type { Seed } from "./Seed.ts"
import type { Times, WaitPlan } from "./WaitMaker.ts"

export interface Disturbance {
  /** When, in milliseconds. */
  readonly at: number
  /** The client whose connection it is; all of them if it concerns the server. */
  readonly client: number
  /**
   * `cut`: both sides lose the connection. `cutAfter`: the same in the middle of a message. `strand`: one side only
   * loses it. `freeze`: nothing arrives for a while. `refuse`: connections are refused for a while. `hang`: connections
   * are accepted and never answered. `stray`: the server answers a request twice. `crash`: the server is killed and
   * started again. `restart`: it ends in order.
   */
  readonly kind: "cut" | "cutAfter" | "strand" | "freeze" | "refuse" | "hang" | "stray" | "crash" | "restart"
  /** Its milliseconds: until the other side notices, or until the server is there again. */
  readonly millis: number
  /** The side that loses the connection, or the direction. */
  readonly side: "client" | "server"
  /** Bytes until the cut. */
  readonly bytes: number
}

export interface Absence {
  /** When it closes its connection. */
  readonly at: number
  /** The milliseconds that it stays away. */
  readonly millis: number
}

export interface ClientPlan {
  /** Its fate when its session is lost. */
  readonly onSessionLost: "end" | "new"
  /** Its processes, in the order of their begin. */
  readonly processes: ReadonlyArray<ProcessPlan>
  readonly waits: ReadonlyArray<WaitPlan>
  /** Processes whose output is kept. */
  readonly records: ReadonlyArray<RecordPlan>
  readonly lists: ReadonlyArray<ListPlan>
  /** Its attachments. */
  readonly viewers: ReadonlyArray<ViewerPlan>
  readonly files: ReadonlyArray<FilePlan>
  readonly http: ReadonlyArray<HttpPlan>
  readonly agents: ReadonlyArray<AgentPlan>
  /** Its drills, of which those that follow a process are in `processes`. */
  readonly drills: ReadonlyArray<DrillPlan>
  readonly absences: ReadonlyArray<Absence>
}

export type ServerPlan = ReturnType<typeof server>

/** The settings of a server. */
export const server = (seed: Seed) => ({
  retainedBytes: seed.pick<number>(65_536, 100_000, 1_048_576),
  retainedChunks: seed.chance(30) ? seed.between(3, 50) : 50_000,
  retainedTotal: 256 * 1024 * 1024,
  concurrentRequests: seed.chance(85) ? 1024 : seed.between(2, 8),
  stdinBytes: seed.chance(80) ? 64 * 1024 * 1024 : seed.between(100, 20_000),
  detachedMillis: seed.pick<number>(80_000, 80_000, 30_000, 8_000),
  retentionMillis: 30_000,
  /** False: the spawner cannot pause children. */
  pauses: seed.chance(90),
  /** False: the server announces no replay, so clients read what they missed. */
  replays: seed.chance(75),
  /** False: the server announces no credit. */
  credits: seed.chance(75),
  /** False: the server announces no takeover, so a half-open connection holds its session until it is noticed. */
  takeovers: seed.chance(50),
})

/** The holder, which keeps the children of the server beyond its life. */
export interface HolderPlan {
  /** The milliseconds for which a child waits for the next server. */
  readonly ttlMillis: number
}

export interface Plan {
  readonly seed: number
  /** Milliseconds of activity; after it everything heals and ends. */
  readonly millis: number
  readonly server: ServerPlan
  /** Undefined if the server keeps no histories. */
  readonly history: HistoryDiskPlan | undefined
  /** Undefined if the children of the server end with it. */
  readonly holder: HolderPlan | undefined
  readonly network: Terms
  readonly clients: ReadonlyArray<ClientPlan>
  readonly fleet: FleetPlan | undefined
  readonly disturbances: ReadonlyArray<Disturbance>
}

export interface Reader {
  /** Milliseconds before it subscribes; 0 subscribes with the start. */
  readonly after: number
  /** Milliseconds between two batches. */
  readonly pause: number
  /** It stops reading at this batch for so many milliseconds. */
  readonly stall: { readonly batch: number; readonly millis: number } | undefined
}

/** A call on a process at some time after its start. */
export interface ProcessCall {
  /** Milliseconds after the start. */
  readonly at: number
  /** The call. `poll` is a long poll, repeated. */
  readonly kind: "write" | "terminate" | "interrupt" | "closeStdin" | "resize" | "poll" | "read"
  /** Bytes of a write, or most bytes of a read; 0 is no bound. */
  readonly bytes: number
  /** Milliseconds that a poll waits. */
  readonly wait: number
  /** The caller gives up after so many milliseconds. */
  readonly patience: number
}

/** A process that a client starts and follows. */
export interface ProcessPlan {
  /** When, in milliseconds. */
  readonly at: number
  /** Its id, which no other process of the run has. */
  readonly key: string
  readonly script: Script
  /** The credit of the start; null for none, undefined for the default. */
  readonly credit: number | null | undefined
  /** The caller gives up the start after so many milliseconds; Infinity waits. */
  readonly patience: number
  /** The consumers of its events; at least one. */
  readonly readers: ReadonlyArray<Reader>
  /** Other calls. */
  readonly calls: ReadonlyArray<ProcessCall>
  /** When it has to end. */
  readonly times?: Times
  readonly asks?: Pick<StartOptions, "history" | "marks" | "name" | "labels">
  /** It is a drill: it is called once more if its session is lost. */
  readonly drill?: boolean
  /** Its start is sent as a bare request, and it is followed whether the answer was lost or not. */
  readonly adopted?: boolean
  /** Its notifications come twice, late, or not at all. */
  readonly careless?: boolean
}

/** Requests that meet on one process id; see `DrillProgram`. */
export interface DrillPlan {
  /** When, in milliseconds. */
  readonly at: number
  /** Its id, and the name of its child. */
  readonly key: string
  readonly kind: "writes" | "waiting" | "cancelled" | "missing"
  readonly script: Script
  /** The child of a second start with that id. */
  readonly next: { readonly key: string; readonly script: Script } | undefined
  /** The number of requests that meet. */
  readonly calls: number
  /** Milliseconds between the start and what meets it. */
  readonly delay: number
  /** Each request is sent twice. */
  readonly twice: boolean
}
