/**
 * Finds the process that the params of `process/attach` mean, and the rights of the client with it: all with those of
 * its own session and of one whose secret id it knows, with others what its scope says.
 */
import * as Effect from "effect/Effect"
import type { Entry } from "../../process/ProcessTable.ts"
import { ParamsError, RequestError } from "../../protocol/ParamsError.ts"
import * as SessionScope from "../../protocol/SessionScope.ts"
import type { OpenSession } from "../../session/Listing.ts"
import * as Listing from "../../session/Listing.ts"
import {
  type Found,
  type Session,
  SessionError,
  type SessionRegistry,
} from "../../session/SessionRegistry.ts"
import type { Failure } from "../Feature.ts"
import type { AttachParams } from "./wire.ts"

export interface AttachTarget {
  /** Its session. */
  readonly open: Found
  /** Its id there. */
  readonly processId: string
  /** What the client may do with it. */
  readonly rights: SessionScope.SessionScope
}

export interface Asker {
  readonly own: Session
  readonly sessions: SessionRegistry
  /** What it may do with others. */
  readonly scope: SessionScope.SessionScope
}

type Params = Pick<AttachParams, "processId" | "name" | "session" | "sessionId">

/** Finds the process; one that is named by its id may not be there. */
export const find = (params: Params, asker: Asker): Effect.Effect<AttachTarget, Failure> =>
  Effect.suspend((): Effect.Effect<AttachTarget, Failure> => {
    const { processId, name, session, sessionId } = params
    if ((processId == null) === (name == null))
      return refuse(
        `process/attach needs one of processId and name, and has ${name == null ? "none" : "both"}`,
      )
    if (session != null && sessionId != null) return refuse("session and sessionId exclude each other")
    if (name != null && session == null && sessionId == null) return everywhere(name, asker)
    return Effect.flatMap(
      placeOf(params, asker),
      ({ open, rights }): Effect.Effect<AttachTarget, Failure> => {
        if (processId != null) return Effect.succeed({ open, processId, rights })
        const within = Listing.only(asker.sessions.after, open.session.number)(0)
        return Effect.map(byName(name ?? "", within, asker), (found) => ({ ...found, rights }))
      },
    )
  })

/** The session that is named, or the own one. */
const placeOf = (
  { session, sessionId }: Params,
  { own, sessions, scope }: Asker,
): Effect.Effect<Pick<AttachTarget, "open" | "rights">, Failure> => {
  if (sessionId != null) {
    const open = sessions.find(sessionId)
    return open === undefined
      ? Effect.fail(new SessionError({ reason: "Unknown", sessionId }))
      : Effect.succeed({ open, rights: "control" })
  }
  const isOwn = session == null || session === own.number
  if (!isOwn && !SessionScope.includes(scope, "observe"))
    return Effect.fail(
      new SessionScope.ScopeError({
        needs: "observe",
        has: scope,
        what: "attaching to a process of another session",
      }),
    )
  const open = sessions.find(session ?? own.number)
  return open === undefined
    ? Effect.fail(new SessionError({ reason: "Unknown", sessionId: String(session) }))
    : Effect.succeed({ open, rights: isOwn ? "control" : scope })
}

/** In every session that the client may see. */
const everywhere = (name: string, asker: Asker): Effect.Effect<AttachTarget, Failure> => {
  const { own, sessions, scope } = asker
  const all = SessionScope.includes(scope, "observe")
    ? sessions.after(0)
    : Listing.only(sessions.after, own.number)(0)
  return byName(name, all, asker)
}

interface Named {
  readonly session: number
  readonly entry: Entry
}

/** The one of that name; a process that runs comes before those that have ended. */
const byName = (
  name: string,
  within: Iterable<OpenSession>,
  { own, sessions, scope }: Asker,
): Effect.Effect<AttachTarget, RequestError> => {
  const all: Array<Named> = []
  for (const { session } of within)
    for (const entry of session.processes.after(0))
      if (entry.facts.name === name) all.push({ session: session.number, entry })
  const running = all.filter(({ entry }) => entry.process.running)
  const found = running.length > 0 ? running : all
  const [first] = found
  const open = first === undefined ? undefined : sessions.find(first.session)
  if (first === undefined || open === undefined || found.length > 1) {
    const places = found.map(({ session, entry }) => ({ session, processId: entry.process.id }))
    return Effect.fail(new RequestError({ message: nameText(name, places) }))
  }
  const rights = first.session === own.number ? "control" : scope
  return Effect.succeed({ open, processId: first.entry.process.id, rights })
}

/** The most processes that the text for an ambiguous name lists. */
const mostListed = 5

const nameText = (
  name: string,
  places: ReadonlyArray<{ readonly session: number; readonly processId: string }>,
): string => {
  if (places.length === 0) return `no process is named ${name}`
  const listed = places
    .slice(0, mostListed)
    .map(({ session, processId }) => `${processId} of session ${session}`)
  const more = places.length > mostListed ? ", …" : ""
  return (
    `${places.length} processes are named ${name}: ${listed.join(", ")}${more}; ` +
    "name one by session and processId"
  )
}

const refuse = (message: string) => Effect.fail(new ParamsError({ message }))
