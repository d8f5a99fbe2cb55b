/**
 * Pages of the processes of sessions, and of sessions, in the order of their numbers.
 *
 * A page does bounded work, however much there is and however few of it match: it looks at so many sessions and
 * processes, and has so many rows and characters. If one of these ends it, the next page goes on there.
 */
import type * as List from "../protocol/List.ts"
import * as Listed from "../process/Listed.ts"
import type { ProcessRegistry } from "../process/ProcessRegistry.ts"
import { type Entry, hasStarted } from "../process/ProcessTable.ts"

/** The most sessions and processes that one page looks at. */
export const mostLooks = 1000

/** The most characters of arguments, names and labels in one page, beyond those of its last row. */
export const mostCharacters = 256 * 1024

/** A session, as lists see it. */
export interface OpenSession {
  /** Its number, and its processes. */
  readonly session: {
    /** Unique, and above those of all earlier sessions. */
    readonly number: number
    /** Its processes. */
    readonly processes: Pick<ProcessRegistry, "after" | "count">
  }
  /** Undefined while a connection has it. */
  readonly detachment: object | undefined
  /** The time of its opening, in milliseconds since 1970. */
  readonly openedAtMs: number
}

/** Sessions with a greater number, in its order. */
export type Sessions = (number: number) => Iterable<OpenSession>

/** Only the session of that number. */
export const only = (sessions: Sessions, own: number): Sessions =>
  function* (number) {
    if (number >= own) return
    for (const open of sessions(own - 1)) return yield open
  }

/** The cursor of pages: behind that process of that session; process 0 is before the first one. */
export interface Place {
  /** The number of a session. */
  readonly session: number
  /** The number of a process of it. */
  readonly process: number
}

/** Before everything. */
export const begin: Place = { session: 1, process: 0 }

/** The filter of a page. */
export interface Wanted extends Listed.Names {
  /** The states that count; absent is any. */
  readonly states?: ReadonlyArray<List.State> | undefined
}

/** One page; `next` is where the next one begins, absent behind the last. */
export interface Page<Row> {
  /** In the order of their numbers. */
  readonly rows: ReadonlyArray<Row>
  /** The cursor of the next page. */
  readonly next?: Place
}

/** A page of at most so many processes behind a place. */
export const processes = (
  sessions: Sessions,
  from: Place,
  wanted: Wanted,
  mostRows: number,
): Page<List.ListedProcess> => {
  const rows: Array<List.ListedProcess> = []
  let characters = 0
  let looks = 0
  let last = from
  for (const { open, entry, place } of walk(sessions, from)) {
    if (looks >= mostLooks || rows.length >= mostRows || characters >= mostCharacters)
      return { rows, next: last }
    looks += 1
    last = place
    if (entry === undefined) continue
    const row = toRow(open, entry, wanted)
    if (row === undefined) continue
    rows.push(row)
    characters += weightOf(row)
  }
  return { rows }
}

/** A page of at most so many sessions behind a place; `own` is the number of the session that asks. */
export const sessions = (
  all: Sessions,
  from: Place,
  own: number,
  mostRows: number,
): Page<List.ListedSession> => {
  const rows: Array<List.ListedSession> = []
  for (const { session, detachment, openedAtMs } of all(from.session - 1)) {
    const { number } = session
    if (rows.length >= mostRows) return { rows, next: { session: number, process: 0 } }
    rows.push({
      session: number,
      own: number === own,
      attached: detachment === undefined,
      openedAtMs,
      processes: session.processes.count(),
    })
  }
  return { rows }
}

interface Step {
  readonly open: OpenSession
  /** Absent for the session itself. */
  readonly entry?: Entry
  readonly place: Place
}

/** Everything behind a place: each session, then its processes. */
function* walk(sessions: Sessions, from: Place): Generator<Step, void, void> {
  for (const open of sessions(from.session - 1)) {
    const { number, processes } = open.session
    const after = number === from.session ? from.process : 0
    yield { open, place: { session: number, process: after } }
    for (const entry of processes.after(after))
      yield { open, entry, place: { session: number, process: entry.number } }
  }
}

const toRow = (
  { session, detachment }: OpenSession,
  entry: Entry,
  wanted: Wanted,
): List.ListedProcess | undefined => {
  const { process, facts } = entry
  const state = Listed.stateOf(process, hasStarted(entry))
  const has = facts.labels ?? {}
  const matches =
    (wanted.name === undefined || facts.name === wanted.name) &&
    (wanted.states === undefined || wanted.states.includes(state)) &&
    Object.entries(wanted.labels ?? {}).every(([key, value]) => Object.hasOwn(has, key) && has[key] === value)
  if (!matches) return undefined
  return rowOf(session.number, detachment === undefined, entry)
}

/** The row of a process of the session of that number; `attached` is whether a connection has that. */
export const rowOf = (session: number, attached: boolean, entry: Entry): List.ListedProcess => {
  const { process, facts, removed } = entry
  const state = Listed.stateOf(process, hasStarted(entry))
  const row = Listed.toRow(process, facts, state, removed !== undefined)
  return { session, attached, ...row, ...process.extension?.rowFields?.() }
}

/** The characters in a row whose number its start decides. */
export const weightOf = ({ processId, name = "", argv, cwd, labels }: List.ListedProcess): number =>
  [processId, name, cwd, ...argv, ...Object.entries(labels).flat()].reduce(
    (sum, text) => sum + text.length,
    0,
  )
