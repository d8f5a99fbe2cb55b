/**
 * The names that a process is given by a person, as `procwire run --name` and the page take them. A server takes any
 * text; a name that follows this rule can be typed as one word, and is never the place of a process (`3/abc`).
 */
import { mostNaming } from "../protocol/Process.ts"

export const isName = (text: string): boolean =>
  /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(text) && text.length <= mostNaming.name

export const expected = `letters, digits and any of . _ -, at most ${mostNaming.name}`
