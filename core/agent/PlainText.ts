/**
 * What a terminal would leave of a text, for models: without escape sequences and other control characters, and of a
 * line that was written over with carriage returns, as progress bars are, what is left in the end.
 */
/* oxlint-disable no-control-regex -- control characters are what is looked for */
import type { Taken } from "./HeadTailBuffer.ts"

/** As it was printed, or for models. */
export type Form = "raw" | "plain"

/** CSI, OSC and other strings up to their end, and the sequences of two or three characters. */
const sequences =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|[ -/]+[0-~]|[0-Z\\^_`a-z{|}~])/g
const controls = /[\u0000-\u0007\u000b\u000c\u0010-\u001f\u007f]/g
/** Stand for the sequences that erase the end of a line, and a line. */
const [eraseEnd, erase] = ["\u000e", "\u000f"]

/** The text in this form. */
export const of = (text: string): string => {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return text
  const plain = text
    .replaceAll(/[\u000e\u000f]/g, "")
    .replaceAll(/\u001b\[([012]?)K/g, (_, kind: string) =>
      kind === "2" ? erase : kind === "1" ? "" : eraseEnd,
    )
    .replaceAll(sequences, "")
    .replaceAll(controls, "")
    .replaceAll(/\r+\n/g, "\n")
  return moves.test(plain) ? plain.split("\n").map(folded).join("\n") : plain
}

const moves = /[\r\b\u000e\u000f]/

/** The output in this form. */
export const taken = (output: Taken, form: Form): Taken => {
  if (form === "raw") return output
  const [head, tail] = [of(output.head), of(output.tail)]
  return { ...output, head, tail }
}

/** What is left of a line: each part overwrites the one before it from the left. */
const folded = (line: string): string => {
  if (!moves.test(line)) return line
  const cells: Array<string> = []
  let at = 0
  for (const character of line) {
    if (character === "\r") at = 0
    else if (character === "\b") at = Math.max(0, at - 1)
    else if (character === eraseEnd) cells.length = Math.min(cells.length, at)
    else if (character === erase) cells.fill(" ")
    else cells[at++] = character
  }
  return cells.join("").trimEnd()
}
