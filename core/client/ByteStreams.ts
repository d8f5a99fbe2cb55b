/**
 * stdin, stdout and stderr of a process as streams of the web, with back-pressure.
 *
 * stdout and stderr share one subscription, so that they may be read one after the other: what comes of the one while
 * only the other is read waits here, up to 64 KiB as in a pipe of the kernel. Beyond that the process waits, if the
 * stream is somebody's; one that nobody has asked for is dropped, and who asks for it later begins anew, from what the
 * client has kept and the server still has.
 */
import * as Effect from "effect/Effect"
import { concat } from "../protocol/Bytes.ts"
import type { ClientError } from "./ClientError.ts"
import * as Content from "./Content.ts"
import type { Subscription } from "./EventFeed.ts"
import { toError } from "./EventStreams.ts"
import { promise } from "./Promises.ts"
import type { RemoteProcess } from "./RemoteProcess.ts"
import * as WebTypes from "./WebTypes.ts"

/** The streams of a process; that of a terminal is stdout. */
export interface ByteStreams {
  readonly stdin: WebTypes.WritableStream
  readonly stdout: WebTypes.ReadableStream
  readonly stderr: WebTypes.ReadableStream
}

type Name = "stdout" | "stderr"

type Source = Pick<RemoteProcess, "subscribe" | "write" | "closeStdin">

/** The most bytes that wait for a reader of one stream. */
const mostWaiting = 64 * 1024

/** The streams of a process, each made when it is first asked for. */
export const make = (process: Source): ByteStreams => {
  const made: {
    stdin?: WebTypes.WritableStream
    stdout?: WebTypes.ReadableStream
    stderr?: WebTypes.ReadableStream
  } = {}
  let shared: Splitter | undefined
  const read = (name: Name) => {
    if (shared === undefined || shared.dropped(name)) shared = new Splitter(process)
    return shared.stream(name)
  }
  return {
    get stdin() {
      return (made.stdin ??= WebTypes.writable({
        write: (bytes) => promise(Content.use("stdin", bytes, process.write)),
        close: () => promise(process.closeStdin),
        abort: () => promise(Effect.ignore(process.closeStdin)),
      }))
    },
    get stdout() {
      return (made.stdout ??= read("stdout"))
    },
    get stderr() {
      return (made.stderr ??= read("stderr"))
    },
  }
}

interface Waiting {
  readonly pieces: Array<Uint8Array>
  bytes: number
  /** `free`: nobody has asked for it. `over`: it takes nothing any more. */
  state: "free" | "read" | "over"
}

/** Gives the bytes of one subscription to two readers. */
class Splitter {
  private readonly queues: Record<Name, Waiting> = {
    stdout: { pieces: [], bytes: 0, state: "free" },
    stderr: { pieces: [], bytes: 0, state: "free" },
  }
  private subscription: Promise<Subscription> | undefined
  /** The batch that is being taken, for both readers. */
  private batch: Promise<void> | undefined
  private ended = false
  private failure: ClientError | undefined
  /** Wakes a reader that waits for the other one. */
  private wake: () => void = () => {}

  private readonly process: Pick<Source, "subscribe">

  constructor(process: Pick<Source, "subscribe">) {
    this.process = process
  }

  /** True if that stream is not to be had from its begin any more. */
  dropped(name: Name): boolean {
    return this.queues[name].state !== "free"
  }

  stream(name: Name): WebTypes.ReadableStream {
    this.queues[name].state = "read"
    // From now on nothing that comes is missed.
    this.subscription ??= promise(this.process.subscribe)
    return WebTypes.readable({
      pull: async (controller) => {
        const piece = await this.next(name)
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
      cancel: () => this.leave(name),
    })
  }

  /** The next piece; undefined at the end. Throws where the events end in `failed`. */
  private async next(name: Name): Promise<Uint8Array | undefined> {
    const mine = this.queues[name]
    const other = this.queues[name === "stdout" ? "stderr" : "stdout"]
    for (;;) {
      if (mine.bytes > 0) {
        const bytes = concat(mine.pieces)
        empty(mine)
        this.wake()
        return bytes
      }
      if (this.failure !== undefined) throw this.failure
      if (this.ended) return undefined
      if (other.state === "read" && other.bytes > mostWaiting) {
        await new Promise<void>((resolve) => (this.wake = resolve))
      } else {
        await (this.batch ??= this.take().finally(() => (this.batch = undefined)))
      }
    }
  }

  /** Takes what comes next, for both. */
  private async take(): Promise<void> {
    const { next } = await (this.subscription as Promise<Subscription>)
    const batch = await promise(next)
    if (batch === undefined) this.ended = true
    for (const event of batch ?? []) {
      if (event.kind === "failed") this.failure = toError(event)
      if (event.kind !== "output") continue
      const queue = this.queues[event.stream === "stderr" ? "stderr" : "stdout"]
      if (queue.state === "over") continue
      queue.pieces.push(event.bytes)
      queue.bytes += event.bytes.length
      if (queue.state === "free" && queue.bytes > mostWaiting) drop(queue)
    }
  }

  private leave(name: Name): void {
    drop(this.queues[name])
    this.wake()
    const isRead = Object.values(this.queues).some(({ state }) => state === "read")
    if (!isRead) void this.subscription?.then(({ close }) => close())
  }
}

const drop = (queue: Waiting): void => {
  queue.state = "over"
  empty(queue)
}

const empty = (queue: Waiting): void => {
  queue.pieces.length = 0
  queue.bytes = 0
}
