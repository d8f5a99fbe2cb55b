/**
 * The attachments of one connection: processes of its own session and of others, each under an id that the client has
 * chosen. They end with the connection, or when the process is forgotten.
 *
 * `at` and `writing` say which process an id means, for every handler: an attachment, or else a process of the session.
 */
import * as Effect from "effect/Effect"
import { ProcessError } from "../process/ProcessError.ts"
import type { Why } from "../process/AttachedClients.ts"
import type { Process } from "../process/Process.ts"
import type { ProcessRegistry } from "../process/ProcessRegistry.ts"
import type { Writer, Writers } from "../process/Writers.ts"
import { notificationText } from "../protocol/Message.ts"
import type { Session } from "../session/SessionRegistry.ts"
import type { FairSender } from "./FairSender.ts"
import * as Notices from "./Notices.ts"
import type * as Notifier from "./Notifier.ts"

/** What a process id means. */
export interface Target {
  /** The processes that it is one of. */
  readonly processes: ProcessRegistry
  /** Its id among them. */
  readonly id: string
  /** The attachment; undefined for a process of the session. */
  readonly attachment: Attachment | undefined
}

/** One attachment. */
export interface Attachment extends Notifier.Attached, Writer {
  /** The processes that the process is one of. */
  readonly processes: ProcessRegistry
  /** Those who write to it. */
  readonly writers: Writers
  /** The client knows of it from now on, and is told whether it writes. */
  readonly announce: () => void
}

/** The attachments of one connection. */
export interface Attachments {
  /** What an id means, for a request whose client has been told so. */
  readonly at: (processId: string) => Target
  /** The same for a client that writes to it; `ending` for one that ends it, which its owner always may. */
  readonly writing: (processId: string, ending?: "ending") => Effect.Effect<Target, ProcessError>
  /** What the notifier follows under an id; one that is forgotten, too, until its last event is sent. */
  readonly followed: (processId: string) => Effect.Effect<Notifier.Followed, ProcessError>
  /** The attachment of that id. */
  readonly get: (id: string) => Attachment | undefined
  /** Adds one; its id must be free. */
  readonly add: (
    of: Pick<Attachment, "id" | "process" | "processes" | "writers" | "holds" | "paint">,
  ) => Attachment
  /** Tells the client whether it writes to the process of that id. */
  readonly tellRole: (processId: string) => void
  /** Ends one. False if there is none of that id. */
  readonly leave: (id: string) => boolean
  /** How many there are. */
  readonly count: () => number
  /** Ends all of them. */
  readonly close: () => void
}

/** What attachments use of their connection. */
export interface Options {
  /** The session of the connection. */
  readonly session: () => Session
  readonly notifier: Pick<Notifier.Notifier, "find" | "leave">
  readonly sender: FairSender
}

/** The attachments of a new connection: none. */
export const make = ({ session, notifier, sender }: Options): Attachments => {
  const all = new Map<string, Attachment>()
  const stops = new WeakMap<Attachment, () => void>()
  /** Made when there is something to tell. */
  let notices: Notices.Notices | undefined
  const tell: Notices.Notices["tell"] = (processId, make) => {
    notices ??= Notices.make(sender)
    notices.tell(processId, make)
  }

  const targetOf = (processId: string): Target => {
    const attachment = all.get(processId)
    return attachment === undefined
      ? { processes: session().processes, id: processId, attachment }
      : { processes: attachment.processes, id: attachment.process.id, attachment }
  }

  const at = (processId: string): Target => {
    notices?.now(processId)
    return targetOf(processId)
  }

  const tellRole = (processId: string) => tell(processId, () => roleText(processId, targetOf(processId)))

  const end = (attachment: Attachment) => {
    all.delete(attachment.id)
    stops.get(attachment)?.()
    attachment.writers.leave(attachment)
  }

  const leave = (attachment: Attachment) => {
    notifier.leave(attachment)
    end(attachment)
  }

  const left = (attachment: Attachment, why: Why) => {
    if (all.get(attachment.id) !== attachment) return
    end(attachment)
    // What is left of a process that is closed still comes, and `process/closed` at last.
    if (attachment.process.closed !== undefined) return
    notifier.leave(attachment)
    const params = { processId: attachment.id, reason: why }
    tell(attachment.id, () => notificationText("process/detached", params))
  }

  return {
    at,
    writing: (processId, ending) => writing(processId, at(processId), ending),
    followed: (processId) => followed(at(processId), () => notifier.find(processId)),
    get: (id) => all.get(id),
    add: (of) => {
      const { id, process, writers } = of
      let announced = false
      const told = () => {
        if (announced && all.get(id) === attachment) tellRole(id)
      }
      notices?.now(id)
      const attachment: Attachment = {
        ...of,
        told,
        announce: () => {
          announced = true
          if (writers.current === attachment) told()
        },
      }
      all.set(id, attachment)
      const stop = process.clients.whenLeft((why) => left(attachment, why))
      stops.set(attachment, stop)
      return attachment
    },
    tellRole,
    leave: (id) => {
      const attachment = all.get(id)
      if (attachment !== undefined) leave(attachment)
      return attachment !== undefined
    },
    count: () => all.size,
    close: () => {
      for (const attachment of all.values()) leave(attachment)
    },
  }
}

/** `sent` is what the notifier still sends the events of. */
const followed = (
  { processes, id, attachment }: Target,
  sent: () => Notifier.Followed | undefined,
): Effect.Effect<Notifier.Followed, ProcessError> => {
  const known = attachment ?? (processes.has(id) ? undefined : sent())
  return known === undefined ? processes.find(id) : Effect.succeed(known)
}

const roleText = (processId: string, { processes, id, attachment }: Target): string | undefined =>
  processes.has(id)
    ? notificationText("process/writer", { processId, writer: processes.writer(id) === attachment })
    : undefined

const writing = (
  processId: string,
  target: Target,
  ending: "ending" | undefined,
): Effect.Effect<Target, ProcessError> => {
  const { attachment } = target
  if (attachment === undefined && ending !== undefined) return Effect.succeed(target)
  if (target.processes.writer(target.id) === attachment) return Effect.succeed(target)
  return Effect.fail(new ProcessError({ reason: attachment === undefined ? "Taken" : "Viewed", processId }))
}

/** Those who write to a process; made when it has its first attachment. */
export const writersOf = (process: Process, make: () => Writers): Writers =>
  (process.clients.writers ??= make())
