/**
 * Hands output to a terminal no faster than it takes it: whoever writes waits for `room`, so that no more than a
 * fraction of a second of work is queued, whatever comes.
 */

/** The receiver of output: a terminal, which calls back when it has worked it in. */
export interface Sink {
  readonly write: (data: string | Uint8Array, done: () => void) => void
}

/** The most that waits in the terminal before its writer does, in bytes. */
export const mostWaiting = 128 * 1024

export class Intake {
  private waitingBytes = 0
  private waiters: Array<() => void> = []
  private readonly sink: Sink
  private readonly most: number

  constructor(sink: Sink, most = mostWaiting) {
    this.sink = sink
    this.most = most
  }

  /** The bytes that the terminal has not worked in yet. */
  get waiting(): number {
    return this.waitingBytes
  }

  /** Writes; `done` is called when the terminal has worked it in. */
  write(data: string | Uint8Array, done?: () => void): void {
    const { length } = data
    this.waitingBytes += length
    this.sink.write(data, () => {
      this.waitingBytes -= length
      if (this.waitingBytes <= this.most) this.release()
      done?.()
    })
  }

  /** Resolves when there is room for more. */
  room(): Promise<void> {
    if (this.waitingBytes <= this.most) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push(resolve))
  }

  /** Lets go of everybody who waits: the terminal is gone. */
  release(): void {
    const waiters = this.waiters
    this.waiters = []
    for (const waiter of waiters) waiter()
  }
}
