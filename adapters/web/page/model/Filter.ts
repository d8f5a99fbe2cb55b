/**
 * The language of the field above the list: words that are in the title, command, directory, labels, process number or
 * id, and `name:web`, `state:running`, `session:3`, `label:team=front` (or `label:team`). All of them have to hold.
 */
import { directoryOf, isOver, type Row, titleOf } from "./Rows.ts"

export type Filter = (row: Row) => boolean

/** The filter that a text means; an empty one wants everything. */
export const parse = (text: string): Filter => {
  const terms = text.trim().toLowerCase().split(/\s+/).filter(Boolean).map(termOf)
  return (row) => terms.every((term) => term(row))
}

const termOf = (word: string): Filter => {
  const colon = word.indexOf(":")
  const key = colon < 0 ? undefined : keyed[word.slice(0, colon)]
  return key === undefined ? (row) => textOf(row).includes(word) : key(word.slice(colon + 1))
}

const keyed: Readonly<Record<string, (value: string) => Filter>> = {
  name: (value) => (row) => (row.name ?? "").toLowerCase().includes(value),
  session: (value) => (row) => String(row.session) === value,
  state: (value) => (row) => statesOf(row).some((state) => state.startsWith(value)),
  label: (value) => {
    const [name = "", wanted] = value.split("=")
    return ({ labels }) =>
      Object.entries(labels).some(
        ([label, text]) =>
          label.toLowerCase() === name && (wanted === undefined || text.toLowerCase() === wanted),
      )
  },
}

/** The words that mean its state: those of the wire, `ended`, and `failed` for an end other than 0. */
const statesOf = (row: Row): ReadonlyArray<string> => [
  row.state,
  ...(isOver(row) ? ["ended", row.exitCode === 0 ? "ok" : "failed"] : []),
]

const textOf = (row: Row): string =>
  [
    titleOf(row),
    row.argv.join(" "),
    directoryOf(row),
    row.processId,
    row.pid ?? "",
    ...Object.entries(row.labels).map(([label, text]) => `${label}=${text}`),
  ]
    .join("\n")
    .toLowerCase()
