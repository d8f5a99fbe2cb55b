/**
 * Finds the questions that programs ask a terminal in their output: what it is (DA1, `ESC [ c`), whether it works (DSR
 * 5, `ESC [ 5 n`), and where its cursor is (CPR, `ESC [ 6 n`). A program waits for the answer, some of them for ever.
 *
 * A sequence may come in any pieces; nothing of it is kept but its number.
 */

export type Query = "attributes" | "status" | "cursor"

const [can, sub, esc, bracket, zero, nine] = [0x18, 0x1a, 0x1b, 0x5b, 0x30, 0x39]
const [finalC, finalN] = [0x63, 0x6e]

/** Every greater parameter is as this one, which asks nothing. */
const greatest = 99

type State =
  | "text"
  /** Behind ESC. */
  | "escape"
  /** Behind `ESC [`, and digits. */
  | "sequence"

export class QueryScanner {
  private state: State = "text"
  private parameter = 0

  /** Scans the next bytes; `found` is called with each question whose last byte is among them. */
  read(bytes: Uint8Array, found: (query: Query) => void): void {
    for (let at = 0; at < bytes.length;) {
      if (this.state === "text") {
        const next = bytes.indexOf(esc, at)
        if (next === -1) return
        this.state = "escape"
        at = next + 1
        continue
      }
      const query = this.step(bytes[at] ?? 0)
      at += 1
      if (query !== undefined) found(query)
    }
  }

  private step(byte: number): Query | undefined {
    if (byte === esc) this.state = "escape"
    else if (byte === can || byte === sub) this.state = "text"
    // A terminal obeys other control characters, and goes on with the sequence.
    else if (byte < 0x20) return undefined
    else if (this.state === "escape") {
      this.state = byte === bracket ? "sequence" : "text"
      this.parameter = 0
    } else if (byte >= zero && byte <= nine) {
      this.parameter = Math.min(greatest, this.parameter * 10 + byte - zero)
    } else {
      this.state = "text"
      return queryOf(byte, this.parameter)
    }
    return undefined
  }
}

const queryOf = (final: number, parameter: number): Query | undefined => {
  if (final === finalC && parameter === 0) return "attributes"
  if (final !== finalN) return undefined
  return parameter === 6 ? "cursor" : parameter === 5 ? "status" : undefined
}
