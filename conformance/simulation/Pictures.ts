/** Terminals that show how much they were fed, and a hash of it: what a picture has to tell. */
import * as Effect from "effect/Effect"
import type { Terminal, TerminalsService } from "../../core/features/screen/Terminals.ts"
import type { ScreenResult } from "../../core/features/screen/wire.ts"
import type { TerminalSize } from "../../core/spawn/Spawner.ts"
import type { Truth } from "./Truth.ts"

/** The bytes so far. */
class Print {
  private count = 0
  private value = 0x811c9dc5 | 0

  add(bytes: Uint8Array): void {
    this.count += bytes.length
    for (const byte of bytes) this.value = Math.imul(this.value ^ byte, 0x01000193)
  }

  get text(): string {
    return `${this.count} ${this.value >>> 0}`
  }
}

export const terminals: TerminalsService = {
  available: true,
  open: (first) => Effect.sync(() => terminal(first)),
}

const terminal = (first: TerminalSize): Terminal => {
  const print = new Print()
  let size = first
  return {
    write: (bytes) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => print.add(bytes)),
      ),
    resize: (to) => void (size = to),
    snapshot: () => ({
      size,
      normal: { rows: [], scrollback: 0, cursor: { row: 0, column: 0 }, margins: undefined },
      alternate: undefined,
      cursor: { visible: true, shape: "block", blinks: false },
      title: print.text,
      modes: { set: [], origin: false },
      pen: "",
    }),
    excess: () => 0,
    dispose: () => {},
  }
}

/** The fault of a picture; undefined if it has the output from its first seq to its last, and nothing else. */
export const faultOf = ({ title, seq, fromSeq }: ScreenResult, truth: Truth): string | undefined => {
  const print = new Print()
  for (let at = fromSeq; at <= seq; at++) {
    const after = truth.exitedSeq !== undefined && truth.exitedSeq < at
    const piece = at === truth.exitedSeq ? undefined : truth.pieces[at - (after ? 2 : 1)]
    if (piece !== undefined) print.add(truth.noise.bytes(piece.offset, piece.length))
  }
  return print.text === title
    ? undefined
    : `the picture of ${fromSeq} to ${seq} has ${title} in place of ${print.text}`
}
