/** Cuts bytes into lines of UTF-8 text, piece by piece, with a bound on the length of a line. */
import { utf8Decoder } from "../protocol/Bytes.ts"
import { clientError } from "./ClientError.ts"
import type { CallOptions } from "./GivingUp.ts"
import { invalid } from "./OptionNames.ts"

/** Options of `lines`. */
export interface LineOptions extends CallOptions {
  /**
   * The longest line, in characters; a longer one throws `OutputTooLarge`. From 1 to 500 Mi. Default: 1,048,576.
   */
  readonly maxLineLength?: number
}

const defaultLineLength = 1024 * 1024
const largestLineLength = 500 * 1024 * 1024

/** Lines end with `\n` or `\r\n`, which are no part of them. Malformed UTF-8 becomes U+FFFD. */
export class TextLines {
  private readonly decoder = utf8Decoder()
  private rest = ""

  private readonly most: number

  constructor(most: number = defaultLineLength) {
    this.most = most
    if (Number.isInteger(most) && most >= 1 && most <= largestLineLength) return
    throw invalid(`maxLineLength is ${String(most)}: expected characters from 1 to ${largestLineLength}`)
  }

  /** The lines that these bytes complete. Throws `OutputTooLarge` when one becomes too long. */
  *push(bytes: Uint8Array): Generator<string, void, void> {
    const piece = this.decoder.decode(bytes, { stream: true })
    let from = 0
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", from)) {
      const line = this.rest + piece.slice(from, at)
      this.rest = ""
      from = at + 1
      yield this.bounded(line.endsWith("\r") ? line.slice(0, -1) : line)
    }
    this.rest += piece.slice(from)
    // Its last character may be the first of a line end.
    if (this.rest.length > this.most + 1 || !this.rest.endsWith("\r")) this.bounded(this.rest)
  }

  /** The last line, if it has no end. */
  *end(): Generator<string, void, void> {
    const line = this.rest + this.decoder.decode()
    this.rest = ""
    if (line !== "") yield this.bounded(line)
  }

  private bounded(line: string): string {
    if (line.length <= this.most) return line
    throw clientError(
      "OutputTooLarge",
      `a line has more than the ${this.most} characters of maxLineLength: read text() or output(), which have no ` +
        "lines, or lines() with a larger maxLineLength",
    )
  }
}
