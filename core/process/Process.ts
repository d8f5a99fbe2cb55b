/**
 * One process in its three states: running, exited, closed.
 *
 * It orders what the spawner reports. `exited` is published when the child has exited and its output has been read:
 * at once if every stream is at EOF, otherwise (a descendant holds one open) after a while without output. `closed`
 * follows when every stream is at EOF. Both take their seq from the log. After `terminate` a stream that stays open is
 * abandoned, so that `closed` always comes.
 *
 * The byte path consists of plain functions; subscribers are called after every change.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ChangeKind } from "../protocol/List.ts"
import type { Event } from "../protocol/dialect/Dialect.ts"
import type { ClosedFields } from "../protocol/Process.ts"
import type { Left } from "../spawn/Keeper.ts"
import type * as Spawner from "../spawn/Spawner.ts"
import { type Attachment, streamsOf } from "./Attachment.ts"
import { Cause, toExitCode } from "./Cause.ts"
import * as Denial from "./Denial.ts"
import { earlier, type Extension } from "./Extension.ts"
import { defaultGrace } from "./Grace.ts"
import * as Metrics from "./Metrics.ts"
import * as OutputLog from "./OutputLog.ts"
import type { Retention } from "./Retention.ts"
import type { Sized } from "./Sizes.ts"
import type { StdinQueue } from "./StdinQueue.ts"
import { Throttle } from "./Throttle.ts"

export { pauseAbove, resumeBelow } from "./Throttle.ts"
export type { Event } from "../protocol/dialect/Dialect.ts"
export type { Attachment } from "./Attachment.ts"
export { toExitCode } from "./Cause.ts"

/** Milliseconds without output, twice in a row, after which an exit is published although a stream is open. */
export const quietMillis = 10

/** Rounds of `quietMillis` after which an exit is published although output keeps coming: half a second. */
export const maxQuietRounds = 50

/** The exit of a process, as its event. */
export type Exited = Omit<Extract<Event, { readonly kind: "exited" }>, "kind">

/** Facts of a child that another server has started. */
export interface Adopted extends Pick<Left, "lost" | "writeIds"> {
  /** The time of the request to start it, in milliseconds since 1970. */
  readonly startedAtMs: number
  /** The place in which the server before has kept the output, beside its log; undefined if it has not. */
  readonly place?: string | undefined
  /** The time of its exit; undefined if it runs, or if the time is unknown. */
  readonly endedAtMs?: number | undefined
}

/** Why a process is forgotten: its time is over or it was removed, or its session has ended. */
export type Why = "removed" | "sessionEnd"

/** A process of a session. Its fields are for readers; its methods change them, and `Control.terminate` does. */
export class Process {
  /** The client's id of the process. */
  readonly id: string
  /** Pipes, or a PTY with its size. `Control.resize` changes it. */
  stdio: Sized
  /** Its output. */
  readonly log: OutputLog.OutputLog
  /** Set when the exit is published. */
  exited: Exited | undefined
  /** The time of the child's exit, in milliseconds since 1970; its start sets it. */
  endedAtMs: number | undefined
  /** Set when the child has exited, every stream is at EOF, and no feature delays it. */
  closed: ({ readonly seq: number } & ClosedFields) | undefined
  /** A client has asked for the kill. Set by `terminate`. */
  terminated = false
  /** The other causes of its end. */
  readonly cause = new Cause()
  /** The default way of asking it to end. */
  grace = defaultGrace
  /** The one who writes to it in place of its owner; a feature sets it. */
  writer: object | undefined
  /** Undefined until the child is spawned. */
  child: Spawner.ChildHandle | undefined
  /** Undefined without a stdin or PTY to write to. */
  stdin: StdinQueue | undefined
  private readonly listeners = new Set<() => void>()
  private readonly leaving = new Set<(why: Why) => void>()
  private readonly childExited = Deferred.makeUnsafe<void>()
  private readonly allClosed = Deferred.makeUnsafe<void>()
  private readonly openStreams: Set<Spawner.OutputStream>
  private readonly confined: boolean
  private status: Spawner.ExitStatus | undefined
  private ending: Spawner.Ending | undefined
  /** @internal Pauses the child while a reader lags. */
  readonly readers: Throttle
  /** The part of features in it; undefined if its start asks for none. */
  extension: Extension | undefined
  /** Called when its child has followed another one, and when the exit is published, before any subscriber. */
  onChange: (kind: Extract<ChangeKind, "restarted" | "exited">) => void = () => {}
  /** @internal Facts of a child that another server has started. */
  adopted: Adopted | undefined
  /** The number of deliveries of output by the spawner. */
  outputs = 0
  /** Holds the first output until the client that started the process has attached. */
  private starter: Attachment | undefined
  private readonly onClosed: () => void
  private readonly metrics: Metrics.Metrics

