/** The conditions of a wait, its request, and its result. */
import type { Pattern } from "../../pattern/Pattern.ts"
import type { OutputStream } from "../../spawn/Spawner.ts"
import type { Printed } from "../../process/Printed.ts"
import type { Evidence } from "./wire.ts"

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

/** Most bytes of a match that its evidence has. */
export const mostMatchBytes = 4096

export type { Evidence, Match, Place } from "./wire.ts"

/** A condition that has come true. */
export interface Met {
  /** Its place in the list, from 0. */
  readonly index: number
  /** The fact that shows it. */
  readonly evidence: Evidence
}

export interface WaitRequest {
  /** Output above this seq counts: for patterns, bytes, and the answer. */
  readonly afterSeq: number
  /** The conditions, of which one is enough. */
  readonly until: ReadonlyArray<Condition>
  /** The timeout, in milliseconds; Infinity: until the process is closed. */
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
