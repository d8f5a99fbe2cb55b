/**
 * The interface that spawners implement. A spawner turns a resolved `SpawnSpec` into a running child and reports what
 * the child does through plain callbacks. It has no policy: environment, limits, ordering and retention belong to the
 * core.
 *
 * Every spawner guarantees:
 * - `events.output` is called with the bytes of one stream in the order in which the child wrote them. The bytes are
 *   valid during the call only; the core copies what it keeps.
 * - `events.end` is called once for each stream of the spec, after its last byte: `stdout` and `stderr` for pipes,
 *   `pty` for a PTY. If a descendant holds a stream open, it ends after the exit.
 * - `events.exit` is called once, when the child itself has exited; it does not wait for the streams.
 * - `spawn` fails with the reasons and exact texts of SpawnError, because clients compare them: `notFound`,
 *   `notADirectory`, `permissionDenied`, `notExecutable`, `argumentsTooLong`, and what SpecCheck refuses
 *   (`missingProgram`, `nulByte`). A directory that cannot be entered is reported before the program.
 * - No event is delivered before `spawn` has succeeded, and none after the scope has closed.
 * - Closing the scope kills the whole process group and releases every descriptor. It is idempotent.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Confinement } from "../protocol/Confinement.ts"
import type { Ending } from "../protocol/Ending.ts"
import type { Gate, Outlet } from "./Egress.ts"
import type { SignalError, SpawnError, StdinError } from "./SpawnError.ts"

/** The capabilities of a spawner. A declared one must work; one that is not declared is never used. */
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
  /** `pause` stops reading output, so that the child blocks when its pipe is full. */
  readonly pause: boolean
  /** `SpawnSpec.confinement` holds for the child and all its descendants. */
  readonly confine: boolean
  /**
   * `SpawnSpec.egress` is the only way out for the child and all its descendants: they have no network, and a proxy
   * that asks the gate. Absent as false.
   */
  readonly egress?: boolean | undefined
  /** `SpawnSpec.secrets` never leave in output. Absent: the core masks them. */
  readonly masks?: boolean
}

/** The size of a PTY in character cells. */
export interface TerminalSize {
  /** Lines. */
  readonly rows: number
  /** Characters in a line. */
  readonly columns: number
}

/** stdin, stdout and stderr of a child. Without `stdin: true` a pipe child reads `/dev/null`. */
export type Stdio =
  | { readonly kind: "pipe"; readonly stdin: boolean }
  | { readonly kind: "pty"; readonly size: TerminalSize }

/** A value that must not leave in the output of a process, and the name that is shown in its place. */
export interface Secret {
  /** The name of its variable. */
  readonly name: string
  /** The value, of at least 6 bytes. */
  readonly value: string
}

/** A secret as it is given. */
export interface GivenSecret extends Secret {
  /** The hosts that get the value, in the grammar of egress rules; the process has a placeholder. Absent: it has the value. */
  readonly hosts?: ReadonlyArray<string> | undefined
  /** The header of requests by the route of the secret; by default `authorization: Bearer ${value}`. */
  readonly header?: string | undefined
  /** The variable that gets the URL of the route. */
  readonly base?: string | undefined
  /** True: the value may also go to public addresses by `http://`. */
  readonly http?: boolean | undefined
}

/** A process to start, with everything decided. */
export interface SpawnSpec {
  /** The program and its arguments. A bare program name is looked up in the PATH of `env`. */
  readonly argv: readonly [program: string, ...args: ReadonlyArray<string>]
  /** The `argv[0]` that the child sees instead of the program. Only with the capability `arg0`. */
  readonly arg0?: string | undefined
  /** Absolute native path. */
  readonly cwd: string
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>
  /** The streams of the child. */
  readonly stdio: Stdio
  /** The access of the child. Only with the capability `confine`: the child must not run without it. */
  readonly confinement?: Confinement | undefined
  /**
   * The policy for the hosts that the child may reach. Only with the capability `egress`, and with a confinement
   * without a network: the child must not run without it. The spawner adds the variables of the proxy to `env`, and
   * takes out those that the caller has given for another one.
   */
  readonly egress?: Gate | undefined
  /** The secrets that its output may have. Only with the capability `masks`; others need not know them. */
  readonly secrets?: ReadonlyArray<Secret> | undefined
}

/** A stream that a child writes. */
export type OutputStream = "stdout" | "stderr" | "pty"

export type { Ending } from "../protocol/Ending.ts"

/** The end of a child: it exited with a code from 0 to 255, or a signal of that number killed it. */
export type ExitStatus =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signaled"; readonly signal: number }

/** A POSIX signal name, such as `SIGINT`. */
export type SignalName = `SIG${string}`

