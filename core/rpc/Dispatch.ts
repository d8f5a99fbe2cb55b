/** Where a message from the peer goes, and which messages no peer may send. */
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { CutText } from "../protocol/CutText.ts"
import type { Bounds } from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import type { PendingCalls } from "./PendingCalls.ts"
import type { Receiver } from "./Receiver.ts"
import type { Requests } from "./Requests.ts"

/** Who takes messages. */
export interface Destinations {
  /** Takes requests. */
  readonly requests: Pick<Requests, "take">
  /** Takes answers. */
  readonly calls: Pick<PendingCalls, "answer">
  /** Sends the text of an error. */
  readonly reply: (text: string) => void
}

/**
 * A function that takes the text of one message, and returns what is wrong with one that violates the protocol. `label`
 * names messages in errors.
 */
export const make = (
  label: string,
  receiver: Receiver,
  bounds: Bounds | undefined,
  { requests, calls, reply }: Destinations,
): ((text: string | CutText) => string | undefined) => {
  const notify = (notification: Message.Notification): string | undefined => {
    const taken = receiver.notification(notification)
    if (taken === false) return `unexpected notification ${JSON.stringify(notification.method)}`
    if (taken !== true) reply(Message.errorText(Message.malformedId, taken.code, taken.message))
    return undefined
  }

  const answer = (id: Message.RequestId, exit: Parameters<PendingCalls["answer"]>[1]): string | undefined =>
    calls.answer(id, exit) || receiver.endsOnStrayAnswer === false ? undefined : "an answer to no request"

  return (text) => {
    const parsed = Message.fromText(text, bounds)
    if (Either.isLeft(parsed)) {
      const fault = `failed to parse ${label}: ${parsed.left}`
      if (receiver.endsOnMalformed === true) return fault
      reply(Message.errorText(Message.malformedId, ErrorCode.invalidRequest, fault))
      return undefined
    }
    const message = parsed.right
    switch (message.kind) {
      case "request":
        requests.take(message, text.length)
        return undefined
      case "notification":
        return notify(message)
      case "response":
        return answer(message.id, Exit.succeed(message.result))
      case "error":
        return answer(message.id, Exit.fail(new ErrorCode.RpcError(message)))
    }
  }
}
