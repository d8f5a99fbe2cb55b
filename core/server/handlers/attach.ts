/** `process/attach` and `process/detach`: finds the process, checks what the client may, and attaches. */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type { Server } from "../../features/Feature.ts"
import { faultOf } from "../../features/credit/feature.ts"
import type { Process } from "../../process/Process.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import type { Entry } from "../../process/ProcessTable.ts"
import type { Pictures } from "../../process/screen/Screens.ts"
import type { Paint } from "../../process/EventCursor.ts"
import { Writers } from "../../process/Writers.ts"
import { LimitError, type Limits } from "../../protocol/Limits.ts"
import type { ParamsOf, ResultOf } from "../../protocol/Methods.ts"
import * as SessionScope from "../../protocol/SessionScope.ts"
import type { RequestContext } from "../../rpc/Router.ts"
import * as Listing from "../../session/Listing.ts"
import type { Found, Session, SessionRegistry } from "../../session/SessionRegistry.ts"
import { type Attachment, type Attachments, writersOf } from "../Attachments.ts"
import type { Notifier } from "../Notifier.ts"
import * as AttachTarget from "../AttachTarget.ts"
import { type HandlerError, ParamsError } from "../WireError.ts"

/** What the handlers of one connection need. */
export interface AttachContext {
  /** The session that the connection is attached to. */
  readonly session: () => Session
  readonly sessions: SessionRegistry
  readonly attachments: Attachments
  readonly notifier: Notifier
  readonly server: Server
  readonly limits: Limits
}

type Params = ParamsOf<"process/attach">

/** The handlers of one connection. */
export const make = (context: AttachContext) => {
  const { session, attachments, notifier, server } = context
  return {
    "process/attach": (params: Params, { afterReply }: RequestContext) =>
      Effect.gen(function* () {
        const fault = faultOf(params.credit)
        if (fault !== undefined) return yield* new ParamsError({ message: fault })
        const { open, processId, rights } = yield* AttachTarget.find(params, {
          ...context,
          scope: server.scope,
          own: session(),
        })
        yield* allow(params, rights)
        const entry = yield* open.session.processes.entry(processId)
        const { process } = entry
        const id = params.as ?? process.id
        const own = session().processes
        const known = attachments.get(id)
        const isOwn = known === undefined && open.session.processes === own && id === process.id
        if (known === undefined ? !isOwn && own.has(id) : known.process !== process)
          return yield* new ProcessError({ reason: "AlreadyExists", processId: id })
        const writers = writersOf(process, () => new Writers(ownerOf(open, process.id)))
        if (!mayWrite(params, writers, open, known, isOwn))
          return yield* new ProcessError({ reason: "Written", processId: process.id })
        if (isOwn) {
          if (params.role === "writer") writers.take(undefined)
        } else {
          const attachment = known ?? (yield* added(context, params, id, entry, open, writers))
          if (params.role === "writer") writers.take(attachment)
          else writers.leave(attachment)
          if (known === undefined) {
            afterReply((answered) => {
              if (!answered) attachments.leave(id)
              if (attachments.get(id) !== attachment) return
              attachment.announce()
              const last = process.log.nextSeq() - 1
              notifier.attach(attachment, Math.min(params.afterSeq ?? 0, last), params.credit ?? undefined)
            })
          }
        }
        return resultOf(id, open, entry, writers.current === (isOwn ? undefined : attachments.get(id)))
      }),

    "process/detach": ({ processId }: ParamsOf<"process/detach">): Effect.Effect<object, HandlerError> =>
      Effect.suspend(() =>
        attachments.leave(processId)
          ? Effect.succeed({})
          : Effect.fail(new ProcessError({ reason: "NotAttached", processId })),
      ),
  }
}

const ownerOf = (open: Found, processId: string) => ({
  told: () => open.holder?.wrote?.(processId),
})

/** Who may only look on neither writes nor stalls the child. */
const allow = (
  { role, policy, take }: Params,
  rights: SessionScope.SessionScope,
): Effect.Effect<void, HandlerError> => {
  if (take === true && role !== "writer")
    return Effect.fail(new ParamsError({ message: "take belongs to the role writer" }))
  const needsControl = role === "writer" || policy === "block"
  return needsControl && rights !== "control"
    ? Effect.fail(
        new SessionScope.ScopeError({
          needs: "control",
          has: rights,
          what: role === "writer" ? "writes" : "stalls",
        }),
      )
    : Effect.void
}

/** The role is free if nobody is there who has it; from others it is taken on request alone. */
const mayWrite = (
  { role, take }: Params,
  { current }: Writers,
  open: Found,
  known: Attachment | undefined,
  isOwn: boolean,
): boolean => {
  if (role !== "writer" || take === true) return true
  return current === undefined ? isOwn || open.detachment !== undefined : current === known
}

const added = (
  { attachments, limits }: AttachContext,
  { policy }: Params,
  id: string,
  { process }: Entry,
  { session }: Found,
  writers: Writers,
): Effect.Effect<Attachment, LimitError> =>
  attachments.count() >= limits.sessionProcesses
    ? Effect.fail(new LimitError({ limit: "sessionProcesses", value: limits.sessionProcesses }))
    : Effect.map(Effect.runtime<never>(), (runtime) => {
        const { processes } = session
        const paint = policy === "screen" ? painting(processes.pictures, process, runtime) : undefined
        return attachments.add({ id, process, processes, writers, holds: policy === "block", paint })
      })

/** How long a picture is waited for, so that a flood is not painted more often. */
const betweenPictures = "50 millis"

const painting =
  (pictures: Pictures, process: Process, runtime: Runtime.Runtime<never>): Paint =>
  (done) => {
    const picture = pictures.of(process, { seq: undefined, formats: ["ansi"], scrollback: 0 }).pipe(
      Effect.delay(betweenPictures),
      Effect.catchAllCause(() => Effect.succeed(undefined)),
    )
    Runtime.runFork(runtime)(Effect.map(picture, done))
  }

const resultOf = (
  processId: string,
  { session, detachment }: Found,
  entry: Entry,
  writer: boolean,
): ResultOf<"process/attach"> => {
  const { log } = entry.process
  const process = Listing.rowOf(session.number, detachment === undefined, entry)
  return { processId, process, firstSeq: log.after(0)?.seq ?? log.nextSeq(), writer }
}
