/** What clients do with processes, as data: how they start and follow them, call them, wait for them and end them. */
import type { WaitCondition } from "../../core/client/RemoteProcess.ts"
import type { StartOptions } from "../../core/client/StartOptions.ts"
import type { Script } from "./Script.ts"

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
  /** When it has to end. */
  readonly times?: Times
  /** What else its start asks for. */
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
  /** How many requests meet. */
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
  /** How many of the chunks that are there count; undefined counts all, 0 none. */
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

/** A process that is waited for. */
export interface WaitPlan extends ProcessPlan {
  readonly times: Times
  readonly waits: ReadonlyArray<WaitCall | EndCall>
}

/** A place in the output of a process: so much of what there is when it is asked for, in percent. */
export interface Spot {
  readonly kind: "seq" | "byte" | "line" | "time"
  readonly percent: number
}

/** What was printed is asked for again, at some time after the start of its process. */
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

/** How a client writes to a process. */
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

/** What runs is listed, page after page. */
export interface ListPlan {
  /** When, in milliseconds. */
  readonly at: number
  readonly key: string
  /** Rows of a page. */
  readonly limit: number
  /** Milliseconds between two pages. */
  readonly pause: number
  /** Only processes of one name. */
  readonly name: string | undefined
  /** Sessions are listed, too. */
  readonly sessions: boolean
}
