/** `process/attach` and `process/detach`: finds the process, checks what the client may, and attaches. */
import type * as EffectContext from "effect/Context"
import * as Effect from "effect/Effect"
import type { Process } from "../../process/Process.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import type { Entry } from "../../process/ProcessTable.ts"
import type { Pictures } from "../screen/Pictures.ts"
import { LimitError } from "../../protocol/Limits.ts"
import { ParamsError, RequestError, refuseParams } from "../../protocol/ParamsError.ts"
import * as SessionScope from "../../protocol/SessionScope.ts"
import * as Listing from "../../session/Listing.ts"
import {
  type Found,
  type Session,
  SessionError,
  type SessionRegistry,
} from "../../session/SessionRegistry.ts"
import { faultOf } from "../credit/feature.ts"
import type { Connection, Failure, Handlers } from "../Feature.ts"
import type { Attachment, Attachments } from "./Attachments.ts"
import type { Paint } from "./View.ts"
import type { LossyQueue } from "./LossyQueue.ts"
import * as View from "./View.ts"
import type { attach, AttachParams, AttachResult } from "./wire.ts"
import * as Writers from "./Writers.ts"
import type { OpenSession } from "../../session/Listing.ts"

/** The state of the feature that the handlers of one connection use. */
export interface Context {
  readonly attachments: Attachments
  readonly queue: LossyQueue
  /** The pictures of those who have missed output. */
  readonly pictures: Pictures
  /** Tells the client that has the session whether it writes to the process of that id. */
  readonly tellOwner: (open: Found, processId: string) => void
}

export const make = (
  connection: Connection,
  { attachments, queue, pictures, tellOwner }: Context,
): Handlers<(typeof attach)["requests"]> => {
  const { session, following, gate, server, sessions, limits } = connection

  const added = (
    { policy }: AttachParams,
    id: string,
    { process }: Entry,
    { processes }: Found["session"],
    writers: Writers.Writers,
  ): Effect.Effect<Attachment, LimitError> =>
    attachments.count() >= limits.sessionProcesses
      ? Effect.fail(new LimitError({ limit: "sessionProcesses", value: limits.sessionProcesses }))
      : Effect.map(Effect.context<never>(), (context) => {
          const paint = policy === "screen" ? painting(pictures, process, context) : undefined
          const view = View.make({ id, process, holds: policy === "block", paint, queue })
          return attachments.add(view, { processes, writers })
        })

  return {
    "process/attach": (params, { afterReply }) =>
      Effect.gen(function* () {
        const fault = faultOf(params.credit)
        if (fault !== undefined) return yield* new ParamsError({ message: fault })
        const asker = { own: session(), sessions, scope: server.scope }
        const { open, processId, rights } = yield* findTarget(params, asker)
        yield* allow(params, rights)
        const entry = yield* open.session.processes.entry(processId)
        const { process } = entry
        const id = params.as ?? process.id
        const own = session().processes
        const known = attachments.get(id)
        const isOwn = known === undefined && open.session.processes === own && id === process.id
        if (known === undefined ? !isOwn && own.has(id) : known.process !== process)
          return yield* new ProcessError({ reason: "AlreadyExists", processId: id })
        const writers = Writers.begin(process, { told: () => tellOwner(open, process.id) })
        if (!mayWrite(params, writers, open, known, isOwn))
          return yield* new RequestError({
            message: `process ${process.id} is written to by another client: take the role with \`take: true\``,
          })
        if (isOwn) {
          if (params.role === "writer") writers.take(undefined)
        } else {
          const attachment = known ?? (yield* added(params, id, entry, open.session, writers))
          if (params.role === "writer") writers.take(attachment)
          else writers.leave(attachment)
          if (known === undefined) {
            afterReply((answered) => {
              if (!answered) attachments.leave(id)
              if (attachments.get(id) !== attachment) return
              attachment.announce()
              const seq = Math.min(params.afterSeq ?? 0, process.log.nextSeq() - 1)
              following.attach(attachment, seq, gate(attachment, params.credit ?? undefined))
            })
          }
        }
        return resultOf(id, open, entry, writers.current === (isOwn ? undefined : attachments.get(id)))
      }),

    "process/detach": ({ processId }) =>
      Effect.suspend(() =>
        attachments.leave(processId)
          ? Effect.succeed({})
          : Effect.fail(new RequestError({ message: `${processId} is no attachment of this connection` })),
      ),
  }
}

/** A client that may only look on neither writes nor stalls the child. */
const allow = (
  { role, policy, take }: AttachParams,
  rights: SessionScope.SessionScope,
): Effect.Effect<void, Failure> => {
  if (take === true && role !== "writer")
    return Effect.fail(new ParamsError({ message: "take belongs to the role writer" }))
  const needsControl = role === "writer" || policy === "block"
  return needsControl && rights !== "control"
    ? Effect.fail(
        new SessionScope.ScopeError({
          needs: "control",
          has: rights,
          what:
            role === "writer"
              ? "writing to a process of another session"
              : 'stalling a process of another session (policy "block")',
        }),
      )
    : Effect.void
}

/** The role is free if its holder has left; from others it is taken on request alone. */
const mayWrite = (
  { role, take }: AttachParams,
  { current }: Writers.Writers,
  open: Found,
  known: Attachment | undefined,
  isOwn: boolean,
): boolean => {
  if (role !== "writer" || take === true) return true
  return current === undefined ? isOwn || open.detachment !== undefined : current === known
}

/** Delay of a picture, so that a flood is not painted more often. */
const betweenPictures = "50 millis"

const painting =
  (pictures: Pictures, process: Process, context: EffectContext.Context<never>): Paint =>
  (done) => {
    const picture = pictures.of(process, { seq: undefined, formats: ["ansi"], scrollback: 0 }).pipe(
      Effect.delay(betweenPictures),
      Effect.catchCause(() => Effect.succeed(undefined)),
    )
    Effect.runForkWith(context)(Effect.map(picture, done))
  }

const resultOf = (
  processId: string,
  { session, detachment }: Found,
  entry: Entry,
  writer: boolean,
): typeof AttachResult.Type => {
  const { log } = entry.process
  const process = Listing.rowOf(session.number, detachment === undefined, entry)
  return { processId, process, firstSeq: log.after(0)?.seq ?? log.nextSeq(), writer }
}

export interface AttachTarget {
  /** Its session. */
  readonly open: Found
  /** Its id there. */
  readonly processId: string
  /** The rights of the client with it. */
  readonly rights: SessionScope.SessionScope
}

export interface Asker {
  readonly own: Session
  readonly sessions: SessionRegistry
  /** Its rights with the sessions of others. */
  readonly scope: SessionScope.SessionScope
}

type TargetParams = Pick<AttachParams, "processId" | "name" | "session" | "sessionId">

/** Finds the process; one that is named by its id may not be there. */
const findTarget = (params: TargetParams, asker: Asker): Effect.Effect<AttachTarget, Failure> =>
  Effect.suspend((): Effect.Effect<AttachTarget, Failure> => {
    const { processId, name, session, sessionId } = params
    if ((processId == null) === (name == null))
      return refuseParams(
        `process/attach needs one of processId and name, and has ${name == null ? "none" : "both"}`,
      )
    if (session != null && sessionId != null) return refuseParams("session and sessionId exclude each other")
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
  { session, sessionId }: TargetParams,
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
