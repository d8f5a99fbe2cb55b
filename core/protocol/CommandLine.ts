/** Command lines as people paste them into a shell. */

import { utf8 } from "./Bytes.ts"

/** The words as a shell takes them: quoted where they need it. Control characters are escaped. */
export const of = (argv: ReadonlyArray<string>): string => argv.map(quoted).join(" ")

/** One word as a shell takes it. */
export const quoted = (word: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (!controls.test(word)) return `'${word.replaceAll("'", "'\\''")}'`
  return `$'${word.replace(/[\\']/g, "\\$&").replace(allControls, escaped)}'`
}

/** Control characters but the line feed, which a quoted word may have. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

const allControls = new RegExp(controls, "g")

/** As bash, ksh and zsh read it, each byte of UTF-8. */
const escaped = (control: string): string =>
  [...utf8.encode(control)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
