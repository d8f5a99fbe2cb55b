/**
 * Asks a server one `initialize` before its cases are played, and again when it seems to have stopped answering.
 *
 * Any reply with a result will do: the cases judge it. A server that cannot be started or reached, that ends, stays
 * silent, refuses, or sends no reply is one sentence instead of a failure of every case.
 */
import * as CaseContext from "./CaseContext.ts"
import * as Case from "./Case.ts"
import { CheckFailure } from "./Check.ts"
import { within } from "./Deadline.ts"
import { clip, isObject } from "./Json.ts"
import type { Server, Target } from "./Target.ts"
import type { Inbox, Message } from "./wire/Inbox.ts"
import * as ServerProcess from "./wire/ServerProcess.ts"

/** Why a server cannot be tested: `late` if it has only not answered in time, `dead` for anything else. */
export interface Trouble {
  /** `late`: the server has not answered in time. `dead`: anything else. */
  readonly reason: "late" | "dead"
  /** A sentence without a full stop. */
  readonly text: string
}

/** The time, in milliseconds, that a server that has closed its output has to end, so that the sentence can say how. */
const endMs = 1_000

const probe = Case.make("preflight", { level: "must", spec: [], says: "", run: () => Promise.resolve() })

const isReply = ({ json }: Message): boolean =>
  isObject(json) && json["method"] === undefined && (json["result"] !== undefined || isObject(json["error"]))

/** So many messages of which none is a reply are noise that need not end. */
const noise = 1_000

/** Finds the first reply; looks at each message once. */
const firstReply = () => {
  let seen = 0
  return ({ messages }: Inbox): Message | undefined => {
    for (; seen < messages.length; seen++) {
      const message = messages[seen]
      if (message !== undefined && isReply(message)) return message
    }
    if (seen >= noise) throw new CheckFailure(`none of the first ${noise} messages of the server is a reply`)
    return undefined
  }
}

/** The messages in place of a reply. */
const instead = ({ messages }: Inbox): string =>
  messages[0] === undefined ? "" : `; it sent ${clip(JSON.stringify(messages[0].text), 200)}`

const refusal = (reply: Message): string | undefined => {
  if (!isObject(reply.json) || reply.json["result"] !== undefined) return undefined
  return `the server refuses \`initialize\`: ${clip(JSON.stringify(reply.json["error"]), 300)}`
}

/** The end of the server, or at least of the connection. */
const ending = async ({ process }: Server, inbox: Inbox): Promise<string> => {
  const before = "it answered `initialize`"
  const closed = `${inbox.ended() ?? "the connection ended"} before ${before}`
  if (process === undefined) return closed
  const exit = await within(process.exit, endMs, "").catch(() => undefined)
  return exit === undefined ? closed : ServerProcess.describe(exit, before, process.errors())
}

/** Sends `initialize`; why it was not answered with a result. `enter` gets the subject of each wait. */
const ask = async (
  { context }: CaseContext.RunningContext,
  target: Target,
  enter: (step: string) => void,
): Promise<string | undefined> => {
  if (target.kind !== "stdio" && target.owned)
    enter("printed its address as the first line of its standard output")
  const server = await context.server()
  enter("accepted a connection")
  const { inbox, send } = await context.connect()
  enter("answered `initialize`")
  send({ id: 1, method: "initialize", params: { clientName: "procwire-conformance" } })
  try {
    // Other messages are no sign of life here, so the wait has a deadline of its own.
    const reply = inbox.wait("initialize", context.timeoutMs, firstReply())
    return refusal(await within(reply, context.timeoutMs, "initialize"))
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    if (error.reason === "wrong") return `${error.message}${instead(inbox)}`
    if (error.reason === "late") throw new CheckFailure(instead(inbox), "late")
    return `${await ending(server, inbox)}${instead(inbox)}`
  }
}

/** Why the server cannot be tested; `undefined` if it answers. `timeoutMs` bounds each of its three steps. */
export const check = async (target: Target, timeoutMs: number): Promise<Trouble | undefined> => {
  const running = CaseContext.make(probe, target, timeoutMs)
  let step = "accepted a connection"
  try {
    const text = await ask(running, target, (next) => (step = next))
    return text === undefined ? undefined : { reason: "dead", text }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    const late = error instanceof CheckFailure && error.reason === "late"
    if (!late) return { reason: "dead", text }
    const came = step.startsWith("answered") ? text : ""
    return { reason: "late", text: `the server has not ${step} within ${timeoutMs} ms${came}` }
  } finally {
    running.finish()
  }
}