  /** `onClosed` is called once, before any subscriber hears that the process is closed. */
  constructor(
    id: string,
    { stdio, confinement }: Pick<Spawner.SpawnSpec, "stdio" | "confinement">,
    capacity: OutputLog.Capacity,
    { retention, metrics }: { readonly retention?: Retention; readonly metrics?: Metrics.Metrics } = {},
    onClosed: () => void = () => {},
  ) {
    this.id = id
    this.onClosed = onClosed
    this.stdio = stdio
    this.confined = confinement !== undefined
    this.metrics = metrics ?? Metrics.make()
    this.readers = new Throttle(this.metrics)
    this.log = OutputLog.make(capacity, retention, this.metrics)
    this.openStreams = new Set(streamsOf(stdio))
    this.starter = this.follow(0)
  }

  /** The callbacks for the spawner. */
  readonly events: Spawner.SpawnEvents = {
    output: (stream, bytes) => {
      if (bytes.length === 0 || this.closed !== undefined) return
      this.outputs += 1
      this.metrics.outputBytes.value += bytes.length
      this.log.append(stream, bytes)
      this.wake()
      this.throttle()
    },
    end: (stream) => {
      this.openStreams.delete(stream)
      this.settle()
    },
    exit: (status, ending) => {
      this.status ??= status
      this.ending ??= ending
      this.throttle()
      this.settle()
      Deferred.doneUnsafe(this.childExited, Effect.void)
    },
  }

