/**
 * One process from its exit to its last byte: running, exited, closed.
 *
 * Sorts what the spawner reports. `exited` is published when the child has ended and its output has been
 * read: at once where every stream has ended, else (a descendant holds one) when no output has come for
 * a while. `closed` follows when every stream has ended. Both take their seq from the log. After
 * `terminate` a stream that stays open is given up, so that `closed` always comes.
 *
 * The byte path is plain functions; whoever wants to know of changes subscribes.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { Event } from "../protocol/dialect/Dialect.ts"
import type {
  ChildHandle,
  ExitStatus,
  OutputStream,
  SpawnEvents,
  SpawnSpec,
  Stdio,
} from "../spawn/Spawner.ts"
import * as Denial from "./Denial.ts"
import * as Metrics from "./Metrics.ts"
import type { Shared } from "./Options.ts"
import * as OutputLog from "./OutputLog.ts"
import type { StdinQueue } from "./StdinQueue.ts"

/** Bytes that an attached reader may lag behind before the child is paused: 256 KiB. */
export const pauseAbove = 256 * 1024

/** Bytes of lag below which a paused child goes on: 64 KiB. */
export const resumeBelow = 64 * 1024

/** How long output has to stay away, twice in a row, before an exit is published over an open stream. */
export const quietMillis = 10

/** Rounds of `quietMillis` after which the exit is published even if output keeps coming: half a second. */
export const maxQuietRounds = 50

export type { Event } from "../protocol/dialect/Dialect.ts"

type Exited = Omit<Extract<Event, { readonly kind: "exited" }>, "kind">

/** A reader that must miss nothing and slows the child down when it lags. */
export interface Attachment {
  /** The next undelivered event. Output is a view that is valid until the child writes again. */
  readonly next: () => Event | undefined
  readonly advance: (seq: number) => void
  readonly detach: () => void
}

export class Process {
  readonly id: string
  readonly stdio: Stdio
  readonly log: OutputLog.OutputLog
  exited: Exited | undefined
  closed: { readonly seq: number } | undefined
  terminated = false
  child: ChildHandle | undefined
  stdin: StdinQueue | undefined

  private readonly listeners = new Set<() => void>()
  private readonly cursors = new Set<OutputLog.Cursor>()
  private readonly ended = Deferred.unsafeMake<void>(FiberId.none)
  private readonly finished = Deferred.unsafeMake<void>(FiberId.none)
  private readonly openStreams: Set<OutputStream>
  private readonly confined: boolean
  private status: ExitStatus | undefined
  private paused = false
  /** Open while the child is not paused. */
  private readonly reading = Effect.unsafeMakeLatch(true)
  private outputs = 0
  /** Keeps the first output for whoever asked for the process. */
  private birth: Attachment | undefined
  private readonly onClosed: () => void
  private readonly metrics: Metrics.Metrics

  /** `onClosed` is called once, before anybody is told that the process is closed. */
  constructor(
    id: string,
    { stdio, confinement }: Pick<SpawnSpec, "stdio" | "confinement">,
    limits: OutputLog.Limits,
    { retention, metrics }: Partial<Shared> = {},
    onClosed: () => void = () => {},
  ) {
    this.id = id
    this.onClosed = onClosed
    this.stdio = stdio
    this.confined = confinement !== undefined
    this.metrics = metrics ?? Metrics.make()
    this.log = OutputLog.make(limits, retention, this.metrics)
    this.openStreams = new Set(stdio.kind === "pty" ? ["pty"] : ["stdout", "stderr"])
    this.birth = this.attach(0)
  }

  /** What the spawner calls. */
  readonly events: SpawnEvents = {
    output: (stream, bytes) => {
      if (bytes.length === 0 || this.closed !== undefined) return
      this.outputs += 1
      this.metrics.outputBytes.update(bytes.length)
      this.log.append(stream, bytes)
      this.wake()
      this.throttle()
    },
    end: (stream) => {
      this.openStreams.delete(stream)
      this.settle()
    },
    exit: (status) => {
      this.status ??= status
      this.settle()
      Deferred.unsafeDone(this.ended, Effect.void)
    },
  }

