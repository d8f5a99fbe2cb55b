/** Requests that this end has sent, until their answers arrive or the connection ends. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import type * as Message from "../protocol/Message.ts"

/** The connection ended before the call was answered. `message` is for people. */
export class Disconnected extends Data.TaggedError("Disconnected")<{
  readonly message: string
  /** False if the connection had ended before the call: the peer never heard of it. */
  readonly sent: boolean
}> {}

type Resume = (answer: Exit.Exit<Json, ErrorCode.RpcError | Disconnected>) => void

/** The calls of one connection. */
export class PendingCalls {
  private readonly callers = new Map<Message.RequestId, Resume>()
  private lastId = 0
  private ended: Disconnected | undefined

  /** Sends a request with a fresh id and waits for its answer. `giveUp` is called if the caller is interrupted before. */
  call(
    send: (id: number) => void,
    giveUp: (id: number) => void = () => {},
  ): Effect.Effect<Json, ErrorCode.RpcError | Disconnected> {
    return Effect.async((resume) => {
      const { ended } = this
      if (ended !== undefined)
        return resume(Effect.fail(new Disconnected({ message: ended.message, sent: false })))
      const id = (this.lastId += 1)
      this.callers.set(id, resume)
      send(id)
      // The id of an interrupted call stays known: its answer is still due, and no violation.
      return Effect.sync(() => {
        if (!this.callers.has(id)) return
        this.callers.set(id, () => {})
        giveUp(id)
      })
    })
  }

  /** Gives an answer to its caller; false if there is no call of that id. */
  answer(id: Message.RequestId, answer: Exit.Exit<Json, ErrorCode.RpcError>): boolean {
    const resume = this.callers.get(id)
    if (resume === undefined) return false
    this.callers.delete(id)
    resume(answer)
    return true
  }

  /** Fails the call that is the only one without an answer; false if there is none, or if there are others. */
  failOnly(error: ErrorCode.RpcError): boolean {
    if (this.callers.size !== 1) return false
    for (const id of this.callers.keys()) this.answer(id, Exit.fail(error))
    return true
  }

  /** Fails every call, and those that come later. */
  end(ended: Disconnected): void {
    this.ended = ended
    for (const resume of this.callers.values()) resume(Exit.fail(ended))
    this.callers.clear()
  }
}
