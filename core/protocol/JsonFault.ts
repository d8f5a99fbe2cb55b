/**
 * Finds the fault in a text that is not JSON: the slow half of the parser, for error texts only.
 *
 * Texts and positions are those of the peer implementation, a byte-wise parser: the fault is the first code unit that
 * is not allowed, or the end of the text.
 */

/** A fault and its position. */
export interface Fault {
  /** Index of the code unit that is not allowed; the length of the text for its end. */
  readonly at: number
  readonly reason: string
}

/** The position as text: lines count from 1, columns are bytes of the line up to and including the fault. */
export const position = (text: string, at: number): string => {
  const upTo = text.slice(0, at + 1)
  const lineStart = upTo.lastIndexOf("\n") + 1
  const line = upTo.slice(0, lineStart).split("\n").length
  return `at line ${line} column ${utf8Length(upTo.slice(lineStart))}`
}

/** The fault in the string whose content begins at `start`. */
export const inString = (text: string, start: number): Fault => {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20) return { at, reason: "control character (\\u0000-\\u001F) found while parsing a string" }
    if (code === 0x22) return { at, reason: loneSurrogate }
    if (code !== 0x5c) continue
    at += 1
    const escape = text.charAt(at)
    if (escape === "u") {
      const fault = inUnicodeEscape(text, at + 1)
      if (fault !== undefined) return fault
    } else if (escape !== "" && !'"\\/bfnrt'.includes(escape)) return { at, reason: "invalid escape" }
  }
  return { at: text.length, reason: "EOF while parsing a string" }
}

/** The fault in the number that begins at `start`. */
export const inNumber = (text: string, start: number): Fault => {
  possible.lastIndex = start
  const at = start + (possible.exec(text)?.[0].length ?? 0)
  return { at, reason: at < text.length ? "invalid number" : "EOF while parsing a value" }
}

/** The fault in the literal that begins at `start` and should be `word`. */
export const inWord = (text: string, start: number, word: string): Fault => {
  let at = start
  while (at < text.length && text[at] === word[at - start]) at += 1
  return { at, reason: at < text.length ? "expected ident" : "EOF while parsing a value" }
}

/** Matches the longest valid beginning of a number. */
const possible = /-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?)?)?|[eE][+-]?)?)?/y

const loneSurrogate = "lone leading surrogate in hex escape"

/** The fault in a `\u` escape whose digits begin at `at`; a leading surrogate must be followed by a trailing one. */
const inUnicodeEscape = (text: string, at: number): Fault | undefined => {
  const first = inHexDigits(text, at)
  if (typeof first !== "number") return first
  if (first >= 0xdc00 && first <= 0xdfff) return { at: at + 3, reason: loneSurrogate }
  if (first < 0xd800 || first > 0xdbff) return undefined
  for (const [offset, wanted] of [
    [4, "\\"],
    [5, "u"],
  ] as const) {
    if (at + offset >= text.length) return { at: text.length, reason: "EOF while parsing a string" }
    if (text[at + offset] !== wanted) return { at: at + offset, reason: "unexpected end of hex escape" }
  }
  const second = inHexDigits(text, at + 6)
  if (typeof second !== "number") return second
  return second >= 0xdc00 && second <= 0xdfff ? undefined : { at: at + 9, reason: loneSurrogate }
}

const inHexDigits = (text: string, at: number): number | Fault => {
  if (at + 4 > text.length) return { at: text.length, reason: "EOF while parsing a string" }
  const digits = text.slice(at, at + 4)
  return /^[0-9A-Fa-f]{4}$/.test(digits)
    ? Number.parseInt(digits, 16)
    : { at: at + 3, reason: "invalid escape" }
}

const utf8Length = (text: string): number => {
  let length = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return length
}
