/**
 * What happens in a run, as data that follows from its number: settings of the server and the network, what the clients
 * do, what their children do, and what goes wrong. Shrinking takes parts away and plays the rest.
 */
import type { Terms } from "./Pipe.ts"
import type { Script } from "./Script.ts"

/** Something that goes wrong with the network or the server. */
export interface Disturbance {
  /** When, in milliseconds. */
  readonly at: number
  /** The client whose connection it is; all of them if it concerns the server. */
  readonly client: number
  /**
   * `cut`: both sides lose the connection. `cutAfter`: the same in the middle of a message. `strand`: one side only
   * loses it. `freeze`: nothing arrives for a while. `refuse`: connections are refused for a while. `hang`: connections
   * are accepted and never answered. `crash`: the server is killed and started again. `restart`: it ends in order.
   */
  readonly kind: "cut" | "cutAfter" | "strand" | "freeze" | "refuse" | "hang" | "crash" | "restart"
  /** How long it lasts: until the other side notices, or until the server is there again. */
  readonly millis: number
  /** The side that loses the connection, or the direction. */
  readonly side: "client" | "server"
  /** Bytes until the cut. */
  readonly bytes: number
}

/** How a consumer reads. */
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
  /** What is called. `poll` is a long poll, repeated. */
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
  /** What its child does. */
  readonly script: Script
  /** The credit of the start; null for none, undefined for the default. */
  readonly credit: number | null | undefined
  /** The caller gives up the start after so many milliseconds; Infinity waits. */
  readonly patience: number
  /** Who consumes its events; at least one. */
  readonly readers: ReadonlyArray<Reader>
  /** What else is called. */
  readonly calls: ReadonlyArray<ProcessCall>
}

/** A client that leaves and comes back. */
export interface Absence {
  /** When it closes its connection. */
  readonly at: number
  /** How long it stays away. */
  readonly millis: number
}

/** One client. */
export interface ClientPlan {
  /** What becomes of it when its session is lost. */
  readonly onSessionLost: "end" | "new"
  /** Its processes, in the order of their begin. */
  readonly processes: ReadonlyArray<ProcessPlan>
  /** When it is away. */
  readonly absences: ReadonlyArray<Absence>
}

/** Settings of the server. */
export interface ServerPlan {
  readonly retainedBytes: number
  readonly retainedChunks: number
  readonly retainedTotal: number
  readonly concurrentRequests: number
  readonly stdinBytes: number
  readonly detachedMillis: number
  readonly retentionMillis: number
  /** False: the spawner cannot pause children. */
  readonly pauses: boolean
  /** False: the server announces no replay, so clients read what they missed. */
  readonly replays: boolean
  /** False: the server announces no takeover, so a half-open connection holds its session until it is noticed. */
  readonly takeovers: boolean
  /** False: the server announces no credit. */
  readonly credits: boolean
}

/** A whole run. */
export interface Plan {
  readonly seed: number
  /** Milliseconds of activity; after it everything heals and ends. */
  readonly millis: number
  readonly server: ServerPlan
  readonly network: Terms
  readonly clients: ReadonlyArray<ClientPlan>
  readonly disturbances: ReadonlyArray<Disturbance>
}
