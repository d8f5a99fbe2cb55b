/**
 * A terminal that is fed from a log: where it is, and the sizes at their places.
 *
 * It never holds output back and never pauses the child: where it falls behind what the log retains, it goes on with
 * the history, and where that has nothing, it begins anew with what is there, and says from which seq.
 */
import * as Effect from "effect/Effect"
import { concat } from "../../protocol/Bytes.ts"
import { mostScrollback } from "./wire.ts"
import type { TerminalSize } from "../../spawn/Spawner.ts"
import type { Chunk } from "../../process/Chunk.ts"
import type { Gap } from "../../process/Extension.ts"
import type { Process } from "../../process/Process.ts"
import { gapAfter } from "../../process/Printed.ts"
import type { Sizes } from "../../process/Sizes.ts"
import { ScreenError, type Terminal, type TerminalsService } from "./Terminals.ts"

/** Output that a terminal takes in at once, in bytes: a few milliseconds of work. */
export const pieceBytes = 32 * 1024

/** The most cells of a terminal, with those above its screen. */
export const mostCells = 2 ** 18

/** The most characters that a terminal keeps beyond one for each cell; looked at after so many bytes of output. */
export const mostExcess = 2 ** 20

/** The most output that is no longer in the log and is painted for a picture, in bytes: a few seconds of work. */
export const mostRecalled = 64 * 2 ** 20

/** A process with a PTY. */
export interface Subject {
  /** The process. */
  readonly process: Process
  /** The sizes that its PTY has had. */
  readonly sizes: Sizes
}

/** A fed terminal. One effect of it runs at a time. */
export class Feed {
  /** The last seq of which the terminal has the output. */
  seq = 0
  /** The first seq of which it has. */
  fromSeq = 1
  terminal: Terminal
  /** True once it is not wanted any more. */
  released = false
  private isFeeding = false
  private readonly subject: Subject
  private readonly terminals: TerminalsService
  private size: TerminalSize
  private unweighed = 0

  private constructor(subject: Subject, terminals: TerminalsService, terminal: Terminal, size: TerminalSize) {
    this.subject = subject
    this.terminals = terminals
    this.terminal = terminal
    this.size = size
  }

  /** A terminal of which nothing is painted yet. */
  static open(subject: Subject, terminals: TerminalsService): Effect.Effect<Feed, ScreenError> {
    return Effect.suspend(() => {
      const size = subject.sizes.at(0)
      const opened = blank(subject, terminals, size)
      return Effect.map(opened, (terminal) => new Feed(subject, terminals, terminal, size))
    })
  }

  /** True if there is output up to `target` that the terminal does not have, or a size. */
  isBehind(target: number): boolean {
    return this.seq < target || (this.seq === target && this.subject.sizes.at(target) !== this.size)
  }

  /** Feeds everything up to `target`. */
  through(target: number): Effect.Effect<void, ScreenError> {
    return Effect.whileLoop({
      while: () => this.isBehind(target),
      body: () => this.piece(target),
      step: () => {},
    })
  }

  /**
   * Feeds some of what the log has now, if the terminal has nothing: output may be gone before a terminal takes it in
   * that is slower than a flood.
   */
  some(): Effect.Effect<void, ScreenError> {
    return Effect.suspend(() => {
      const { log } = this.subject.process
      const first = log.after(this.seq)?.seq
      if (this.seq >= this.fromSeq || first === undefined) return Effect.void
      return Effect.flatMap(this.feed(this.beginAt(first)), () => this.piece(log.nextSeq() - 1))
    })
  }

  /** Feeds a piece of the output up to `target`. */
  piece(target: number): Effect.Effect<void, ScreenError> {
    return this.feed(this.step(target))
  }

  /** A step that ends once it has begun, so that nothing is fed twice. If it fails, the terminal cannot go on. */
  private feed(taken: Effect.Effect<void, ScreenError>): Effect.Effect<void, ScreenError> {
    const feeding = Effect.sync(() => (this.isFeeding = true))
    const fed = Effect.sync(() => {
      this.isFeeding = false
      if (this.released) this.terminal.dispose()
    })
    const step = Effect.tapError(taken, () => Effect.sync(() => this.release()))
    return Effect.uninterruptible(
      Effect.acquireUseRelease(
        feeding,
        () => step,
        () => fed,
      ),
    )
  }

  /** Gives the terminal back; what is being fed ends first. */
  release(): void {
    if (this.released) return
    this.released = true
    if (!this.isFeeding) this.terminal.dispose()
  }

