/**
 * The words of a shell command: splits a `--command`, and quotes words for commands that can be pasted into a shell.
 *
 * Supports whitespace, single quotes, double quotes and backslashes; no variables and no globs.
 */

/** The words of a command, or `undefined` when a quote is left open. */
export const split = (command: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < command.length; at++) {
    const letter = command.charAt(at)
    if (quote !== "" && letter === quote) quote = ""
    else if (quote === "" && (letter === "'" || letter === '"')) {
      quote = letter
      word ??= ""
    } else if (letter === "\\" && quote !== "'") word = (word ?? "") + command.charAt(++at)
    else if (quote === "" && /\s/.test(letter)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + letter
  }
  if (quote !== "") return undefined
  if (word !== undefined) words.push(word)
  return words
}

/** One word, quoted if a shell would read it differently. */
export const quote = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