  /** Publishes an exit over open streams, abandons those after `terminate`, and completes with `closed`. */
  readonly supervise: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    yield* this.metrics.whileRunning(this.ended)
    if (this.exited === undefined) yield* awaitQuiet(this)
    this.publishExit()
    if (this.closed === undefined && this.terminated && this.child !== undefined)
      yield* this.child.abandonOutput
    yield* this.whenClosed
  })

  /** Adds the part of features, before the spawn. */
  extend(extension: Extension | undefined): void {
    this.extension = extension
    this.log.evicting = extension?.evicting
  }

  /**
   * The next output has this seq: its child is one that a server has left, and what took the seqs in between is gone. A
   * child that had exited then has reported that, as one of them.
   */
  skip(seq: number): void {
    if (seq > this.log.nextSeq()) this.publishExit()
    this.log.skip(seq)
  }

  /** The bytes that the child has written, also to servers before this one. */
  get written(): number {
    const { stdout, stderr, pty } = this.adopted?.lost ?? { stdout: 0, stderr: 0, pty: 0 }
    return stdout + stderr + pty + this.log.written()
  }

  /** The child is spawned. */
  begin(child: Spawner.ChildHandle, stdin: StdinQueue | undefined): void {
    this.child = child
    this.stdin = stdin
    this.throttle()
  }

  /** The client that started the process has attached or is gone: from now on only attachments hold output. */
  release(): void {
    this.starter?.detach()
    this.starter = undefined
  }

  /** A client asks for the kill. The pipe of a killed child has little left, so no reader holds it up. */
  terminate(): void {
    this.terminated = true
    this.throttle()
  }

  /** Calls `listener` after every change (output, exited, closed) until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Calls `listener` when the process is forgotten, until the returned function is called. */
  whenForgotten(listener: (why: Why) => void): () => void {
    this.leaving.add(listener)
    return () => this.leaving.delete(listener)
  }

  /** The process is forgotten: its log no longer counts. */
  forgotten(why: Why): void {
    this.log.leave()
    for (const listener of this.leaving) listener(why)
    this.leaving.clear()
  }

  /** Attaches a client that has everything up to and including `seq`. */
  attach(seq: number): Attachment {
    return this.watched(this.follow(seq))
  }

  /** The attachment of a client: features are notified of what it has got. */
  watched(attachment: Attachment): Attachment {
    const delivered = this.extension?.delivered
    if (delivered === undefined) return attachment
    return {
      ...attachment,
      advance: (seq) => {
        delivered(seq)
        attachment.advance(seq)
      },
    }
  }

  /** Attaches a reader that is no client. */
  follow(seq: number): Attachment {
    const cursor = this.log.attach(seq)
    this.readers.cursors.add(cursor)
    return {
      next: () => this.eventAfter(cursor.seq()),
      advance: (seq) => {
        cursor.advance(seq)
        if (this.readers.paused) this.throttle()
      },
      detach: () => {
        cursor.detach()
        this.readers.cursors.delete(cursor)
        this.throttle()
      },
    }
  }

  /** The first event above a seq: output, the events of features, exit and end are in the order of their seqs. */
  eventAfter(seq: number): Event | undefined {
    const event = this.spineEventAfter(seq)
    const own = this.extension?.own
    return own === undefined ? event : earlier(event, own.after(seq))
  }

  private spineEventAfter(seq: number): Event | undefined {
    const { exited, closed } = this
    const chunk = this.log.after(seq)
    if (exited !== undefined && exited.seq > seq && (chunk === undefined || exited.seq < chunk.seq)) {
      return { kind: "exited", ...exited }
    }
    if (chunk !== undefined) return chunk
    return closed !== undefined && closed.seq > seq ? { kind: "closed", ...closed } : undefined
  }

  /** The number of listeners. */
  get subscribers(): number {
    return this.listeners.size
  }

  /** True until the exit is published. */
  get running(): boolean {
    return this.exited === undefined
  }

  /** True once the child has exited, although that may not be published yet. */
  get hasEnded(): boolean {
    return this.status !== undefined
  }

  /** Completes when the child has exited. */
  get ended(): Effect.Effect<void> {
    return Deferred.await(this.childExited)
  }

  /** Completes with `closed`. */
  get whenClosed(): Effect.Effect<void> {
    return Deferred.await(this.allClosed)
  }

  private settle() {
    if (this.openStreams.size > 0 || this.status === undefined) return
    this.publishExit()
    if (this.closed !== undefined) return
    const { extension } = this
    if (extension?.closing?.(() => this.settle()) === true) return
    this.closed = { seq: this.log.take(), ...extension?.closedFields?.() }
    this.log.finish()
    this.stdin?.close()
    this.onClosed()
    this.wake()
    Deferred.doneUnsafe(this.allClosed, Effect.void)
  }

  private publishExit() {
    if (this.exited !== undefined || this.status === undefined) return
    const exitCode = toExitCode(this.status)
    const signal = this.status.kind === "signaled" ? this.status.signal : undefined
    const sandboxDenied = this.confined && Denial.isLikely(exitCode, this.log)
    const { limit, oomKilled } = this.ending ?? {}
    const endedBy = this.cause.told ? this.cause.of(this.status, this.ending, this.terminated) : undefined
    this.exited = { seq: this.log.take(), exitCode, signal, sandboxDenied, limit, oomKilled, endedBy }
    this.onChange("exited")
    this.stdin?.close()
    this.wake()
  }

  private throttle() {
    this.readers.update(this.child, this.terminated && this.status !== undefined)
  }

  /** Tells the subscribers of a change. */
  wake(): void {
    for (const listener of this.listeners) listener()
  }
}

/**
 * Waits until the output of an exited child can be taken as read: nothing comes, and the spawner knows of nothing that
 * is still to be read. Time in which reading is paused does not count.
 */
const awaitQuiet = (process: Process): Effect.Effect<void> =>
  Effect.gen(function* () {
    let quiet = 0
    let rounds = 0
    while (process.exited === undefined && quiet < 2 && rounds < maxQuietRounds) {
      const { outputs } = process
      yield* process.readers.open
      yield* Effect.sleep(quietMillis)
      const unread = process.child?.unread !== undefined && (yield* process.child.unread)
      if (process.readers.paused) continue
      rounds += 1
      quiet = process.outputs === outputs && !unread ? quiet + 1 : 0
    }
  })