/** The callbacks of a spawner: plain functions that it calls synchronously and that never throw. */
export interface SpawnEvents {
  /** The child has written bytes, which are valid during the call. */
  readonly output: (stream: OutputStream, bytes: Uint8Array) => void
  /** The stream is at EOF. */
  readonly end: (stream: OutputStream) => void
  /** The child has exited. `ending` is what is known beyond the status; who passes events on passes it on. */
  readonly exit: (status: ExitStatus, ending?: Ending) => void
}

/**
 * Notes a child: it outlives its server from now on. A later note replaces the one before.
 *
 * `about` is text for the next server. `endedMillis` is the time for which it waits for one once its end was sent, in
 * milliseconds; undefined for as long as any other. `nextSeq` gives the seq of the next output; the keeper asks for it
 * before it delivers one, and remembers each seq that is not one more than that of the output before. Its result
 * is to be called when something else than an output has taken a seq, so that the keeper knows it without an output.
 */
export type Keep = (about: string, endedMillis: number | undefined, nextSeq: () => number) => () => void

/** A running child. It may be on another machine, so every operation is asynchronous and may fail. */
export interface ChildHandle {
  /** The process id, if the spawner knows it. */
  readonly pid: number | undefined
  /**
   * Writes to stdin (or the PTY) in call order; suspends while the child does not read. Fails once it has no reader.
   * The bytes do not change meanwhile. After a success their memory is used for others: a copy is needed to keep them.
   * `writeId` is the client's id of the write; a keeper remembers the last ones.
   */
  readonly write: (bytes: Uint8Array, writeId?: string) => Effect.Effect<void, StdinError>
  /** `write`, begun at the call: `Effect.void` itself if the child has taken the bytes. So that takes no fiber. */
  readonly begin?: (bytes: Uint8Array) => Effect.Effect<void, StdinError>
  /** Takes many writes at once, in call order, and keeps them although this server ends. Of a spawner with a keeper. */
  readonly queuesInput?: true
  /** Closes a piped stdin after the writes before. On a PTY it does nothing. */
  readonly endStdin: Effect.Effect<void>
  /** Sends a signal to the group. A group that is gone is no error; a name without a signal is `Unsupported`. */
  readonly signal: (signal: SignalName) => Effect.Effect<void, SignalError>
  /** SIGKILL to the process group, at once. */
  readonly kill: Effect.Effect<void>
  /**
   * Stops reading output: no further `output` is delivered, and every open stream ends even if a descendant outside the
   * group holds it. The `end` events are delivered before it completes.
   */
  readonly abandonOutput: Effect.Effect<void>
  /** True while processes of the group outlive the child that led it. */
  readonly lingering: Effect.Effect<boolean>
  /** True while descendants run, be it in groups of their own. The end of the scope kills them. Absent: unknown. */
  readonly outlived?: Effect.Effect<boolean>
  /** Sets the size of the PTY. With the capability `resize`. */
  readonly resize?: (size: TerminalSize) => Effect.Effect<void, SignalError>
  /** Stops reading output, also after the exit; what was read before may still arrive. With the capability `pause`. */
  readonly pause?: () => void
  /** Reads output again after `pause`. */
  readonly resume?: () => void
  /**
   * True while output of the child, or the end of a stream, is there and not yet delivered. Absent: the spawner cannot
   * know it.
   */
  readonly unread?: Effect.Effect<boolean>
  /** Lets the child outlive its server. Only of a spawner with a keeper. */
  readonly keep?: Keep
  /** The place of its proxy. Only of a child with egress rules, by a spawner with `reopen`. */
  readonly outlet?: Outlet | undefined
  /** The secrets that its output is masked of, where those of its spec are not all. Set by features. */
  readonly masked?: ReadonlyArray<Secret> | undefined
}

/** A way to start processes. */
export interface SpawnerService {
  /** The capabilities. */
  readonly capabilities: Capabilities
  /**
   * Starts one child, which lives as long as the scope. Fails with the error of `SpawnError.notFound` and its like for
   * what the system refuses, and with that of `SpecCheck.refusal` for a spec that can never be started.
   */
  readonly spawn: (
    spec: SpawnSpec,
    events: SpawnEvents,
  ) => Effect.Effect<ChildHandle, SpawnError, Scope.Scope>
  /**
   * Opens the proxy of a child again, until the scope closes: of one that runs, and whose server is gone. The gate is
   * that of the spec, which is of its start else. Only of a spawner with the capability `egress` whose children may
   * outlive it.
   */
  readonly reopen?: (child: ChildHandle, spec: SpawnSpec) => Effect.Effect<void, SpawnError, Scope.Scope>
}

/** The service that a server starts its children with. */
export class Spawner extends Context.Service<Spawner, SpawnerService>()("procwire/Spawner") {}
