/** What a wait waits for, what it is told, and the answer. */
import type { Pattern } from "../../pattern/Pattern.ts"
import type { OutputStream } from "../../spawn/Spawner.ts"
import type { Printed } from "../../process/Printed.ts"

/** One condition of a wait. Several may hold at once: the first of the list counts. */
export type Condition =
  /** The exit is published. */
  | { readonly kind: "exit" }
  /** The process has exited and no output follows. */
  | { readonly kind: "closed" }
  /** The output has a match; without `stream` that of any stream. */
  | {
      readonly kind: "pattern"
      readonly pattern: Pattern
      readonly name: string
      readonly stream: OutputStream | undefined
    }
  /** For so long nothing was printed, counted from the begin of the wait. */
  | { readonly kind: "idle"; readonly millis: number }
  /** So many bytes were printed. */
  | { readonly kind: "bytes"; readonly bytes: number }
  /** The process or a descendant listens on a TCP port. */
  | { readonly kind: "port"; readonly port: number; readonly host: string | undefined }
  /** The process or a descendant waits for input. */
  | { readonly kind: "input" }

/** A place between two bytes of a stream: in front of the byte of that index in the chunk of that seq. */
export interface Place {
  /** That of the chunk. */
  readonly seq: number
  /** Bytes of the chunk in front of the place. */
  readonly offset: number
}

export interface Match {
  /** The stream that has it. */
  readonly stream: OutputStream
  /** Where it begins. */
  readonly from: Place
  /** Where it ends. */
  readonly to: Place
  /** At most the first `mostMatchBytes` of it, as UTF-8. */
  readonly text: string
}

/** Most bytes of a match that its evidence has. */
export const mostMatchBytes = 4096

/** What shows that a condition holds. */
export interface Evidence {
  /** Of `exit` and `closed`: the exit code, 128 + n for a death by signal n. */
  readonly exitCode?: number
  /** Of `pattern`. */
  readonly match?: Match
  /** Of `idle`: how long nothing was printed, in milliseconds. */
  readonly idleMs?: number
  /** Of `bytes`: how many were printed. */
  readonly bytes?: number
  /** Of `port`: who listens, and on which address. */
  readonly port?: { readonly port: number; readonly host: string; readonly pid: number }
  /** Of `input`: who waits, and where. */
  readonly input?: {
    readonly pid: number
    readonly from: "terminal" | "stdin"
    readonly echo?: boolean
    readonly line?: boolean
    readonly secret?: boolean
  }
}

/** A condition that has come true. */
export interface Met {
  /** Its place in the list, from 0. */
  readonly index: number
  /** What shows it. */
  readonly evidence: Evidence
}

export interface WaitRequest {
  /** Output above this seq counts: for patterns, bytes, and the answer. */
  readonly afterSeq: number
  /** The conditions, of which one is enough. */
  readonly until: ReadonlyArray<Condition>
  /** How long to wait, in milliseconds; Infinity: until the process is closed. */
  readonly timeoutMillis: number
  /** Most bytes of output to return, the first and the last ones. */
  readonly maxBytes: number
}

export interface WaitState extends Printed {
  /** Undefined at the timeout, and at the end of the process. */
  readonly met: Met | undefined
  /** Conditions of which nothing is known, and why. */
  readonly unknown: ReadonlyArray<{ readonly index: number; readonly why: string }>
  /** Seqs above `afterSeq` that the log had no longer when the wait began. */
  readonly gap: { readonly from: number; readonly to: number } | undefined
  /** The seq of the next event. */
  readonly nextSeq: number
  /** True if the exit is published. */
  readonly exited: boolean
  /** Null while it runs. */
  readonly exitCode: number | null
  /** True if no output follows. */
  readonly closed: boolean
}
