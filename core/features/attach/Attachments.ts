/**
 * The attachments of one connection: processes of its own session and of others, each under an id that the client has
 * chosen. They end with the connection, or when the process is forgotten.
 */
import type { Why } from "../../process/Process.ts"
import { notificationText } from "../../protocol/Message.ts"
import { RequestError } from "../../protocol/ParamsError.ts"
import type { Connection, Part, Target, View, Sender, Source } from "../Feature.ts"
import * as Writers from "./Writers.ts"

export interface Attachment extends View, Writers.Writer, Pick<Target, "processes"> {
  /** The writers of the process. */
  readonly writers: Writers.Writers
  /** The client knows of it from now on, and is notified of its role. */
  readonly announce: () => void
}

export interface Attachments extends Required<Omit<Part, "gate" | "view">> {
  readonly get: (id: string) => Attachment | undefined
  /** Adds one; its id must be free. */
  readonly add: (view: View, of: Pick<Attachment, "processes" | "writers">) => Attachment
  /** Tells the client whether it writes to the process of that id. */
  readonly tellRole: (processId: string) => void
  /** Ends one. False if there is none of that id. */
  readonly leave: (id: string) => boolean
  readonly count: () => number
}

/** `look` gets the `view` of the part at each attachment and notice: before the first there is nothing to find. */
export const make = (
  { session, following, sender }: Pick<Connection, "session" | "following" | "sender">,
  look: (view: NonNullable<Part["view"]>) => void,
): Attachments => {
  const all = new Map<string, Attachment>()
  const stops = new WeakMap<Attachment, () => void>()
  /** Made when there is something to tell. */
  let notices: Notices | undefined
  const tell: Notices["tell"] = (processId, make) => {
    notices ??= makeNotices(sender)
    look(targetView)
    notices.tell(processId, make)
  }

  const targetOf = (processId: string): Target | undefined => {
    const view = all.get(processId)
    return view && { processes: view.processes, id: view.process.id, view }
  }

  const targetView = (processId: string) => {
    notices?.now(processId)
    return targetOf(processId)
  }

  const tellRole = (processId: string) =>
    tell(processId, () =>
      roleText(processId, targetOf(processId) ?? { processes: session().processes, id: processId }),
    )

  const end = (attachment: Attachment) => {
    all.delete(attachment.id)
    stops.get(attachment)?.()
    attachment.writers.leave(attachment)
  }

  const leave = (attachment: Attachment) => {
    following.leave(attachment)
    end(attachment)
  }

  const left = (attachment: Attachment, why: Why) => {
    if (all.get(attachment.id) !== attachment) return
    end(attachment)
    // The rest of a closed process still comes, and `process/closed` at last.
    if (attachment.process.closed !== undefined) return
    following.leave(attachment)
    const params = { processId: attachment.id, reason: why }
    tell(attachment.id, () => notificationText("process/detached", params))
  }

  return {
    refusal,
    opened: () => {
      // The role may have gone and come back while no listener was there.
      for (const { process } of session().processes.after(0))
        if (Writers.of(process)?.moved === true) tellRole(process.id)
    },
    get: (id) => all.get(id),
    add: (view, of) => {
      const { id, process } = view
      let announced = false
      const told = () => {
        if (announced && all.get(id) === attachment) tellRole(id)
      }
      notices?.now(id)
      const attachment: Attachment = {
        ...view,
        ...of,
        told,
        announce: () => {
          announced = true
          if (of.writers.current === attachment) told()
        },
      }
      all.set(id, attachment)
      look(targetView)
      const stop = process.whenForgotten((why) => left(attachment, why))
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
      notices?.close()
    },
  }
}

const roleText = (processId: string, { processes, id, view }: Target): string | undefined =>
  processes.has(id)
    ? notificationText("process/writer", { processId, writer: processes.writer(id) === view })
    : undefined

/** The owner can always end its process. */
const refusal: Attachments["refusal"] = (processId, { processes, id, view }, ending) =>
  (view === undefined && ending !== undefined) || processes.writer(id) === view
    ? undefined
    : new RequestError({
        message:
          view === undefined
            ? `process ${processId} is written to by another client: take it back by process/attach with role ` +
              '"writer" and take'
            : `${processId} is attached as a viewer: attach as the writer, by process/attach with role "writer"`,
      })

/** Makes a message; undefined if there is nothing to tell any more. */
type Make = () => string | undefined

export interface Notices {
  /** Tells this of an id in its turn, in place of the pending notice about that id. */
  readonly tell: (processId: string, make: Make) => void
  /** Tells at once what is pending about an id: before an answer that depends on it. */
  readonly now: (processId: string) => void
  /** Drops what is pending. */
  readonly close: () => void
}

export const makeNotices = (sender: Sender): Notices => {
  const waiting = new Map<string, Make>()

  const now = (processId: string) => {
    const text = waiting.get(processId)?.()
    waiting.delete(processId)
    if (text !== undefined) sender.write(text)
  }

  const next: Source = () => {
    const [first] = waiting.keys()
    if (first !== undefined) now(first)
    return waiting.size > 0
  }

  return {
    tell: (processId, make) => {
      waiting.set(processId, make)
      sender.enqueue(next)
    },
    now,
    close: () => waiting.clear(),
  }
}
