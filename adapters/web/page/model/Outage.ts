/**
 * The knowledge of the page without a connection, and its texts for the processes that it shows: no more than the
 * last list or the site of the server says.
 */
import { isOver, type Row } from "./Rows.ts"
import * as Words from "./Words.ts"

/** The last answer of the site since the connection was lost; `restarted` is another start of the server. */
export type Server = "unknown" | "silent" | "same" | "restarted"

/** No connection; a new one is tried. */
export interface Lost {
  readonly kind: "lost"
  readonly message: string
  /** When, in milliseconds since 1970. */
  readonly since: number
  readonly server: Server
  /** The facts for a login; undefined where none is needed. */
  readonly login?: { readonly name: string; readonly tokens: boolean } | undefined
}

/** The state of a process: as it is now, as it was when the connection was lost, or gone with an earlier server. */
export type Seen = "now" | "last" | "gone"

/** The currency of facts from one start of the server. */
export const seen = (status: { readonly kind: string }, told: string, instance: string): Seen =>
  told !== instance ? "gone" : status.kind === "lost" ? "last" : "now"

/** The state of a process in a few words; `now` is when it was seen. */
export const stateOf = (row: Row, as: Seen, now: number): string => {
  if (isOver(row)) return Words.ending(row)
  if (as === "gone") return "gone with its server"
  const state = row.state === "starting" ? "starting" : Words.running(now - row.startedAtMs)
  return as === "last" ? `${state} when last seen` : state
}

export const headline = ({ server, login }: Lost): string => {
  if (login === undefined)
    return server === "silent" ? "No answer, trying again" : "Connection lost, trying again"
  return server === "restarted" ? "The server was started again" : "You are logged out"
}

/** The notice above a terminal whose process goes on, as far as is known. */
export const above = ({ server, login }: Lost): string => {
  if (login !== undefined) return "You are logged out. The server goes on: the output comes after the login."
  const lost = "The connection is lost and tried again."
  if (server === "silent") return `${lost} The server does not answer: what the process does is not known.`
  return server === "same" ? `${lost} The server goes on: the output comes after.` : lost
}

/** The notice above a terminal whose process is gone. */
export const aboveGone = "This process is gone: its server was started again. This is its last output."

/** The way in for a visitor who has to log in again. */
export const advice = ({ server, login }: Lost): string => {
  const how =
    login?.tokens === true
      ? "Open a new link of the server in this tab, or log in with a token."
      : "Open the new link that the server has printed, in this tab."
  return server === "restarted"
    ? `${how} The processes that ran before are gone; what is open shows their last output.`
    : how
}
