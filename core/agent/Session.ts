/**
 * One command, and its output between calls.
 *
 * Its events are read as they arrive, whether a call waits or not, into a bounded buffer: a command that prints a lot
 * is never paused, and does not stop its connection. Output that a call did not return stays for the next one.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Subscribed } from "../client/ProcessStarter.ts"
import type { ProcessEvent } from "../client/ProcessEvent.ts"
import type { RemoteProcess } from "../client/RemoteProcess.ts"
import type { EndedBy } from "../protocol/Ending.ts"
import { utf8Decoder } from "../protocol/Bytes.ts"
import * as Turn from "../protocol/Turn.ts"
import { HeadTailBuffer } from "./HeadTailBuffer.ts"

/** Output that arrived during a call. */
export interface Progress {
  /** The session that the command has, or would have if it outlived the call. */
  readonly sessionId: number
  /** The output, decoded as UTF-8; never with half a character. */
  readonly text: string
}

/** Listeners to a call while it lasts. Their errors are ignored. */
export interface Watcher {
  /** Called when the command runs, with its session. */
  readonly onSession?: ((sessionId: number) => void) | undefined
  /** Called with each output, in whole characters. */
  readonly onOutput?: ((progress: Progress) => void) | undefined
}

/** The fixed facts of a session. */
export interface About {
  readonly id: number
  readonly tty: boolean
  /** The command line, to recognise it by. */
  readonly command: string
}

/** Hears of a session, whether a call waits for it or not. */
export interface Observer {
  /** Its output. */
  readonly output: (bytes: Uint8Array) => void
  /** It has exited, or is lost. */
  readonly ended: (session: Session) => void
}

/** The most notices of one reply; one more says that there are others. */
const mostNotices = 8

export class Session {
  readonly id: number
  readonly tty: boolean
  readonly command: string
  readonly process: RemoteProcess
  /** Takes the output. */
  buffer: HeadTailBuffer
  /** Lets one call through at a time, in the order of arrival. */
  readonly turn = Turn.make()
  /** Opens when the process has exited, or is lost. */
  readonly exited = Latch.makeUnsafe(false)
  /** Opens when the output is complete. */
  readonly closed = Latch.makeUnsafe(false)
  exitCode: number | undefined
  failure: string | undefined
  /** True once all output has come. False for ever if a descendant holds it. */
  complete = false
  /** Notices for the next reply. */
  notices: ReadonlyArray<string> = []
  /** The calls that wait for the session, or for their turn. */
  callers = 0
  /** The cause of the end of the command, where the server tells it. */
  endedBy: EndedBy | undefined
  /** The seq of the last event that has come, and of the last one in a reply. */
  lastSeq = 0
  repliedSeq = 0

  private released = false
  private readonly subscription: Subscribed["subscription"]
  private decoder = utf8Decoder()
  private watcher: Watcher | undefined
  private readonly observer: Observer | undefined
  /** Opens for a moment when events have come. */
  private readonly news = Latch.makeUnsafe(false)

  constructor(
    { id, tty, command }: About,
    { process, subscription }: Subscribed,
    buffer: HeadTailBuffer = new HeadTailBuffer(),
    observer?: Observer,
  ) {
    this.id = id
    this.tty = tty
    this.command = command
    this.process = process
    this.subscription = subscription
    this.buffer = buffer
    this.observer = observer
  }

  /** True once the process has exited or is lost. */
  get over(): boolean {
    return this.exitCode !== undefined || this.failure !== undefined
  }

  /** Reads events until the last one. */
  get run(): Effect.Effect<void> {
    const { next } = this.subscription
    return Effect.gen({ self: this }, function* () {
      for (let batch = yield* next; batch !== undefined; batch = yield* next) {
        for (const event of batch) this.accept(event)
        yield* this.news.release
        if (this.over) yield* this.exited.open
        if (this.complete) yield* this.closed.open
      }
    }).pipe(Effect.ensuring(Effect.sync(() => this.release())))
  }

  /** Waits until the event with that seq has come, or no event follows. */
  arrived(seq: number): Effect.Effect<void> {
    return Effect.whileLoop({
      while: () => this.lastSeq < seq && !this.complete && this.failure === undefined && !this.released,
      body: () => this.news.await,
      step: () => {},
    })
  }

  /** Stops reading, and ends every wait. */
  release(): void {
    this.released = true
    this.subscription.close()
    this.lose("the session has ended")
    this.news.openUnsafe()
  }

  /** Reports output to `watcher` while the effect runs. */
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
    if (event.kind !== "failed") this.lastSeq = event.seq
    switch (event.kind) {
      case "output":
        this.buffer.push(event.bytes)
        this.observer?.output(event.bytes)
        this.show(event.bytes)
        break
      case "exited":
        this.exitCode = event.exitCode
        this.endedBy = event.endedBy
        this.observer?.ended(this)
        break
      case "closed":
        this.complete = true
        break
      case "failed":
        this.lose(event.message)
        break
      case "egress":
        this.blocked(event.message)
        break
      case "mark":
      case "gap":
        break
    }
  }

  /** Tells of a connection that was denied: who reads only the error of a program looks for a fault of the proxy. */
  private blocked(message: string): void {
    const { length } = this.notices
    if (length < mostNotices) this.notices = [...this.notices, `${message}.`]
    else if (length === mostNotices) this.notices = [...this.notices, "More connections were blocked."]
  }

  private lose(why: string): void {
    if (!this.over) {
      this.failure = why
      this.observer?.ended(this)
    }
    this.exited.openUnsafe()
    this.closed.openUnsafe()
  }

  private show(bytes: Uint8Array): void {
    if (this.watcher?.onOutput === undefined) return
    const text = this.decoder.decode(bytes, { stream: true })
    if (text !== "") notify(this.watcher.onOutput, { sessionId: this.id, text })
  }
}

/** Calls a listener, and ignores what it throws. */
export const notify = <A>(listener: ((about: A) => void) | undefined, about: A): void => {
  try {
    listener?.(about)
  } catch {
    // A listener that throws does not stop the session.
  }
}
