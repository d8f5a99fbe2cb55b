/** Terminals for tests: they show what they were fed, in one line without an end. */
import * as Effect from "effect/Effect"
import type { TerminalSize } from "../../spawn/Spawner.ts"
import type { Terminal, TerminalsService } from "../screen/Terminals.ts"

/** The behaviour of the terminals of a test. */
export interface How {
  /** Runs before each takes in a piece. */
  work: Effect.Effect<void>
}

/** A terminal that shows what it was fed, and where its size has changed. */
export class Scroll implements Terminal {
  text = ""
  disposed = false
  size: TerminalSize
  private readonly how: How
  constructor(size: TerminalSize, how: How) {
    this.size = size
    this.how = how
  }
  write(piece: Uint8Array) {
    return Effect.andThen(
      Effect.suspend(() => this.how.work),
      Effect.sync(() => void (this.text += new TextDecoder().decode(piece))),
    )
  }
  resize(size: TerminalSize) {
    this.size = size
    this.text += `<${size.columns}>`
  }
  snapshot() {
    if (this.disposed) throw new Error("a disposed terminal was asked")
    const { text, size } = this
    const run = { kind: "single" as const, text, columns: text.length, style: undefined }
    return {
      size,
      normal: {
        rows: [{ wrapped: false, runs: [run] }],
        scrollback: 0,
        cursor: { row: 0, column: text.length },
        margins: undefined,
      },
      alternate: undefined,
      cursor: { visible: true, shape: "block" as const, blinks: false },
      title: "",
      modes: { set: [], origin: false },
      pen: "",
    }
  }
  excess() {
    return this.text.includes("heavy") ? Infinity : 0
  }
  dispose() {
    this.disposed = true
  }
}

/** Opens such terminals; `opened` are all that were, and `how` is how they work from now on. */
export const make = () => {
  const opened: Array<Scroll> = []
  const how: How = { work: Effect.yieldNow }
  const service: TerminalsService = {
    available: true,
    open: (size) =>
      Effect.sync(() => {
        const terminal = new Scroll(size, how)
        opened.push(terminal)
        return terminal
      }),
  }
  return { opened, how, service }
}
