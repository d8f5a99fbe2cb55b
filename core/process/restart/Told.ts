/**
 * What one child reports, on its way to the process: its output at once, its end only if no other child follows. Then
 * everything is passed on, as if nothing stood between.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import type { Ending, ExitStatus, OutputStream, SpawnEvents } from "../../spawn/Spawner.ts"

/** The reports of one child. */
export class Told {
  /** For the spawner. */
  readonly events: SpawnEvents
  /** How it has ended. */
  exit: { readonly status: ExitStatus; readonly ending: Ending | undefined } | undefined
  /** True once the process is told. */
  isFinal = false
  private readonly outer: SpawnEvents
  private readonly open: Set<OutputStream>
  private readonly ended = new Set<OutputStream>()
  private readonly exited = Deferred.unsafeMake<void>(FiberId.none)
  private readonly drained = Deferred.unsafeMake<void>(FiberId.none)

  /** `follows` says, at its exit, whether another child follows. */
  constructor(
    outer: SpawnEvents,
    streams: ReadonlyArray<OutputStream>,
    follows: (status: ExitStatus) => boolean,
  ) {
    this.outer = outer
    this.open = new Set(streams)
    this.events = {
      output: outer.output,
      end: (stream) => {
        this.open.delete(stream)
        this.ended.add(stream)
        if (this.isFinal) outer.end(stream)
        if (this.open.size === 0) Deferred.unsafeDone(this.drained, Effect.void)
      },
      exit: (status, ending) => {
        if (this.exit !== undefined) return
        this.exit = { status, ending }
        if (!follows(status)) this.finish()
        Deferred.unsafeDone(this.exited, Effect.void)
      },
    }
  }

  /** Tells the process what was held back; the child has ended. */
  finish(): void {
    if (this.isFinal || this.exit === undefined) return
    this.isFinal = true
    for (const stream of this.ended) this.outer.end(stream)
    this.outer.exit(this.exit.status, this.exit.ending)
  }

  /** It could not even be started: the code is that of a shell. */
  fail(code: number): void {
    for (const stream of this.open) this.events.end(stream)
    this.events.exit({ kind: "exited", code })
  }

  /** Completes when it has exited. */
  get whenExited(): Effect.Effect<void> {
    return Deferred.await(this.exited)
  }

  /** Completes when every stream is at EOF. */
  get whenDrained(): Effect.Effect<void> {
    return Deferred.await(this.drained)
  }

  /** True if some stream may still bring output. */
  get isOpen(): boolean {
    return this.open.size > 0
  }
}
