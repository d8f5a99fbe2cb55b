/** Processes as rows of a table, and their names on a command line. */
import { fileURLToPath } from "node:url"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as CommandLine from "../../../../core/protocol/CommandLine.ts"
import type { Condition } from "../control/Usage.ts"
import type { Colours } from "./Colours.ts"
import type { Column } from "./Table.ts"
import * as Texts from "./Texts.ts"

/** The name of a process on a command line: its own, or its session and its id. */
export const refOf = ({ name, session, processId }: ListedProcess): string =>
  name ?? `${session}/${processId}`

/** True while it may still do something. */
export const isLive = ({ state }: Pick<ListedProcess, "state">): boolean =>
  state === "starting" || state === "running"

export interface Seen extends ListedProcess {
  /** Undefined where it is not known. */
  readonly condition?: Condition | undefined
}

/** The members of its JSON: one that is stopped has that for its state. */
export const toJson = ({ condition, ...row }: Seen) =>
  condition?.stopped === true ? { ...row, state: "stopped" } : row

export const stateOf = ({
  state,
  exitCode,
  condition,
  left = false,
  lost = false,
}: Seen & { readonly left?: boolean; readonly lost?: boolean }): string => {
  if (condition?.stopped === true) return "stopped"
  if (left) return isLive({ state }) ? "left, no server" : "ended, unread"
  if (lost && exitCode === null) return "ended, the server died"
  return state === "exited" || state === "closed" ? `exited ${exitCode ?? "?"}` : state
}

/** Its directory, as a path where it is one of this system. */
export const cwdOf = ({ cwd }: ListedProcess): string => {
  try {
    return fileURLToPath(cwd)
  } catch {
    return cwd
  }
}

/**
 * The columns, with `more` of features; `now` is in milliseconds since 1970. Ends and labels have one only if there are
 * any.
 */
export const columns = (
  now: number,
  { bad, good, dim }: Colours,
  rows: ReadonlyArray<Seen>,
  more: ReadonlyArray<Column<Seen>> = [],
): ReadonlyArray<Column<Seen>> => [
  { title: "NAME", text: refOf, least: 12 },
  {
    title: "STATE",
    text: stateOf,
    paint: (text, row) => (isLive(row) ? good(text) : row.exitCode === 0 ? text : bad(text)),
  },
  { title: "AGE", text: ({ startedAtMs }) => Texts.age(now - startedAtMs), right: true },
  ...(rows.every(isLive) ? [] : [{ title: "END", text: (row: Seen) => endOf(row, now), right: true }]),
  { title: "PID", text: (row) => (isLive(row) ? String(row.pid ?? "-") : "-"), right: true },
  ...more,
  { title: "OUTPUT", text: ({ bytes }) => Texts.bytes(bytes), right: true },
  { title: "COMMAND", text: ({ argv }) => CommandLine.of(argv), least: 12 },
  ...(rows.some(({ labels }) => Object.keys(labels).length > 0)
    ? [{ title: "LABELS", text: labelsOf, least: 8, paint: dim }]
    : []),
]

/** The time since its last child has ended; older servers do not have it. */
const endOf = ({ endedAtMs }: Seen, now: number): string =>
  endedAtMs === undefined ? "-" : Texts.age(now - endedAtMs)

const labelsOf = ({ labels }: ListedProcess): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .join(",")
