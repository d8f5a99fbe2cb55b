/** `process/attach` and `process/detach`: finds the process, checks what the client may, and attaches. */
import type * as EffectContext from "effect/Context"
import * as Effect from "effect/Effect"
import type { Process } from "../../process/Process.ts"
import { ProcessError } from "../../process/ProcessError.ts"
import type { Entry } from "../../process/ProcessTable.ts"
import type { Pictures } from "../screen/Pictures.ts"
import { LimitError } from "../../protocol/Limits.ts"
import { ParamsError, RequestError } from "../../protocol/ParamsError.ts"
import * as SessionScope from "../../protocol/SessionScope.ts"
import * as Listing from "../../session/Listing.ts"
import type { Found } from "../../session/SessionRegistry.ts"
import { faultOf } from "../credit/feature.ts"
import type { Connection, Failure, Handlers } from "../Feature.ts"
import * as AttachTarget from "./AttachTarget.ts"
import type { Attachment, Attachments } from "./Attachments.ts"
import type { Paint } from "./EventCursor.ts"
import type { LossyQueue } from "./LossyQueue.ts"
import * as View from "./View.ts"
import type { attach, AttachParams, AttachResult } from "./wire.ts"
import * as Writers from "./Writers.ts"

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
        const { open, processId, rights } = yield* AttachTarget.find(params, asker)
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

/** Who may only look on neither writes nor stalls the child. */
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

/** The role is free if nobody is there who has it; from others it is taken on request alone. */
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

/** How long a picture is waited for, so that a flood is not painted more often. */
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
