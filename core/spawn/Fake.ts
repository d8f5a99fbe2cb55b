/**
 * A spawner with scripted children, for tests of everything above the spawner interface.
 *
 * A test decides what a child prints and how it ends: from outside through `FakeChild`, or with a script that runs in
 * the scope of the child and on the clock of the test. Operations of the core on a child (writes, signals, kills,
 * pauses) are recorded. The guarantees of a spawner hold: no event before `spawn` has succeeded or after the scope has
 * closed, each end and the exit once. A kill ends the child, unless the test says otherwise.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { utf8 } from "../protocol/Bytes.ts"
import { SignalError, type SpawnError, StdinError } from "./SpawnError.ts"
import {
  type Capabilities,
  type ChildHandle,
  type Ending,
  type ExitStatus,
  type OutputStream,
  type SignalName,
  Spawner,
  type SpawnEvents,
  type SpawnSpec,
  type TerminalSize,
} from "./Spawner.ts"

/** Options of the scripted spawner. */
export interface Options {
  /** Capabilities that differ from `allCapabilities`. */
  readonly capabilities?: Partial<Capabilities>
  /** Runs for each child after `spawn` has succeeded, until the child's scope closes. */
  readonly script?: (child: FakeChild) => Effect.Effect<void>
  /** Runs before a child is started: it may wait, or fail. */
  readonly beforeSpawn?: (spec: SpawnSpec) => Effect.Effect<void, SpawnError>
}

/** The scripted spawner and its children. */
export interface Fake {
  /** The spawner. */
  readonly layer: Layer.Layer<Spawner>
  /** Every child so far, oldest first. */
  readonly children: ReadonlyArray<FakeChild>
  /** Waits for the next child that was not taken yet. */
  readonly next: Effect.Effect<FakeChild>
}

/** Every capability. */
export const allCapabilities: Capabilities = {
  pty: true,
  resize: true,
  arg0: true,
  processGroup: true,
  pipeStdin: true,
  pause: true,
  confine: true,
}

/** A spawner without children yet. */
export const make = (options: Options = {}): Effect.Effect<Fake> =>
  Effect.gen(function* () {
    const spawned = yield* Queue.make<FakeChild>()
    const children: Array<FakeChild> = []
    const capabilities = { ...allCapabilities, ...options.capabilities }
    const spawn = (
      spec: SpawnSpec,
      events: SpawnEvents,
    ): Effect.Effect<ChildHandle, SpawnError, Scope.Scope> =>
      Effect.gen(function* () {
        if (options.beforeSpawn !== undefined) yield* options.beforeSpawn(spec)
        const child = new FakeChild(1000 + children.length, spec, events)
        yield* Effect.addFinalizer(() => Effect.sync(() => child.release()))
        children.push(child)
        Queue.offerUnsafe(spawned, child)
        if (options.script !== undefined) {
          yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, options.script(child)))
        }
        return child.handle(capabilities)
      })
    return {
      layer: Layer.succeed(Spawner, { capabilities, spawn }),
      children,
      next: Queue.take(spawned),
    }
  })

/** A child as the operating system would see it. Its methods are plain functions. */
export class FakeChild {
  /** 1000 for the first child, and so on. */
  readonly pid: number
  /** The spec that it was started with. */
  readonly spec: SpawnSpec
  /** The calls of the core on the child, in order. */
  readonly writes: Array<Uint8Array> = []
  /** Signals that were sent. */
  readonly signals: Array<SignalName> = []
  /** Sizes that the PTY was given. */
  readonly sizes: Array<TerminalSize> = []
  /** True after `endStdin`. */
  stdinEnded = false
  /** The number of kills. */
  kills = 0
  /** The number of pauses. */
  pauses = 0
  /** True while it is paused. */
  paused = false
  /** True after `abandonOutput`. */
  abandoned = false
  /** True once the scope has closed. */
  released = false
  /** False for a child that outlives `kill`. */
  mortal = true
  /** The answer of `ChildHandle.lingering`. */
  lingering = false

