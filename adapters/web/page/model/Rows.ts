/** The processes as the list shows them, and the changes between two lists. */
import type { ListedProcess } from "../../../../core/protocol/List.ts"
import * as Words from "./Words.ts"

export type Row = ListedProcess

/** Names a process among all that the visitor may see. */
export type Key = string

/** The place of a process: enough to attach to it. */
export interface Place {
  readonly session: number
  /** Its id there. */
  readonly processId: string
}

export const keyOf = ({ session, processId }: Place): Key => `${session}/${processId}`

export const placeOf = (key: Key): Place => {
  const slash = key.indexOf("/")
  return { session: Number(key.slice(0, slash)), processId: key.slice(slash + 1) }
}

/** The title of a process: its name, or its command. */
export const titleOf = ({ name, argv }: Pick<Row, "name" | "argv">): string =>
  name === undefined || name === "" ? Words.command(argv) : Words.visible(name)

export const isOver = ({ state }: Pick<Row, "state">): boolean => state === "exited" || state === "closed"

/** Its directory as a path, as far as its URI has one. */
export const directoryOf = ({ cwd }: Pick<Row, "cwd">): string => {
  const path = cwd.replace(/^file:\/\//i, "")
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** By their keys, in the order of the list. */
export type Rows = ReadonlyMap<Key, Row>

export const fromList = (list: Iterable<Row>): Rows => new Map(Array.from(list, (row) => [keyOf(row), row]))

/** A difference of a new list from the old one. */
export interface Change {
  /** A process is new, has exited, or is not there any more. */
  readonly kind: "began" | "ended" | "went"
  /** The process as the newer list has it, or had it last. */
  readonly row: Row
}

/** The changes from one list to the next. One that is new and has ended has done both. */
export const changes = (before: Rows, after: Rows): ReadonlyArray<Change> => {
  const found: Array<Change> = []
  for (const [key, row] of after) {
    const old = before.get(key)
    if (old === undefined) found.push({ kind: "began", row })
    if (isOver(row) && (old === undefined || !isOver(old))) found.push({ kind: "ended", row })
  }
  for (const [key, row] of before) if (!after.has(key)) found.push({ kind: "went", row })
  return found
}

/** Processes that are shown together. */
export interface Group {
  readonly id: string
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

/**
 * The processes of this page, those of each session that somebody is connected to, and all others, which go on in the
 * background. In each, what runs comes first, then the newest.
 */
export const grouped = (rows: Iterable<Row>, own: number | undefined): ReadonlyArray<Group> => {
  const groups = new Map<string, { readonly title: string; readonly rows: Array<Row> }>()
  for (const row of rows) {
    const [id, title] = groupOf(row, own)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, { title, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([id, { title, rows }]) => ({ id, title, rows: rows.sort(byInterest) }))
}

const groupOf = (
  { session, attached }: Row,
  own: number | undefined,
): readonly [id: string, title: string] => {
  if (session === own) return ["a-own", "Of this page"]
  return attached ? [`c-${session}`, `Session ${session}, connected`] : ["b-background", "In the background"]
}

const byInterest = (a: Row, b: Row): number =>
  Number(isOver(a)) - Number(isOver(b)) || b.startedAtMs - a.startedAtMs
