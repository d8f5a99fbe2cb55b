/** How many columns a text takes on a terminal, and texts that are safe to show there. */

/** Characters of two columns: East Asian wide and full-width ones, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u

/** Characters of no column: combining marks (with variation selectors) and joiners. */
const combining = /^[\p{Mn}\p{Me}\p{Cf}]$/u

const controls = /[\p{Cc}\p{Zl}\p{Zp}]/gu

/** The columns of a text without control characters. */
export const of = (text: string): number => {
  let columns = 0
  for (const character of text) columns += ofCharacter(character)
  return columns
}

const ofCharacter = (character: string): number => {
  if (character < "\u0300") return 1
  return combining.test(character) ? 0 : wide.test(character) ? 2 : 1
}

/** A text in one line: control characters, which could move the cursor, are shown as `\n`, `\t` or `\x1b`. */
export const plain = (text: string): string =>
  text.replaceAll(
    controls,
    (character) => escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

/** The begin of a text in at most so many columns; what is cut off is shown by an ellipsis. */
export const cut = (text: string, columns: number): string => {
  if (of(text) <= columns) return text
  let kept = ""
  let left = columns - 1
  for (const character of text) {
    left -= ofCharacter(character)
    if (left < 0) break
    kept += character
  }
  return `${kept}…`
}