  /** Completes when the process is closed. Drives what does not follow from the spawner's events alone. */
  readonly supervise: Effect.Effect<void> = Effect.gen(this, function* () {
    yield* this.metrics.whileRunning(Deferred.await(this.ended))
    yield* this.awaitQuiet
    this.publishExit()
    if (this.closed === undefined && this.terminated && this.child !== undefined)
      yield* this.child.abandonOutput
    yield* Deferred.await(this.finished)
  })

  /** The spawner has delivered the child. */
  begin(child: ChildHandle, stdin: StdinQueue | undefined): void {
    this.child = child
    this.stdin = stdin
    this.throttle()
  }

  /** Whoever asked for the process has attached, or is gone: from here on only attachments hold output. */
  release(): void {
    this.birth?.detach()
    this.birth = undefined
  }

  /** Calls `listener` after every change: output, exited, closed. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Attaches a reader that has everything up to and including `seq`. */
  attach(seq: number): Attachment {
    const cursor = this.log.attach(seq)
    this.cursors.add(cursor)
    return {
      next: () => this.eventAfter(cursor.seq()),
      advance: (seq) => {
        cursor.advance(seq)
        if (this.paused) this.throttle()
      },
      detach: () => {
        cursor.detach()
        this.cursors.delete(cursor)
        this.throttle()
      },
    }
  }

  /** How many listen. */
  get subscribers(): number {
    return this.listeners.size
  }

  /** True until the exit is published. */
  get running(): boolean {
    return this.exited === undefined
  }

  private eventAfter(seq: number): Event | undefined {
    const chunk = this.log.after(seq)
    const { exited, closed } = this
    if (exited !== undefined && exited.seq > seq && (chunk === undefined || exited.seq < chunk.seq)) {
      return { kind: "exited", ...exited }
    }
    if (chunk !== undefined) return chunk
    return closed !== undefined && closed.seq > seq ? { kind: "closed", ...closed } : undefined
  }

  /** Waits until the output of an ended child can be taken as read. Reading that is paused does not count. */
  private readonly awaitQuiet: Effect.Effect<void> = Effect.gen(this, function* () {
    let quiet = 0
    let rounds = 0
    while (this.exited === undefined && quiet < 2 && rounds < maxQuietRounds) {
      const { outputs } = this
      yield* this.reading.await
      yield* Effect.sleep(quietMillis)
      if (this.paused) continue
      rounds += 1
      quiet = this.outputs === outputs ? quiet + 1 : 0
    }
  })

  private settle() {
    if (this.openStreams.size > 0 || this.status === undefined) return
    this.publishExit()
    if (this.closed !== undefined) return
    this.closed = { seq: this.log.take() }
    this.log.finish()
    this.stdin?.close()
    this.onClosed()
    this.wake()
    Deferred.unsafeDone(this.finished, Effect.void)
  }

  private publishExit() {
    if (this.exited !== undefined || this.status === undefined) return
    const exitCode = toExitCode(this.status)
    const signal = this.status.kind === "signaled" ? this.status.signal : undefined
    const sandboxDenied = this.confined && Denial.isLikely(exitCode, this.log)
    this.exited = { seq: this.log.take(), exitCode, signal, sandboxDenied }
    this.stdin?.close()
    this.wake()
  }

  private throttle() {
    let lag = 0
    for (const cursor of this.cursors) lag = Math.max(lag, cursor.lag())
    const pause = lag > (this.paused ? resumeBelow : pauseAbove)
    if (pause === this.paused || this.child?.pause === undefined) return
    this.paused = pause
    if (pause) {
      this.metrics.stalls.update(1)
      this.reading.unsafeClose()
      this.child.pause()
    } else {
      this.reading.unsafeOpen()
      this.child.resume?.()
    }
  }

  private wake() {
    for (const listener of this.listeners) listener()
  }
}

/** The wire's exit code: death by signal n is 128 + n. */
export const toExitCode = (status: ExitStatus): number =>
  status.kind === "exited" ? status.code : 128 + status.signal
