/** Notices of a reply besides its own command, in one sentence each. */
import type { Session } from "./Session.ts"
import { maxSessions } from "./SessionTable.ts"

/** The command has exited, and something else holds its output open. */
export const outlived =
  "The command has exited, but a process that it left in the background still holds its output. That process " +
  "goes on, and what it prints from now on is lost: redirect the output of a background process to a file."

/** A session that was ended for the one that the reply is about. */
export const ended = (victim: Session): string =>
  `Session ID ${victim.id} was ended to make room for this command, because at most ${maxSessions} sessions are ` +
  `kept; ${fate(victim)}: ${summary(victim.command)}`

/** Why an id is unknown: its session was ended at `millis` for the session `id`. */
export const whyUnknown = (victim: Session, millis: number, id: number): string =>
  `it was ended at ${new Date(millis).toISOString()} to make room for session ID ${id}, because at most ` +
  `${maxSessions} sessions are kept; ${fate(victim)}: ${summary(victim.command)}`

/** A session that a cancelled call began. */
export const cancelled = (id: number, command: string): string =>
  `A cancelled call of exec_command goes on with session ID ${id}: ${summary(command)}`

/** A session that a cancelled call began, and that ends for it. */
export const stopped = (id: number, command: string): string =>
  `A cancelled call of exec_command has its command stopped, session ID ${id}: ${summary(command)}`

const fate = ({ exitCode, failure }: Session): string => {
  if (exitCode !== undefined) return `its command had exited with code ${exitCode}`
  return failure === undefined ? "its command was killed" : "its command was lost before"
}

/** The beginning of a command line, to recognise it by. */
export const summary = (command: string): string => {
  const line = command.replaceAll(/\s+/g, " ")
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`
}
