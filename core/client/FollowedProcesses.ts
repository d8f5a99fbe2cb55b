/** The processes that a client follows, by id, and what the client's connection tells all of them. */
import * as Effect from "effect/Effect"
import type { Activity } from "./Activity.ts"
import { detached } from "./Attaching.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import type { Received } from "./EventRecovery.ts"
import * as ProcessFollower from "./ProcessFollower.ts"

/** Options of following a process. */
export interface How {
  /** The bytes of its credit window, if it has one. */
  readonly size: number | undefined
  /** It is a process of the session that there is: in another one its id is another process. False for a start. */
  readonly attaches: boolean
  /** It is an attachment, which each connection has to make again. */
  readonly again?: (follower: ProcessFollower.ProcessFollower) => Effect.Effect<void>
}

/** The processes of one client. */
export type FollowedProcesses = ReturnType<typeof make>

/** The used part of the client. */
export type Options = Omit<ProcessFollower.Options, "forget" | "leaving"> & {
  /** The client is busy while it follows a process. */
  readonly activity: Activity
}

export const make = (options: Options) => {
  const followers = new Map<string, ProcessFollower.ProcessFollower>()
  const attached = new Set<string>()
  /** Processes of the session that another client writes to: a resume tells it before they are followed. */
  const written = new Set<string>()
  /** Set from the loss of a session to the begin of the next. */
  let lost: ClientError | undefined
  const attachments = new Map<ProcessFollower.ProcessFollower, NonNullable<How["again"]>>()
  const begun = () =>
    [...followers.values()].filter((follower) => follower.begun() && !attachments.has(follower))

  return {
    /** True if a process of that id is followed. */
    has: (id: string) => followers.has(id),
    /**
     * Follows a process from the event after seq `after`. Fails with `Duplicate` if it is followed already, and with
     * the error of the loss where it takes up a process of a session that is lost.
     */
    follow: (id: string, after: number, { size, attaches, again }: How) =>
      Effect.suspend(() => {
        if (attaches && again === undefined && lost !== undefined) return Effect.fail(lost)
        if (followers.has(id)) return Effect.fail(duplicate(id))
        const forget = () => {
          attached.delete(id)
          if (attachments.delete(follower)) written.delete(id)
          if (followers.delete(id)) options.activity.end()
        }
        const leaving = again === undefined ? "process/terminate" : "process/detach"
        const follower: ProcessFollower.ProcessFollower = ProcessFollower.make(
          id,
          after,
          { ...options, leaving, forget },
          size,
        )
        if (again !== undefined) attachments.set(follower, again)
        followers.set(id, follower)
        if (!attaches) written.delete(id)
        if (written.has(id)) follower.role.set(false)
        if (attaches) attached.add(id)
        options.activity.begin()
        return Effect.succeed(follower)
      }),
    /** The server may have this process, which was about to start: it is lost with its session. */
    keepToSession: (id: string) => {
      if (followers.has(id)) attached.add(id)
    },
    /** Takes an event as it arrives; ignored for a process that is not followed. */
    accept: ({ processId, event }: Received) => {
      const follower = followers.get(processId)
      if (event.kind === "closed" || event.kind === "writer") written.delete(processId)
      if (event.kind === "writer") {
        if (!event.writer) written.add(processId)
        follower?.role.set(event.writer)
      } else if (event.kind === "detached") follower?.fail(detached(processId, event.reason))
      else follower?.accept(event)
    },
    /** The last seq of each process that the server has: the base of a replay. */
    lastSeqs: () => Object.fromEntries(begun().map(({ id, last }) => [id, last()])),
    /** The credit of each process on a connection that is about to resume the session; undefined if none has any. */
    credits: () => {
      const credits = begun().flatMap(({ id, credit }) =>
        credit === undefined ? [] : [[id, credit.begin()] as const],
      )
      return credits.length === 0 ? undefined : Object.fromEntries(credits)
    },
    /** The session goes on, on a new connection; see `ProcessFollower.resume`. */
    resume: (replays: boolean) => {
      for (const follower of begun()) {
        follower.credit?.open()
        options.fork(follower.resume(replays))
      }
      for (const [follower, again] of attachments) if (follower.begun()) options.fork(again(follower))
    },
    /** The session is lost: ends every process of it in `failed`, and not those that wait to start. */
    lose: (error: ClientError) => {
      lost = error
      written.clear()
      for (const follower of followers.values())
        if (follower.begun() || attached.has(follower.id)) follower.fail(error)
    },
    /** Another session takes the place of the lost one. */
    renew: () => {
      lost = undefined
    },
    /** Ends every process in `failed`. */
    fail: (error: ClientError) => {
      for (const follower of followers.values()) follower.fail(error)
    },
  }
}

const duplicate = (id: string) => clientError("Duplicate", `session already registered for process ${id}`)
