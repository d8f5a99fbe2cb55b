/** Lines as an answer has them. */
import { utf8Decoder } from "../../protocol/Bytes.ts"
import * as Lines from "../../pattern/Lines.ts"

/** Most bytes of a line in an answer. */
export const mostTextBytes = 4096

/** A line as UTF-8, or its begin. */
export const textOf = (line: Uint8Array): string => utf8Decoder().decode(line.subarray(0, mostTextBytes))

/** So many lines in front of an index, where a line begins; those that are not in these bytes are from `earlier`. */
export const linesBefore = (
  data: Uint8Array,
  at: number,
  count: number,
  earlier: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let to = at - 1
  while (lines.length < count && to >= 0) {
    const from = to === 0 ? 0 : data.lastIndexOf(Lines.lineEnd, to - 1) + 1
    lines.unshift(textOf(data.subarray(from, to)))
    to = from - 1
  }
  const missing = count - lines.length
  return missing === 0 ? lines : [...earlier.slice(-missing), ...lines]
}
