/**
 * One end of a transport under test, with promises: reads messages, writes with respect to back-pressure, and counts
 * the calls of `onDrain`. Every wait has a deadline.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Outgoing, Transport, TransportError } from "../../core/transport/Transport.ts"
import { fail } from "../suite/Check.ts"
import { within } from "../suite/Deadline.ts"

/** The messages that were still read, and why there are no more. */
export interface Rest {
  /** In the order of arrival. */
  readonly messages: ReadonlyArray<string>
  /** None if the peer has just disconnected. */
  readonly error: TransportError | undefined
}

/** One end of a pair, or of a raw end. */
export class End {
  /** The transport itself, for what is not wrapped here. */
  readonly transport: Transport
  /** The number of calls of `onDrain`. */
  drains = 0
  private readonly timeoutMs: number
  private taken: Array<string> = []
  private wake = () => {}

  constructor(transport: Transport, timeoutMs: number) {
    this.transport = transport
    this.timeoutMs = timeoutMs
    transport.onDrain(() => {
      this.drains++
      this.wake()
    })
  }

  /** Writes one message; false if the transport asks to wait for `onDrain`. */
  write(message: Outgoing): boolean {
    return this.transport.write(message)
  }

  /** Writes all messages, and waits for `onDrain` whenever write returns false. */
  async send(messages: Iterable<Outgoing>): Promise<void> {
    for (const message of messages) {
      const drains = this.drains
      if (!this.write(message)) await this.drained(drains)
    }
  }

  /** Waits until `onDrain` was called more often than this. */
  async drained(drains: number): Promise<void> {
    if (this.drains > drains) return
    const told = new Promise<void>((resolve) => {
      this.wake = resolve
    })
    await within(told, this.timeoutMs, "onDrain after write had returned false")
  }

  /** The next messages. */
  async take(count: number): Promise<ReadonlyArray<string>> {
    while (this.taken.length < count) {
      const what = `message ${this.taken.length + 1} of ${count}`
      const more = await within(this.more(), this.timeoutMs, what)
      if (more === "end") fail(`waited for ${what}, and the transport ended`)
      if (typeof more === "object") fail(`waited for ${what}, and the transport failed: ${more.message}`)
    }
    return this.taken.splice(0, count)
  }

  /** Everything up to the end. */
  async rest(): Promise<Rest> {
    for (;;) {
      const more = await within(this.more(), this.timeoutMs, "the end of incoming")
      if (more === "more") continue
      return { messages: this.taken.splice(0), error: more === "end" ? undefined : more }
    }
  }

  /** True if a message is waiting to be read. */
  get waits(): boolean {
    return this.taken.length > 0 || (this.transport.incoming.size() ?? 0) > 0
  }

  /** Closes this end in order. */
  async close(): Promise<void> {
    await within(Effect.runPromise(this.transport.close), this.timeoutMs, "close to return")
  }

  private async more(): Promise<"more" | "end" | TransportError> {
    const got = await Effect.runPromise(Effect.result(this.transport.incoming.takeAll))
    if (Result.isFailure(got)) return got.failure
    const [messages, done] = got.success
    this.taken = this.taken.concat(messages)
    return done ? "end" : "more"
  }
}
