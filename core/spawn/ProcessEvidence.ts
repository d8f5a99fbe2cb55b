/**
 * Evidence of the kernel about a running child and its descendants: whether one waits for input, and whether one
 * listens on a port. A service with a default that knows nothing, because few systems tell it.
 *
 * Looks are cheap enough to be repeated while somebody waits for what they tell, and are not made otherwise. An answer
 * is of this moment: `yes` was so while the service looked.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The child that is asked about. */
export interface Subject {
  /** Its process id on this host; it leads its session and group. */
  readonly pid: number
  /** True if it has a PTY. */
  readonly tty: boolean
}

/** No answer; `why` says what is missing. */
export interface Unknown {
  /** Tells it from the other answers. */
  readonly kind: "unknown"
  /** In words for people. */
  readonly why: string
}

/** It is not so. */
export interface No {
  /** Tells it from the other answers. */
  readonly kind: "no"
}

/** A process that waits for input, and nothing is there to be read. */
export interface AsksInput {
  /** Tells it from the other answers. */
  readonly kind: "yes"
  /** The process that waits: the child or a descendant. */
  readonly pid: number
  /** The descriptor of the read: its terminal, or the pipe that is the stdin of the child. */
  readonly from: "terminal" | "stdin"
  /** Of a terminal: whether it shows what is typed. */
  readonly echo?: boolean
  /** Of a terminal: whether it gives whole lines, which its user can edit before they are read. */
  readonly line?: boolean
}

/** A process that listens. */
export interface Listens {
  /** Tells it from the other answers. */
  readonly kind: "yes"
  /** The child or a descendant. */
  readonly pid: number
  /** The address that its socket is bound to. */
  readonly host: string
  /** The TCP port. */
  readonly port: number
}

/** The evidence about input. */
export type Input = AsksInput | No | Unknown

/** The evidence about a port. */
export type Port = Listens | No | Unknown

/** Looks at children. */
export interface ProcessEvidenceService {
  /** True for what it can tell of the children of this server, as far as it is permitted. */
  readonly tells: { readonly input: boolean; readonly port: boolean }
  /** True if the child or a descendant waits for input now. */
  readonly input: (child: Subject) => Effect.Effect<Input>
  /** True if one of them listens on this TCP port, at an address that is reached as `host` (absent: at any). */
  readonly port: (child: Subject, port: number, host?: string) => Effect.Effect<Port>
}

/** Nothing is known. */
export const unknown: ProcessEvidenceService = {
  tells: { input: false, port: false },
  input: () => Effect.succeed(untold),
  port: () => Effect.succeed(untold),
}

const untold: Unknown = { kind: "unknown", why: "this server cannot look into its processes" }

/** The service; the default is `unknown`. */
export const ProcessEvidence = Context.Reference("procwire/ProcessEvidence", {
  defaultValue: (): ProcessEvidenceService => unknown,
})