  private step(target: number): Effect.Effect<void, ScreenError> {
    return Effect.gen({ self: this }, function* () {
      const { process, sizes } = this.subject
      const gap = gapAfter(process, this.seq)
      const isLost = gap !== undefined && gap.from <= target
      const lost = isLost ? yield* recalled(process, gap, target) : undefined
      if (lost !== undefined && lost.from > this.seq + 1) return yield* this.beginAt(lost.from)
      if (this.unweighed >= mostExcess) {
        this.unweighed = 0
        if (this.terminal.excess() > mostExcess) return yield* this.beginAt(this.seq + 1)
      }
      const size = sizes.at(this.seq)
      if (size !== this.size) return yield* this.resize(size)
      const end = sizes.next(this.seq, target)?.after ?? target
      const bytes = lost === undefined ? this.take(end) : this.takeLost(lost.chunks, end)
      if (bytes.length > 0) yield* this.terminal.write(bytes)
    })
  }

  /** A copy of at most one piece of output, or of a chunk, up to `end`; moves on behind it. */
  private take(end: number): Uint8Array {
    const { process } = this.subject
    const { log } = process
    const gap = gapAfter(process, this.seq)
    const chunks: Array<Uint8Array> = []
    // Others may have run since the last look.
    if (gap !== undefined && gap.from <= end) return this.weighed(chunks)
    let length = 0
    let chunk = log.after(this.seq)
    while (chunk !== undefined && chunk.seq <= end && length < pieceBytes) {
      // The view is valid until the next append.
      chunks.push(chunk.bytes.slice())
      length += chunk.bytes.length
      this.seq = chunk.seq
      chunk = log.after(this.seq)
    }
    if (chunk === undefined || chunk.seq > end) this.seq = end
    return this.weighed(chunks)
  }

  /** Takes output of the history, up to `end`. */
  private takeLost(lost: ReadonlyArray<Chunk>, end: number): Uint8Array {
    const known = lost.filter(({ seq }) => seq <= end)
    this.seq = known.length < lost.length ? end : (known.at(-1)?.seq ?? this.seq)
    return this.weighed(known.map(({ bytes }) => bytes))
  }

  private weighed(chunks: ReadonlyArray<Uint8Array>): Uint8Array {
    const bytes = concat(chunks)
    this.unweighed += bytes.length
    return bytes
  }

  /** A new terminal, for the output from `seq` on. */
  private beginAt(seq: number): Effect.Effect<void, ScreenError> {
    this.terminal.dispose()
    this.seq = seq - 1
    this.fromSeq = seq
    this.size = this.subject.sizes.at(this.seq)
    const opened = blank(this.subject, this.terminals, this.size)
    return Effect.map(opened, (terminal) => void (this.terminal = terminal))
  }

  private resize(size: TerminalSize): Effect.Effect<void, ScreenError> {
    const tooLarge = refusal(this.subject.process.id, size)
    if (tooLarge !== undefined) return Effect.fail(tooLarge)
    this.size = size
    return Effect.sync(() => this.terminal.resize(size, scrollbackOf(size)))
  }
}

/** Output of a gap that is kept, and the seq from which nothing is missing. Unreadable output is missing. */
const recalled = (
  { extension }: Process,
  gap: Gap,
  target: number,
): Effect.Effect<{ readonly from: number; readonly chunks: ReadonlyArray<Chunk> }> => {
  const none = { from: gap.to + 1, chunks: [] }
  const recalling = extension?.kept?.recall(gap, pieceBytes, { seq: target, bytes: mostRecalled })
  if (recalling === undefined) return Effect.succeed(none)
  return Effect.match(recalling, {
    onFailure: () => none,
    onSuccess: (found) => ((found.chunks[0]?.seq ?? Infinity) > gap.to ? none : found),
  })
}

/** The lines that a terminal of that size keeps above its screen. */
const scrollbackOf = ({ rows, columns }: TerminalSize): number =>
  Math.max(0, Math.min(mostScrollback, Math.floor(mostCells / Math.max(1, columns)) - rows))

const blank = (
  { process }: Subject,
  terminals: TerminalsService,
  size: TerminalSize,
): Effect.Effect<Terminal, ScreenError> => {
  const tooLarge = refusal(process.id, size)
  return tooLarge === undefined ? terminals.open(size, scrollbackOf(size)) : Effect.fail(tooLarge)
}

const refusal = (id: string, { rows, columns }: TerminalSize): ScreenError | undefined =>
  rows * columns <= mostCells
    ? undefined
    : new ScreenError({
        reason: "TooLarge",
        message:
          `the terminal of process ${id} has ${rows} rows of ${columns} columns: ` +
          `a picture has at most ${mostCells} cells (process/resize makes it smaller)`,
      })
