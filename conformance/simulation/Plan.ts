/**
 * A run as data that follows from its number: settings of the server and the network, what the clients
 * do, what their children do, and what goes wrong. Shrinking takes parts away and plays the rest.
 */
import type { WaitCondition } from "../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../core/client/StartOptions.ts"
import type { FleetPlan } from "./FleetPlan.ts"
import type { Terms } from "./Pipe.ts"
import type { Script } from "./Script.ts"

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

/** The use of one file by a client; no other program of the run uses that file. */
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

export interface AgentCommand {
  /** The name of its child, which no other one of the run has. */
  readonly key: string
  readonly script: Script
  /** The first call starts it, the others are made on its session. */
  readonly calls: readonly [AgentCall, ...ReadonlyArray<AgentCall>]
  /** The token budget of its replies; undefined returns everything. */
  readonly tokens: number | undefined
}

/** The acts of one agent, command by command. */
export interface AgentPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  readonly commands: ReadonlyArray<AgentCommand>
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

export interface HistoryDiskPlan {
  /** Milliseconds that a write takes. */
  readonly writeMillis: number
  /** No room is left from one time to another. */
  readonly full: { readonly from: number; readonly to: number } | undefined
}

export interface Plan {
  readonly seed: number
  /** Milliseconds of activity; after it everything heals and ends. */
  readonly millis: number
  readonly server: ServerPlan
  /** Undefined if the server keeps no histories. */
  readonly history: HistoryDiskPlan | undefined
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

/** When a process has to end, as its start names it. All in milliseconds. */
export interface Times {
  readonly timeoutMs?: number
  readonly idleTimeoutMs?: number
  readonly killGraceMs?: number
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

/** A wait, at some time after the start of its process. */
export interface WaitCall {
  readonly kind: "wait"
  /** Milliseconds after the start. */
  readonly at: number
  readonly until: ReadonlyArray<WaitCondition>
  /** The number of chunks that count, of those that are there; undefined counts all, 0 none. */
  readonly last: number | undefined
  readonly timeoutMs: number | undefined
  readonly maxBytes: number | undefined
  /** The caller gives up after so many milliseconds. */
  readonly patience: number
}

/** A terminate, at some time after the start of its process. */
export interface EndCall {
  readonly kind: "end"
  readonly at: number
  /** Undefined kills at once. */
  readonly graceMs: number | undefined
  readonly patience: number
}

export interface WaitPlan extends ProcessPlan {
  readonly times: Times
  readonly waits: ReadonlyArray<WaitCall | EndCall>
}

/** A place in the output of a process: so much of what there is when it is asked for, in percent. */
export interface Spot {
  readonly kind: "seq" | "byte" | "line" | "time"
  readonly percent: number
}

/** A request for output that was printed before, at some time after the start of its process. */
export interface RecordCall {
  readonly kind: "again" | "part" | "tail" | "grep"
  /** Milliseconds after the start. */
  readonly at: number
  readonly from: Spot | undefined
  readonly to: Spot | undefined
  /** Most bytes or matches of an answer. */
  readonly most: number
  /** The last lines, so many; or so many lines before and behind a match. */
  readonly lines: number
  readonly pattern: string
  /** The pattern is plain text. */
  readonly literal: boolean
  /** Most pages. */
  readonly pages: number
  /** The caller gives up each after so many milliseconds. */
  readonly patience: number
}

/** A process whose output is kept, or has marks. */
export interface RecordPlan extends ProcessPlan {
  readonly records: ReadonlyArray<RecordCall>
}

/** A client looks on at a process, of its own or of another client. */
export interface ViewerPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  /** The client whose process it is. */
  readonly of: number
  /** Which of those that run then: in percent of them, in the order of their starts. */
  readonly which: number
  /** Behind so much of the output that there is, in percent. */
  readonly after: number
  readonly policy: "skip" | "block" | "screen"
  /** Milliseconds between two batches. */
  readonly pause: number
  /** It leaves after so many batches. */
  readonly batches: number
  /** It attaches as the writer. */
  readonly role?: RolePlan
}

export interface RolePlan {
  /** It takes the role from who has it. */
  readonly take: boolean
  /** It takes the role of its own process back, and does nothing else. */
  readonly reclaims: boolean
  /** Milliseconds before each write. */
  readonly writes: ReadonlyArray<number>
  /** It gives the role up and takes it again so often at once. */
  readonly swings: number
}

/** A list of the processes, page after page. */
export interface ListPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  readonly limit: number
  /** Milliseconds between two pages. */
  readonly pause: number
  readonly name: string | undefined
  /** Sessions are listed, too. */
  readonly sessions: boolean
}