  private readonly events: SpawnEvents
  private readonly open: Set<OutputStream>
  private readonly reading = Latch.makeUnsafe(true)
  private readonly going = Latch.makeUnsafe(true)
  private readonly dead = Latch.makeUnsafe(false)
  private stdin: "reading" | "closed"
  private status: ExitStatus | undefined

  constructor(pid: number, spec: SpawnSpec, events: SpawnEvents) {
    this.pid = pid
    this.spec = spec
    this.events = events
    this.open = new Set(spec.stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"])
    this.stdin = spec.stdio.kind === "pty" || spec.stdio.stdin ? "reading" : "closed"
  }

  /** Writes to a stream; ignored after its end. */
  output(stream: OutputStream, bytes: Uint8Array | string): void {
    if (!this.open.has(stream)) return
    this.events.output(stream, typeof bytes === "string" ? utf8.encode(bytes) : bytes)
  }

  /** Ends these streams, or all that are open. */
  end(...streams: ReadonlyArray<OutputStream>): void {
    for (const stream of streams.length > 0 ? streams : [...this.open]) {
      if (this.open.delete(stream)) this.events.end(stream)
    }
  }

  /** Exits with a code or a status; the streams stay open. */
  exit(status: number | ExitStatus, ending?: Ending): void {
    if (this.status !== undefined || this.released) return
    this.status = typeof status === "number" ? { kind: "exited", code: status } : status
    this.dead.openUnsafe()
    this.events.exit(this.status, ending)
  }

  /** Ends every stream and exits. */
  finish(status: number | ExitStatus = 0, ending?: Ending): void {
    this.end()
    this.exit(status, ending)
  }

  /** Stops reading stdin, until `read`: writers wait. */
  stall(): void {
    this.reading.closeUnsafe()
  }

  /** Reads stdin again. */
  read(): void {
    this.reading.openUnsafe()
  }

  /** Closes its stdin: writes fail. */
  closeStdin(): void {
    this.stdin = "closed"
    this.reading.openUnsafe()
  }

  /** Completes while the core wants output. */
  get unpaused(): Effect.Effect<void> {
    return this.going.await
  }

  /** Completes when the child has exited: by itself, or killed. */
  get exited(): Effect.Effect<void> {
    return this.dead.await
  }

  /** Everything written so far, as text. */
  get written(): string {
    return this.writes.map((bytes) => String.fromCharCode(...bytes)).join("")
  }

  /** Ends the child with its scope: nothing is delivered from now on. */
  release(): void {
    this.released = true
    this.open.clear()
    this.closeStdin()
  }

  /** The handle for the core. */
  handle(capabilities: Capabilities): ChildHandle {
    return {
      pid: this.pid,
      write: (bytes) => Effect.flatMap(this.reading.await, () => this.take(bytes)),
      endStdin: Effect.sync(() => {
        this.stdinEnded = true
      }),
      signal: (signal) =>
        capabilities.processGroup || this.status === undefined
          ? Effect.sync(() => void this.signals.push(signal))
          : Effect.fail(new SignalError({ reason: "Unsupported", message: "no process group" })),
      kill: Effect.sync(() => {
        this.kills += 1
        if (this.mortal) this.finish({ kind: "signaled", signal: 9 })
      }),
      abandonOutput: Effect.sync(() => {
        this.abandoned = true
        this.end()
      }),
      lingering: Effect.sync(() => this.lingering),
      ...(capabilities.resize && { resize: (size) => Effect.sync(() => void this.sizes.push(size)) }),
      ...(capabilities.pause && { pause: () => this.setPaused(true), resume: () => this.setPaused(false) }),
    }
  }

  private take(bytes: Uint8Array): Effect.Effect<void, StdinError> {
    if (this.stdin === "closed") return Effect.fail(new StdinError({ reason: "Closed" }))
    return Effect.sync(() => void this.writes.push(bytes.slice()))
  }

  private setPaused(paused: boolean): void {
    this.paused = paused
    if (paused) this.pauses += 1
    if (paused) this.going.closeUnsafe()
    else this.going.openUnsafe()
  }
}
