/**
 * Attaches to a process of this session or another one (`process/attach`), and again after a lost connection: with what
 * came behind the last event, and as the writer if that was its role and is free.
 */
import * as Effect from "effect/Effect"
import * as Features from "../features/Clients.ts"
import type { Policy, Role } from "../features/attach/wire.ts"
import type { EnvironmentInfo } from "../protocol/Environment.ts"
import type { ResultOf } from "../protocol/Methods.ts"
import { leastCredit } from "../protocol/Credit.ts"
import type { Encoded } from "./Calls.ts"
import { type ClientError, clientError } from "./ClientError.ts"
import * as WellFormed from "./WellFormed.ts"
import { invalid, refusal, shown, type Names } from "./OptionNames.ts"
import type { ProcessFollower } from "./ProcessFollower.ts"

/** A process to attach to, by one of `processId` and `name`. */
export interface AttachTarget {
  /** Its id in its session. */
  readonly processId?: string
  /** Its name, looked for in every session that this client may see; of several it is the one that runs. */
  readonly name?: string
  /** The number of its session, as lists show it. Default: the own session. */
  readonly session?: number
  /** The secret id of its session, instead of the number: who knows it may do all that its owner may. */
  readonly sessionId?: string
}

/** Options of `attach`. */
export interface AttachOptions extends Features.AttachOptions {
  /** For a target: the id of the attachment in this client. Default: made from the name or id of the process. */
  readonly as?: string
  /** For a target: whether this client writes to the process, and resizes and ends it. Default: `viewer`. */
  readonly role?: Role
  /** For a target, as the writer: takes the role from the client that has it. Default: false, which is refused then. */
  readonly take?: boolean
  /**
   * For a target: `block` lets the process wait for this client, `skip` lets it miss output, which a `gap` tells, and
   * with `screen` that gap has what the terminal shows instead, where the server can paint it. Default: `skip`.
   */
  readonly policy?: Policy
}

/** The known facts of a process that a client has attached to. */
export type Attachment = Pick<ResultOf<"process/attach">, "process" | "firstSeq">

const targetNames = {
  processId: true,
  name: true,
  session: true,
  sessionId: true,
} satisfies Names<AttachTarget>

const optionNames = {
  ...Features.attachOptions,
  as: true,
  role: true,
  take: true,
  policy: true,
} satisfies Names<AttachOptions>

/** Why these cannot be the target, the seq and the options of an `attach`: undefined where they can. */
export const refusalOf = (
  target: string | AttachTarget,
  after: number,
  options: AttachOptions,
  { capabilities }: EnvironmentInfo,
): ClientError | undefined => {
  const unknown = refusal("attach", optionNames, options)
  if (unknown !== undefined) return unknown
  if (!Number.isSafeInteger(after) || after < 0)
    return invalid(
      `attach takes the last seq that is known, a whole number, in front of options, not ${shown(after)}`,
    )
  if (typeof target === "string") {
    const forTargets = (["as", "role", "take", "policy"] as const).find((name) => options[name] !== undefined)
    return forTargets === undefined
      ? WellFormed.refusal(target, "processId")
      : invalid(`${forTargets} needs a target: attach({ processId: ${JSON.stringify(target)} }, …)`)
  }
  return (
    refusal("the target of attach", targetNames, target ?? null) ??
    (capabilities?.processAttach === true
      ? undefined
      : invalid("attach({ … }) needs a server with the capability processAttach, which this one lacks"))
  )
}

/** An id for the attachment that no process of this client has; the same for all clients, so that they share messages. */
export const idOf = ({ processId, name }: AttachTarget, isTaken: (id: string) => boolean): string => {
  const first = `@${name ?? processId ?? ""}`
  let id = first
  for (let more = 2; isTaken(id); more++) id = `${first}-${more}`
  return id
}

/** Sends the request behind the last event that is known; the answer says where the process is and who writes. */
export const attach = (
  follower: ProcessFollower,
  params: Encoded<"process/attach">,
): Effect.Effect<ResultOf<"process/attach">, ClientError> =>
  Effect.suspend(() => {
    const credit = follower.credit?.begin()
    const within = credit === undefined ? {} : { credit: Math.max(credit, leastCredit) }
    const sent = follower.call("process/attach", {
      ...params,
      as: follower.id,
      afterSeq: follower.last(),
      ...within,
    })
    return Effect.tap(sent, ({ writer }) =>
      Effect.sync(() => {
        follower.begin()
        follower.role.set(writer)
      }),
    )
  })

/** On a new connection: the process of the answer, not what has its name by now. */
export const again = (
  follower: ProcessFollower,
  params: Encoded<"process/attach">,
  { process }: Attachment,
): Effect.Effect<void> => {
  const { sessionId, policy } = params
  const place = sessionId == null ? { session: process.session } : { sessionId }
  const same = { ...place, processId: process.processId, policy }
  const asViewer = attach(follower, same)
  const asBefore = Effect.suspend(() =>
    follower.role.current
      ? Effect.catchIf(attach(follower, { ...same, role: "writer" }), isRefused, () => asViewer)
      : asViewer,
  )
  return Effect.catch(Effect.asVoid(asBefore), (error) =>
    // The client reports a lost connection to all processes, and the next one attaches again.
    Effect.sync(() => (error.reason === "Disconnected" ? undefined : follower.fail(error))),
  )
}

const isRefused = ({ reason }: ClientError): boolean => reason === "Server"

/** The end of an attachment whose process was removed, or whose session has ended, before its own end was known. */
export const detached = (id: string, why: "removed" | "sessionEnd" | "left"): ClientError =>
  clientError("Detached", `${id} is detached from its process: ${whys[why]}`)

const whys = {
  removed: "the process was removed",
  sessionEnd: "the session of the process has ended",
  left: "this client has left it",
}
