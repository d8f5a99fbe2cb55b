/** `process/list`, `process/changes` and `session/list`: checks the params, and takes a page. */
import * as Effect from "effect/Effect"
import type { Server } from "../../features/Feature.ts"
import * as List from "../../protocol/List.ts"
import type { ProcessChange } from "../../protocol/List.ts"
import type { ParamsOf } from "../../protocol/Methods.ts"
import * as Listing from "../../session/Listing.ts"
import type { Session, SessionRegistry } from "../../session/SessionRegistry.ts"
import { refuseParams } from "../../protocol/ParamsError.ts"

/** The context of the handlers of one connection. */
export interface ListContext {
  /** The session that the connection is attached to. */
  readonly session: () => Session
  readonly sessions: SessionRegistry
  readonly server: Server
}

/** The handlers of one connection. */
export const make = ({ session, sessions, server }: ListContext) => {
  /** The sessions that a request may see, and where its page begins. */
  const scope = ({ sessions: asked, cursor }: ParamsOf<"session/list">) =>
    Effect.suspend(() => {
      const { number } = session()
      const from = cursor == null ? Listing.begin : toPlace(cursor)
      if (from === undefined)
        return refuseParams(`cursor must be the nextCursor of a page: ${JSON.stringify(cursor)}`)
      if (asked === "all" && !server.listsAll) return refuseParams(ownOnly)
      const seen = asked === "all" ? sessions.after : Listing.only(sessions.after, number)
      return Effect.succeed({ seen, from, own: number })
    })

  return {
    "process/list": (params: ParamsOf<"process/list">) =>
      Effect.map(scope(params), ({ seen, from }) => {
        const { name, labels, states } = params
        const wanted = { name: name ?? undefined, labels: labels ?? undefined, states: states ?? undefined }
        const { rows, next } = Listing.processes(seen, from, wanted, rowsOf(params))
        return { processes: rows, nextCursor: toCursor(next) }
      }),

    "process/changes": ({ sessions: asked, afterSeq, waitMs }: ParamsOf<"process/changes">) =>
      Effect.suspend(() => {
        if (asked === "all" && !server.listsAll) return refuseParams(ownOnly)
        const { number } = session()
        const wanted = ({ process }: ProcessChange) => asked === "all" || process.session === number
        return sessions.changes.read(afterSeq ?? undefined, wanted, waitMs ?? 0)
      }),

    "session/list": (params: ParamsOf<"session/list">) =>
      Effect.map(scope(params), ({ seen, from, own }) => {
        const { rows, next } = Listing.sessions(seen, from, own, rowsOf(params))
        return { sessions: rows, nextCursor: toCursor(next) }
      }),
  }
}

const ownOnly =
  "this server shows every client its own session alone (it was not started with --list-sessions all)"

const rowsOf = ({ limit }: Pick<ParamsOf<"session/list">, "limit">): number =>
  Math.min(limit ?? List.defaultRows, List.mostRows)

const toCursor = (place: Listing.Place | undefined): string | null =>
  place === undefined ? null : `${place.session}.${place.process}`

const toPlace = (cursor: string): Listing.Place | undefined => {
  const [whole, session, process] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? []
  return whole === undefined ? undefined : { session: Number(session), process: Number(process) }
}
