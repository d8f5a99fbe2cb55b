/** The first message of a client, which is all of its words that a router reads. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Json from "../protocol/Json.ts"
import * as Message from "../protocol/Message.ts"
import type { Transport } from "../transport/Transport.ts"

export interface Greeting {
  readonly id: Message.RequestId
  /** The session that it resumes; undefined if it begins one. */
  readonly resumeSessionId: string | undefined
  readonly params: Json.Json
  /** The span of the client, if it has one. */
  readonly trace: Message.TraceContext | undefined
  /** As it came. */
  readonly text: string
}

/** The deadline for the first message of a client. */
const patience = "30 seconds"

/** Waits for the `initialize` of a client; undefined if none comes. Messages before it are refused. */
export const read = (transport: Transport): Effect.Effect<Greeting | undefined> =>
  Effect.gen(function* () {
    for (;;) {
      const text = yield* transport.incoming.take
      const message = Result.getOrUndefined(Message.fromText(text))
      if (message?.kind === "request" && message.method === "initialize") {
        const { id, params, trace } = message
        const named = Json.isObject(params) ? params["resumeSessionId"] : undefined
        return { id, params, trace, text, resumeSessionId: typeof named === "string" ? named : undefined }
      }
      const id = message?.kind === "request" ? message.id : Message.malformedId
      const words = "client must call initialize first: a router takes nothing else"
      transport.write(Message.errorText(id, ErrorCode.invalidRequest, words))
    }
  }).pipe(
    Effect.timeout(patience),
    Effect.catch(() => Effect.succeed(undefined)),
  )

/** Answers it with an error, and ends the connection. */
export const refuse = (
  transport: Transport,
  id: Message.RequestId,
  code: number,
  message: string,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    transport.write(Message.errorText(id, code, message))
    return Effect.andThen(Effect.logDebug(message), transport.close)
  })
