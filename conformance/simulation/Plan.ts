/**
 * What happens in a run, as data that follows from its number: settings of the server and the network, what the clients
 * do, what their children do, and what goes wrong. Shrinking takes parts away and plays the rest.
 */
import type { FleetPlan } from "./FleetPlan.ts"
import type { Terms } from "./Pipe.ts"
import type { DrillPlan, ListPlan, ProcessPlan, RecordPlan, ViewerPlan, WaitPlan } from "./ProcessPlan.ts"
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
   * are accepted and never answered. `stray`: the server answers a request twice. `crash`: the server is killed and
   * started again. `restart`: it ends in order.
   */
  readonly kind: "cut" | "cutAfter" | "strand" | "freeze" | "refuse" | "hang" | "stray" | "crash" | "restart"
  /** How long it lasts: until the other side notices, or until the server is there again. */
  readonly millis: number
  /** The side that loses the connection, or the direction. */
  readonly side: "client" | "server"
  /** Bytes until the cut. */
  readonly bytes: number
}

/** What a client does with one file, which no other program of the run uses. */
export interface FilePlan {
  /** When, in milliseconds. */
  readonly at: number
  /** The name of the file. */
  readonly key: string
  /**
   * `blocks`: opens it and reads blocks. `stream`: reads it from begin to end. `whole`: reads it in one answer.
   * `write`: replaces it block by block. `save`: replaces it as a whole, several times. `handles`: opens it more often
   * than a connection may. `watch`: waits until it appears.
   */
  readonly kind: "blocks" | "stream" | "whole" | "write" | "save" | "handles" | "watch"
  /** Its size in bytes, while it is there. */
  readonly size: number
  /** The bytes of each block, and for `blocks` where it is; `save` writes contents of these sizes. */
  readonly blocks: ReadonlyArray<{ readonly offset: number; readonly bytes: number }>
  /** Milliseconds between two blocks, or until a watched file appears. */
  readonly pause: number
  /** Reads fail from this offset on. */
  readonly broken: number | undefined
}

/** One HTTP exchange, and what its origin does. */
export interface HttpPlan {
  /** When, in milliseconds. */
  readonly at: number
  /** Its name, of which its URL is made. */
  readonly key: string
  /** The body is streamed. */
  readonly streams: boolean
  /** Milliseconds until the origin answers. */
  readonly headMillis: number
  /** It does not answer. */
  readonly refuses: boolean
  readonly status: number
  /** The body: each piece after so many milliseconds. */
  readonly pieces: ReadonlyArray<{ readonly millis: number; readonly bytes: number }>
  /** The body breaks off after its pieces. */
  readonly breaks: boolean
  /** The deadline of the exchange, in milliseconds. */
  readonly timeout: number | undefined
  /** Milliseconds between two reads of the client. */
  readonly pause: number
  /** The client drops the rest after so many reads. */
  readonly reads: number
}

/** A call of an agent: characters for a command, or none. */
export interface AgentCall {
  /** Milliseconds before it. */
  readonly wait: number
  /** `write` needs a terminal, `interrupt` is the other one. */
  readonly kind: "wait" | "write" | "interrupt"
  readonly yieldMillis: number
  /** The caller gives up after so many milliseconds; Infinity waits. */
  readonly patience: number
}

/** A command that an agent runs. */
export interface AgentCommand {
  /** The name of its child, which no other one of the run has. */
  readonly key: string
  readonly script: Script
  /** The first call starts it, the others are made on its session. */
  readonly calls: readonly [AgentCall, ...ReadonlyArray<AgentCall>]
  /** The token budget of its replies; undefined returns everything. */
  readonly tokens: number | undefined
}

/** What one agent does, command by command. */
export interface AgentPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  readonly commands: ReadonlyArray<AgentCommand>
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
  /** Processes that are waited for. */
  readonly waits: ReadonlyArray<WaitPlan>
  /** Processes whose output is kept. */
  readonly records: ReadonlyArray<RecordPlan>
  /** Its lists. */
  readonly lists: ReadonlyArray<ListPlan>
  /** Its attachments. */
  readonly viewers: ReadonlyArray<ViewerPlan>
  /** Its files. */
  readonly files: ReadonlyArray<FilePlan>
  /** Its HTTP exchanges. */
  readonly http: ReadonlyArray<HttpPlan>
  /** Its agents. */
  readonly agents: ReadonlyArray<AgentPlan>
  /** Its drills, of which those that follow a process are in `processes`. */
  readonly drills: ReadonlyArray<DrillPlan>
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

/** Where histories are kept. */
export interface HistoryDiskPlan {
  /** Milliseconds that a write takes. */
  readonly writeMillis: number
  /** No room is left from one time to another. */
  readonly full: { readonly from: number; readonly to: number } | undefined
}

/** A whole run. */
export interface Plan {
  readonly seed: number
  /** Milliseconds of activity; after it everything heals and ends. */
  readonly millis: number
  readonly server: ServerPlan
  /** Undefined if the server keeps no histories. */
  readonly history: HistoryDiskPlan | undefined
  readonly network: Terms
  readonly clients: ReadonlyArray<ClientPlan>
  /** Hosts and routers that agree by a directory. */
  readonly fleet: FleetPlan | undefined
  readonly disturbances: ReadonlyArray<Disturbance>
}
