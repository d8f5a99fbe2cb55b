/**
 * Shows the events of one process on a display, as far as it can keep up.
 *
 * Output is taken no faster than the display takes it; what the server cannot keep for it meanwhile is skipped. Without
 * a viewer nothing is taken at all. After a gap, and after a while without a viewer, the picture of the server replaces
 * what is shown, and output goes on behind its seq: so what is shown is exact when the output rests.
 */
import type { OutputStream } from "../../../../core/protocol/Process.ts"
import type { ScreenResult } from "../../../../core/features/screen/wire.ts"
import type { Closed, Exited, Failed, Output, ProcessEvent } from "../../../../core/client/ProcessEvent.ts"

export interface Display {
  readonly output: (stream: OutputStream, bytes: Uint8Array) => void
  /** Resolves when more output can be shown. */
  readonly room: () => Promise<void>
  /** Replaces everything by a picture. */
  readonly paint: (picture: ScreenResult) => void
  /** Output is missing that no picture makes up for. */
  readonly gap: (from: number, to: number) => void
  readonly exited: (event: Exited) => void
  /** It has closed: nothing follows. */
  readonly closed: (event: Closed) => void
  /** It can no longer be followed. */
  readonly failed: (event: Failed) => void
}

export interface Options {
  readonly events: AsyncIterable<ProcessEvent>
  readonly display: Display
  /** Asks for the picture of now; absent where there is none. */
  readonly picture?: (() => Promise<ScreenResult>) | undefined
  /** Calls back after so many milliseconds; the returned function prevents that. */
  readonly later: (ms: number, run: () => void) => () => void
  /** True if it is in sight at first. */
  readonly looked: boolean
  /** The seq of the last event that is known already. Default: 0. */
  readonly after?: number
}

/** Without output for so long, in milliseconds, a flood is over. */
export const quietMillis = 250

/** A display that is further behind, in events, does not wait for them. */
export const mostBehind = 8

/** The most output that is kept while a picture is awaited, in bytes. */
export const mostKept = 1024 * 1024

export class Follower {
  /** The seq of the last event that was taken. */
  last: number
  private readonly options: Options
  private floor = 0
  private kept: Array<Output> = []
  private keptBytes = 0
  private lostThrough = 0
  private painting = false
  /** Another picture was asked for while one was awaited. */
  private again = false
  private stale = false
  private looked: boolean
  private wake: () => void = () => {}
  private unquiet: () => void = () => {}

  constructor(options: Options) {
    this.options = options
    this.last = options.after ?? 0
    this.looked = options.looked
  }

  async run(): Promise<void> {
    for await (const event of this.options.events) {
      if (!this.looked) await new Promise<void>((resolve) => (this.wake = resolve))
      if (event.kind !== "failed") this.last = event.seq
      await this.take(event)
    }
  }

  /** The process has come so far: where much of that is not here yet, the picture comes first. */
  catchUp(seq: number): void {
    if (seq - this.last > mostBehind) this.repaint()
  }

  /** Tells whether somebody looks at the display. */
  look(looked: boolean): void {
    if (looked === this.looked) return
    this.looked = looked
    if (!looked) return
    if (this.last > 0) this.repaint()
    this.wake()
  }

  /** Replaces the display by the picture of now, and drops the output in front of it that still waits. */
  repaint(): void {
    const { picture, display } = this.options
    if (picture === undefined) return
    this.again = this.painting
    if (this.painting) return
    this.unquiet()
    this.painting = true
    this.stale = false
    picture().then(
      (shown) => this.painted(shown),
      () => {
        this.painting = false
        this.flush(0)
        display.gap(this.floor + 1, this.last)
      },
    )
  }

  private painted(picture: ScreenResult): void {
    this.painting = false
    this.options.display.paint(picture)
    this.floor = picture.seq
    const missed = this.lostThrough > picture.seq
    this.flush(picture.seq)
    if (this.again) this.repaint()
    else if (missed) this.awaitQuiet()
  }

  private async take(event: ProcessEvent): Promise<void> {
    const { display } = this.options
    if (event.kind === "output") return this.output(event)
    if (event.kind === "gap") return this.gap(event.from, event.seq)
    if (event.kind === "exited") display.exited(event)
    if (event.kind === "failed") display.failed(event)
    if (event.kind !== "closed") return
    if (this.stale) this.repaint()
    display.closed(event)
  }

  private output(event: Output): Promise<void> {
    if (event.seq <= this.floor) return Promise.resolve()
    if (this.painting) {
      this.keep(event)
      return Promise.resolve()
    }
    this.options.display.output(event.stream, event.bytes)
    if (this.stale) this.awaitQuiet()
    return this.options.display.room()
  }

  private gap(from: number, to: number): void {
    if (to <= this.floor) return
    if (this.options.picture === undefined) this.options.display.gap(from, to)
    else if (this.painting) this.lostThrough = to
    else this.awaitQuiet()
  }

  /** The picture is wrong, and asked for as soon as no more output comes. */
  private awaitQuiet(): void {
    this.stale = true
    this.unquiet()
    this.unquiet = this.options.later(quietMillis, () => this.repaint())
  }

  private keep(event: Output): void {
    this.kept.push(event)
    this.keptBytes += event.bytes.length
    if (this.keptBytes <= mostKept) return
    this.lostThrough = event.seq
    this.kept = []
    this.keptBytes = 0
  }

  /** Shows the kept output behind a seq. */
  private flush(after: number): void {
    const kept = this.kept
    this.kept = []
    this.keptBytes = 0
    for (const { seq, stream, bytes } of kept) if (seq > after) this.options.display.output(stream, bytes)
  }
}
