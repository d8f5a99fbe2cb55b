/** The answer to `process/screen`, from a snapshot. */
import type { Format, Line, ScreenResult, Span } from "./wire.ts"
import { toAnsi } from "./Repaint.ts"
import type { Row, Run, Snapshot } from "./Snapshot.ts"

/** What of the output the picture shows: from one seq to another. */
export interface Extent {
  readonly seq: number
  readonly fromSeq: number
}

export const from = (
  snapshot: Snapshot,
  { seq, fromSeq }: Extent,
  formats: ReadonlyArray<Format>,
): ScreenResult => {
  const { size, normal, alternate, title } = snapshot
  const { rows, scrollback, cursor } = alternate ?? normal
  const column = Math.min(cursor.column, size.columns - 1)
  return {
    seq,
    fromSeq,
    size,
    cursor: { row: cursor.row, column, ...snapshot.cursor },
    title,
    alternate: alternate !== undefined,
    scrollback,
    ...(formats.includes("text") ? { text: toText(rows) } : {}),
    ...(formats.includes("ansi") ? { ansi: toAnsi(snapshot) } : {}),
    ...(formats.includes("lines") ? { lines: rows.map(toLine) } : {}),
  }
}

const toText = (rows: ReadonlyArray<Row>): string =>
  rows
    .map(({ runs }) =>
      runs
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trimEnd()

const toLine = ({ wrapped, runs }: Row): Line => {
  let end = runs.length
  for (let run = runs[end - 1]; run !== undefined && isBlank(run); run = runs[end - 1]) end -= 1
  const spans = runs.slice(0, end).map(toSpan)
  return wrapped ? { wrapped, spans } : { spans }
}

const isBlank = ({ kind, style }: Run): boolean => kind === "empty" && style === undefined

const toSpan = ({ kind, text, columns, style }: Run): Span => ({
  text,
  ...(kind === "other" ? { columns } : {}),
  ...style,
})
