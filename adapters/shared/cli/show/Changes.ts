/** What has changed between two lists of processes. */
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import type { ProcessChange } from "../../../../core/protocol/Changes.ts"
import * as CommandLine from "../../../../core/protocol/CommandLine.ts"
import * as Rows from "./Rows.ts"
import * as Width from "./Width.ts"

/** What may happen to a process; `present` is one that was there at the begin. */
export type Kind = "present" | "started" | "restarted" | "exited" | "removed"

/** One change. */
export interface Change {
  readonly kind: Kind
  /** Milliseconds since 1970: by the clock of the server, or when it was seen. */
  readonly at: number
  /** The process then; one that is removed as it was last. */
  readonly row: ListedProcess
}

/** A process by what no other one has: one that was started again in its place has another start. */
const keyOf = ({ session, processId, startedAtMs }: ListedProcess): string =>
  `${session}/${startedAtMs}/${processId}`

/** The changes that lead from one list to the next, which was seen at `now`: first of those that are gone. */
export const between = (
  before: ReadonlyArray<ListedProcess>,
  after: ReadonlyArray<ListedProcess>,
  now: number,
): ReadonlyArray<Change> => {
  const known = new Map(before.map((row) => [keyOf(row), row]))
  const kept = new Set(after.map(keyOf))
  const gone = before.filter((row) => !kept.has(keyOf(row)))
  return [
    // One that was forgotten before it was seen to have ended has exited as well, nobody knows how.
    ...gone.flatMap((row): ReadonlyArray<Change> => [
      ...(Rows.isLive(row) ? [{ kind: "exited", at: now, row: { ...row, state: "closed" } } as const] : []),
      { kind: "removed", at: now, row },
    ]),
    ...after.flatMap((row) => changesOf(known.get(keyOf(row)), row, now)),
  ]
}

const changesOf = (
  before: ListedProcess | undefined,
  row: ListedProcess,
  now: number,
): ReadonlyArray<Change> => {
  const has = (kind: Kind, at: number, is: boolean): ReadonlyArray<Change> => (is ? [{ kind, at, row }] : [])
  return [
    ...has("started", row.startedAtMs, before === undefined),
    ...has("restarted", now, (row.restarts ?? 0) > (before?.restarts ?? 0)),
    ...has("exited", now, (before === undefined || Rows.isLive(before)) && !Rows.isLive(row)),
  ]
}

/** The list as it is behind a change that the server has told. */
export const after = (
  before: ReadonlyArray<ListedProcess>,
  { kind, process }: Pick<ProcessChange, "kind" | "process">,
): ReadonlyArray<ListedProcess> => {
  const key = keyOf(process)
  if (kind === "removed") return before.filter((row) => keyOf(row) !== key)
  return before.some((row) => keyOf(row) === key)
    ? before.map((row) => (keyOf(row) === key ? process : row))
    : [...before, process]
}

/** A change as a line for people. */
export const lineOf = ({ kind, at, row }: Change): string => {
  const facts = {
    present: `${Rows.stateOf(row)}, ${CommandLine.of(row.argv)}`,
    started: CommandLine.of(row.argv),
    restarted: `#${row.restarts ?? 0}`,
    exited: String(row.exitCode ?? "?"),
    removed: "",
  }
  const what = Width.plain(`${Rows.refOf(row)}  ${facts[kind]}`.trimEnd())
  return `${new Date(at).toISOString()}  ${kind.padEnd(9)}  ${what}`
}

/** The same for programs. */
export const jsonOf = ({ kind, at, row }: Change): string => {
  const { session, processId, name, labels, pid, state, exitCode, restarts } = row
  const about = { session, processId, name, labels, pid, state, exitCode, restarts }
  return JSON.stringify({ time: new Date(at).toISOString(), event: kind, ref: Rows.refOf(row), ...about })
}
