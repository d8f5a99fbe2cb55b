/**
 * One terminal of `@xterm/headless` as the core knows terminals, through its public API alone.
 *
 * What that API does not tell (visibility and shape of the cursor, margins, how clicks are told, the look of the next
 * character) is read from the sequences as the terminal parses them. Titles are kept here, because the terminal keeps
 * them without a bound; links are not kept at all.
 */
import type { Terminal as Xterm } from "@xterm/headless"
import * as Effect from "effect/Effect"
import type { Grid, Modes, Snapshot } from "../../../core/process/screen/Snapshot.ts"
import type { Terminal } from "../../../core/process/screen/Terminals.ts"
import type { TerminalSize } from "../../../core/spawn/Spawner.ts"
import * as XtermCells from "./XtermCells.ts"
import { XtermState } from "./XtermState.ts"

/** Members are documented in `Terminal`. */
export class XtermTerminal implements Terminal {
  /** The terminal of the package. */
  readonly xterm: Xterm
  private readonly state: XtermState

  constructor(make: typeof Xterm, { rows, columns }: TerminalSize, scrollback: number) {
    this.xterm = new make({
      rows: Math.max(1, rows),
      cols: Math.max(2, columns),
      scrollback,
      allowProposedApi: true,
    })
    this.state = new XtermState(this.xterm)
  }

  write(bytes: Uint8Array): Effect.Effect<void> {
    return Effect.async<void>((resume) => this.xterm.write(bytes, () => resume(Effect.void)))
  }

  resize({ rows, columns }: TerminalSize, scrollback: number): void {
    this.xterm.options.scrollback = scrollback
    this.xterm.resize(Math.max(2, columns), Math.max(1, rows))
    this.state.resized()
  }

  snapshot(scrollback: number): Snapshot {
    const { xterm, state } = this
    const { active, normal } = xterm.buffer
    const isAlternate = active.type === "alternate"
    return {
      size: { rows: xterm.rows, columns: xterm.cols },
      normal: this.grid("normal", normal, scrollback),
      alternate: isAlternate ? this.grid("alternate", active, 0) : undefined,
      cursor: { visible: state.cursorVisible, ...state.cursorStyle },
      title: state.title,
      modes: modesOf(xterm, state),
      pen: state.pen.join(""),
    }
  }

  excess(): number {
    return XtermCells.excess(this.xterm)
  }

  dispose(): void {
    this.xterm.dispose()
  }

  private grid(screen: "normal" | "alternate", buffer: Xterm["buffer"]["active"], most: number): Grid {
    const { baseY, cursorX, cursorY } = buffer
    const scrollback = Math.min(most, baseY)
    return {
      rows: XtermCells.rows(buffer, baseY - scrollback, baseY + this.xterm.rows, this.xterm.cols),
      scrollback,
      cursor: { row: cursorY, column: cursorX },
      margins: this.state.margins[screen],
    }
  }
}

const mouse = {
  none: [],
  x10: ["\x1b[?9h"],
  vt200: ["\x1b[?1000h"],
  drag: ["\x1b[?1002h"],
  any: ["\x1b[?1003h"],
}

const modesOf = ({ modes }: Xterm, { mouseEncoding }: XtermState): Modes => ({
  origin: modes.originMode,
  set: [
    ...(modes.applicationCursorKeysMode ? ["\x1b[?1h"] : []),
    ...(modes.applicationKeypadMode ? ["\x1b="] : []),
    ...(modes.bracketedPasteMode ? ["\x1b[?2004h"] : []),
    ...(modes.insertMode ? ["\x1b[4h"] : []),
    ...(modes.reverseWraparoundMode ? ["\x1b[?45h"] : []),
    ...(modes.sendFocusMode ? ["\x1b[?1004h"] : []),
    ...(modes.wraparoundMode ? [] : ["\x1b[?7l"]),
    ...mouse[modes.mouseTrackingMode],
    ...(mouseEncoding === undefined ? [] : [`\x1b[?${mouseEncoding}h`]),
  ],
})
