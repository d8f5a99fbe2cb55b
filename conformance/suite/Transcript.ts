/**
 * The messages of one case in both directions, on all its connections, with times: the evidence in a report.
 *
 * Long texts are shortened, so a case that moves megabytes does not keep them twice.
 */
import { clip } from "./Json.ts"

/** `sent` by the suite, `came` from the server, or `info` about the connection. */
export type Direction = "sent" | "came" | "info"

/** One message or event. */
export interface Entry {
  /** Milliseconds since the case began. */
  readonly at: number
  /** Number of the connection within the case, from 1. */
  readonly connection: number
  /** Its origin. */
  readonly direction: Direction
  /** The message, or what happened to the connection; clipped to 4,000 characters. */
  readonly text: string
}

/** Entries in order of time, at most 2,000. */
export interface Transcript {
  /** The entries, in order of time. */
  readonly entries: ReadonlyArray<Entry>
  /** Adds an entry, with the time since the beginning. */
  readonly add: (connection: number, direction: Direction, text: string) => void
}

const keepCharacters = 4_000
const keepEntries = 2_000

/** Called with every entry, its text whole. */
export type OnEntry = (entry: Entry) => void

/** An empty transcript; its times count from now. */
export const make = (onEntry: OnEntry = () => undefined): Transcript => {
  const began = performance.now()
  const entries: Array<Entry> = []
  return {
    entries,
    add: (connection, direction, text) => {
      if (entries.length >= keepEntries) entries.splice(keepEntries / 2, 1)
      const entry = { at: performance.now() - began, connection, direction, text }
      onEntry(entry)
      entries.push({ ...entry, text: clip(text, keepCharacters) })
    },
  }
}

const signs: { readonly [direction in Direction]: string } = { sent: "→", came: "←", info: "·" }

/** The lines of a transcript; the middle is left out when there are more than `limit`. */
export const lines = (entries: ReadonlyArray<Entry>, limit: number, width: number): ReadonlyArray<string> => {
  const several = entries.some((entry) => entry.connection > 1)
  const written = entries.map((entry) => {
    const where = several && entry.connection > 0 ? `#${entry.connection} ` : ""
    return `${(entry.at / 1000).toFixed(3).padStart(8)} ${where}${signs[entry.direction]} ${clip(entry.text, width)}`
  })
  if (written.length <= limit) return written
  const head = Math.floor(limit / 3)
  const tail = limit - head
  return [
    ...written.slice(0, head),
    `         … ${written.length - limit} more …`,
    ...written.slice(written.length - tail),
  ]
}
