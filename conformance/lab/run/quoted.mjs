// @ts-check

/**
 * Words as one text, which the suite splits again (`--command`) and which a shell reads the same way. Works once the
 * repository is built.
 * @param {readonly string[]} words
 */
export const quoted = async (words) => {
  const { quote } = await import("../../../dist/conformance/suite/ShellWords.js")
  return words.map(quote).join(" ")
}
