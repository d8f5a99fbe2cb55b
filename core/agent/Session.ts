/**
 * One command that runs, from the side of whoever asks for its output.
 *
 * Its events are taken as they come, whether anybody asks or not, into a bounded buffer: a chatty process is
 * never held up, nor is anybody else on its connection. What a call did not return stays for the next one.
 */
import * as Effect from "effect/Effect"
import type { Subscribed } from "../client/ProcessStarter.ts"
import type { ProcessEvent } from "../client/ProcessEvent.ts"
import type { RemoteProcess } from "../client/RemoteProcess.ts"
import { utf8Decoder } from "../protocol/Bytes.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"

/** Output as it comes, for whoever watches a call. */
export interface Progress {
  readonly sessionId: number
  readonly text: string
}

/** Who wants to know of a call while it lasts. What it throws is ignored. */
export interface Watcher {
  /** The command runs, in this session. */
  readonly onSession?: ((sessionId: number) => void) | undefined
  /** Output has come; whole characters only. */
  readonly onOutput?: ((progress: Progress) => void) | undefined
}

export class Session {
  readonly id: number
  readonly tty: boolean
  readonly process: RemoteProcess
  /** Where output goes. */
  buffer: HeadTailBuffer
  /** One call at a time, in the order in which they came. */
  readonly turn = Effect.unsafeMakeSemaphore(1)
  /** Opens when the process has exited, or is lost. */
  readonly exited = Effect.unsafeMakeLatch(false)
  /** Opens when no output follows. */
  readonly closed = Effect.unsafeMakeLatch(false)
  exitCode: number | undefined
  failure: string | undefined
  /** Calls that wait for it, or for their turn. */
  callers = 0

  private readonly subscription: Subscribed["subscription"]
  private decoder = utf8Decoder()
  private watcher: Watcher | undefined

  constructor(
    id: number,
    tty: boolean,
    { process, subscription }: Subscribed,
    buffer: HeadTailBuffer = new HeadTailBuffer(),
  ) {
    this.id = id
    this.tty = tty
    this.process = process
    this.subscription = subscription
    this.buffer = buffer
  }

  /** True once the process has exited or is lost: nothing can be done to it any more. */
  get over(): boolean {
    return this.exitCode !== undefined || this.failure !== undefined
  }

  /** Takes events until there are no more. */
  get run(): Effect.Effect<void> {
    const { next } = this.subscription
    return Effect.gen(this, function* () {
      for (let batch = yield* next; batch !== undefined; batch = yield* next) {
        for (const event of batch) this.accept(event)
      }
    }).pipe(Effect.ensuring(Effect.sync(() => this.release())))
  }

  /** Nothing more is taken, and nobody waits any longer. */
  release(): void {
    this.subscription.close()
    this.lose("the session has ended")
  }

  /** Shows what happens to `watcher` while the effect runs. */
  watched<A, E>(watcher: Watcher | undefined, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (watcher === undefined) return effect
    const leave = Effect.sync(() => (this.watcher = undefined))
    return Effect.suspend(() => {
      this.watcher = watcher
      this.decoder = utf8Decoder()
      return Effect.ensuring(effect, leave)
    })
  }

  private accept(event: ProcessEvent): void {
    switch (event.kind) {
      case "output":
        this.buffer.push(event.bytes)
        this.show(event.bytes)
        break
      case "exited":
        this.exitCode = event.exitCode
        this.exited.unsafeOpen()
        break
      case "closed":
        this.closed.unsafeOpen()
        break
      case "failed":
        this.lose(event.message)
    }
  }

  private lose(why: string): void {
    if (!this.over) this.failure = why
    this.exited.unsafeOpen()
    this.closed.unsafeOpen()
  }

  private show(bytes: Uint8Array): void {
    if (this.watcher?.onOutput === undefined) return
    const text = this.decoder.decode(bytes, { stream: true })
    if (text !== "") notify(this.watcher.onOutput, { sessionId: this.id, text })
  }
}

/** Calls a watcher, whose failures are its own. */
export const notify = <A>(listener: ((about: A) => void) | undefined, about: A): void => {
  try {
    listener?.(about)
  } catch {
    // The session goes on.
  }
}
