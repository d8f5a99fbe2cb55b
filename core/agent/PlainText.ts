/**
 * The text that a terminal would show in the end, for models: without escape sequences and other control characters,
 * and with the last state of a line that was written over with carriage returns, as progress bars are.
 *
 * Lines stay lines: the n-th line of the plain text is what is left of the n-th line of the raw one. So a place in the
 * plain text is found again in the raw one, to its line where the line was changed, and else to the character.
 */
/* oxlint-disable no-control-regex -- control characters are what is looked for */
/** As it was printed, or for models. */
export type Form = "raw" | "plain"

/** Escape sequences: CSI, OSC and other strings up to their end, and those of two or three characters. */
const sequences =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-OQ-WYZ\\`a-z{|}~])/g
/** The begin of one at the end of a text. */
const unfinishedSequence = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$/
const controls = /[\u0000-\u0007\u000b\u000c\u0010-\u001f\u007f]/g
/** Stand for the sequences that erase the end of a line, and a line. */
const [eraseEnd, erase] = ["\u000e", "\u000f"]

/** A sequence that has not ended after so many bytes is none: a title is shorter. */
const longestSequence = 4096

const escape = 27

/** The text in this form. The begin of a sequence at its end is left out. */
export const of = (text: string): string => {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) return text
  const plain = text
    .replaceAll(/[\u000e\u000f]/g, "")
    .replaceAll(/\u001b\[([012]?)K/g, (_, kind: string) =>
      kind === "2" ? erase : kind === "1" ? "" : eraseEnd,
    )
    // A string may have line ends in it, which stay.
    .replaceAll(sequences, (sequence) => sequence.replaceAll(/[^\n]+/g, ""))
    .replace(unfinishedSequence, "")
    .replaceAll(controls, "")
    .replaceAll(/\r+\n/g, "\n")
  return moves.test(plain) ? plain.split("\n").map(folded).join("\n") : plain
}

const moves = /[\r\b\u000e\u000f]/

/** Output that was taken for a reply. If `omitted` is 0, `head` has all of it. */
export interface Taken {
  /** The first output as text; all of it if nothing was dropped. */
  readonly head: string
  /** The last output as text; empty if nothing was dropped. */
  readonly tail: string
  /** The dropped bytes between `head` and `tail`. */
  readonly omitted: number
  /** All bytes, including the omitted ones. */
  readonly total: number
  /** The same as it was printed, where `head` and `tail` are in another form. */
  readonly raw?: { readonly head: string; readonly tail: string }
}

/** The output in this form, which keeps the raw one. */
export const taken = (output: Taken, form: Form): Taken => {
  if (form === "raw") return output
  const { head, tail } = output
  return { ...output, head: of(head), tail: of(tail), raw: { head, tail } }
}

/** The bytes at the end that begin a sequence, whose rest may come. */
export const unfinished = (bytes: Uint8Array): number => {
  const last = bytes.subarray(Math.max(0, bytes.length - longestSequence))
  if (!last.includes(escape)) return 0
  const found = unfinishedSequence.exec(String.fromCharCode(...last))
  return found === null ? 0 : last.length - found.index
}

/** The begin of a raw text of which the first `length` characters of its plain one are left, or less. */
export const rawBegin = (raw: string, plain: string, length: number): string => {
  if (length >= plain.length) return raw
  const place = lineOf(raw, plain, length)
  if (place === undefined) return ""
  return raw.slice(0, place.isSame ? place.at + place.column : place.at)
}

/** The end of a raw text of which the characters of its plain one from `from` on are left, or less. */
export const rawEnd = (raw: string, plain: string, from: number): string => {
  if (from <= 0) return raw
  const place = lineOf(raw, plain, from)
  if (place === undefined) return ""
  const { at, column, isSame } = place
  if (isSame || column === 0) return raw.slice(at + column)
  const next = raw.indexOf("\n", at)
  return next === -1 ? "" : raw.slice(next + 1)
}

/** The line of a place of the plain text in the raw one, the column, and whether the line was not changed. */
const lineOf = (raw: string, plain: string, place: number) => {
  if (raw === plain) return { at: 0, column: place, isSame: true }
  const start = place === 0 ? 0 : plain.lastIndexOf("\n", place - 1) + 1
  let [at, other] = [0, 0]
  for (; other < start; other = plain.indexOf("\n", other) + 1) {
    const end = raw.indexOf("\n", at)
    if (end === -1) return undefined
    at = end + 1
  }
  const isSame = lineAt(raw, at).replace(/\r+$/, "") === lineAt(plain, start)
  return { at, column: place - start, isSame }
}

const lineAt = (text: string, at: number): string => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.slice(at) : text.slice(at, end)
}

/** The rest of a line in which each part overwrites the one before it from the left. */
const folded = (line: string): string => {
  if (!moves.test(line)) return line
  /** The text of each column; the second one of a wide character is empty. */
  const cells: Array<string> = []
  let at = 0
  /** Half of a wide character is none. */
  const clear = (from: number, to: number): void => {
    if (cells[from] === "" && from > 0) cells[from - 1] = " "
    if (cells[to] === "") cells[to] = " "
  }
  for (const character of line) {
    if (character === "\r") at = 0
    else if (character === "\b") at = Math.max(0, at - 1)
    else if (character === eraseEnd) {
      clear(at, at)
      cells.length = Math.min(cells.length, at)
    } else if (character === erase) cells.fill(" ")
    else if (joins.test(character)) {
      const before = cells[at - 1] === "" ? at - 2 : at - 1
      if (before >= 0) cells[before] += character
    } else {
      const isWide = wide.test(character)
      clear(at, at + (isWide ? 2 : 1))
      cells[at++] = character
      if (isWide) cells[at++] = ""
    }
  }
  return Array.from(cells, (cell) => cell ?? " ")
    .join("")
    .trimEnd()
}

/** Characters without a column of their own. */
const joins = /\p{Mn}|\p{Me}|\u200d/u
/** Those with two: East Asian Wide and Fullwidth of Unicode, by their blocks, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
