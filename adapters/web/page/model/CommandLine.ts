/** Splits a line into the words of a command as a shell does, without variables, globs or substitutions. */

/** The words, or the fault of the line. */
export type Split = { readonly words: ReadonlyArray<string> } | { readonly fault: string }

/** Splits a line: blanks part words, quotes and backslashes keep them together. */
export const split = (line: string): Split => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at)
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else if (character === "\\" && quote === '"' && '"\\$`'.includes(line.charAt(at + 1)))
        word += line.charAt(++at)
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ""
    } else if (character === "\\") {
      at += 1
      if (at === line.length) return { fault: "the line ends with a backslash" }
      word = (word ?? "") + line.charAt(at)
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + character
  }
  if (quote !== undefined) return { fault: `the quotation mark ${quote} has no end` }
  if (word !== undefined) words.push(word)
  return words.length === 0 ? { fault: "there is no command" } : { words }
}
