// @ts-check
// The generated parts of documents: what stands between the comments `<!-- NAME: by whom -->` and `<!-- /NAME -->`.

/** @param {string} name */
const part = (name) => new RegExp(`(<!-- ${name}: .*? -->\\n)([^]*?)(<!-- /${name} -->)`)

/** The lines of a part. @param {string} text @param {string} name */
export const linesOf = (text, name) => part(name).exec(text)?.[2]?.split("\n") ?? []

/** A document with other lines in a part, which must be there. @param {string} text @param {string} name @param {string} lines */
export const replaced = (text, name, lines) => {
  if (!part(name).test(text)) throw new Error(`no comments for the generated part ${name}`)
  return text.replace(part(name), (_, begin, __, end) => `${begin}${lines.trimEnd()}\n${end}`)
}
