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
  readonly calls: Pick<PendingCalls, "answer" | "failOnly">
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

  const unaddressed = (error: ErrorCode.RpcError): undefined => {
    if (!calls.failOnly(error)) receiver.unaddressed?.(error)
  }

  /** Takes what cannot be parsed. A request that only has half a character is answered with its id. */
  const malformed = (text: string | CutText, why: string): string | undefined => {
    const fault = `failed to parse ${label}: ${why}`
    const illFormed = Message.fromIllFormed(text, bounds)
    if (receiver.endsOnMalformed === true) {
      if (receiver.unaddressed === undefined) return fault
      if (Either.isRight(illFormed)) return take(illFormed.right, text.length)
      const error = Message.unaddressed(text, bounds)
      return error === undefined ? fault : unaddressed(new ErrorCode.RpcError(error))
    }
    const known = Either.isRight(illFormed) && illFormed.right.kind === "request"
    const id = known ? illFormed.right.id : Message.malformedId
    reply(Message.errorText(id, ErrorCode.invalidRequest, fault))
    return undefined
  }

  const take = (message: Message.Message, size: number): string | undefined => {
    switch (message.kind) {
      case "request":
        requests.take(message, size)
        return undefined
      case "notification":
        return notify(message)
      case "response":
        return answer(message.id, Exit.succeed(message.result))
      case "error": {
        const error = new ErrorCode.RpcError(message)
        const names = message.id !== Message.malformedId || receiver.unaddressed === undefined
        return names ? answer(message.id, Exit.fail(error)) : unaddressed(error)
      }
    }
  }

  return (text) => {
    const parsed = Message.fromText(text, bounds)
    return Either.isRight(parsed) ? take(parsed.right, text.length) : malformed(text, parsed.left)
  }
}
