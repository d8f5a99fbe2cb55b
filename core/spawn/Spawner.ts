/**
 * The seam that plug-ins implement: how a process comes into being.
 *
 * A spawner turns a resolved `SpawnSpec` into a running child and reports what the child does through
 * plain callbacks. It holds no policy: environment, limits, ordering and retention are the core's.
 *
 * What every spawner guarantees:
 * - `events.output` is called with the bytes of one stream in the order in which the child wrote them;
 *   the bytes are only valid during the call (the core copies what it keeps).
 * - `events.end` is called once for each stream of the spec, after its last byte: `stdout` and `stderr`
 *   for pipes, `pty` for a PTY. A stream that a descendant holds open ends later than the exit.
 * - `events.exit` is called once, when the child itself has ended; it does not wait for the streams.
 * - no event is delivered before `spawn` has succeeded, and none after the scope has closed.
 * - closing the scope kills the whole process group and releases every descriptor. It is idempotent.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Confinement } from "../protocol/Confinement.ts"
import type { SignalError, SpawnError, StdinError } from "./SpawnError.ts"

/** What a spawner can do. A capability that is declared has to work; one that is not is never used. */
export interface Capabilities {
  /** Children may have a pseudo-terminal (`stdio.kind` is `pty`). */
  readonly pty: boolean
  /** `ChildHandle.resize` changes the size of the PTY and the child sees SIGWINCH. */
  readonly resize: boolean
  /** `SpawnSpec.arg0` becomes the `argv[0]` that the child sees. */
  readonly arg0: boolean
  /** A child leads its own process group, and signals and kills reach the whole group. */
  readonly processGroup: boolean
  /** Pipe children can be given a writable stdin. */
  readonly pipeStdin: boolean
  /** `pause` stops the reading of output, so that the child blocks when its pipe is full. */
  readonly pause: boolean
  /** `SpawnSpec.confinement` holds for the child and all its descendants. */
  readonly confine: boolean
}

/** A PTY's size in character cells. */
export interface TerminalSize {
  readonly rows: number
  readonly columns: number
}

/** stdin, stdout and stderr of a child. Without `stdin: true` a pipe child reads `/dev/null`. */
export type Stdio =
  | { readonly kind: "pipe"; readonly stdin: boolean }
  | { readonly kind: "pty"; readonly size: TerminalSize }

/** One process to start, with nothing left to decide. */
export interface SpawnSpec {
  /** The program and its arguments. A bare program name is looked up in the PATH of `env`. */
  readonly argv: readonly [program: string, ...args: ReadonlyArray<string>]
  /** What the child sees as `argv[0]`, if not the program. Only for spawners with that capability. */
  readonly arg0?: string | undefined
  /** Absolute native path. */
  readonly cwd: string
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>
  readonly stdio: Stdio
  /** What the child may reach. Only for spawners with that capability: no other may start it. */
  readonly confinement?: Confinement | undefined
}

export type OutputStream = "stdout" | "stderr" | "pty"

/** How a child ended: by itself with a code from 0 to 255, or by the signal of that number. */
export type ExitStatus =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: number }

/** A POSIX signal name, such as `SIGINT`. */
export type SignalName = `SIG${string}`

/** The byte path out of a spawner: plain functions, called synchronously, that never throw. */
export interface SpawnEvents {
  readonly output: (stream: OutputStream, bytes: Uint8Array) => void
  readonly end: (stream: OutputStream) => void
  readonly exit: (status: ExitStatus) => void
}

/** A running child. It may be on another machine, so every operation is asynchronous and may fail. */
export interface ChildHandle {
  /** The process id where the spawner knows one. */
  readonly pid: number | undefined
  /** Writes to stdin (or the PTY) in call order; suspends while the child does not read. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, StdinError>
  /** Closes a piped stdin after what was written. On a PTY it does nothing. */
  readonly endStdin: Effect.Effect<void>
  /** Sends a signal to the process group; a group that is gone is no error. */
  readonly signal: (signal: SignalName) => Effect.Effect<void, SignalError>
  /** SIGKILL to the process group, at once. */
  readonly kill: Effect.Effect<void>
  /**
   * Gives up the output at once: no further `output` is delivered and every stream that is still open
   * ends now, even if a descendant outside the group holds it.
   */
  readonly abandonOutput: Effect.Effect<void>
  /** True while processes of the group outlive the child that led it. */
  readonly lingering: Effect.Effect<boolean>
  /** With the capability `resize`. */
  readonly resize?: (size: TerminalSize) => Effect.Effect<void, SignalError>
  /** With the capability `pause`: stops reading output. At most what was already read still arrives. */
  readonly pause?: () => void
  /** Reads on after `pause`. */
  readonly resume?: () => void
}

export interface SpawnerService {
  readonly capabilities: Capabilities
  /** Starts one child. Its lifetime is the scope's. */
  readonly spawn: (
    spec: SpawnSpec,
    events: SpawnEvents,
  ) => Effect.Effect<ChildHandle, SpawnError, Scope.Scope>
}

export class Spawner extends Context.Tag("procwire/Spawner")<Spawner, SpawnerService>() {}
