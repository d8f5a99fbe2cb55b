/** Answers the questions of servers about connections that no rule decides: `network/policyRequest`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { answerMillis, type PolicyAnswer, PolicyParams } from "../features/egress/Question.ts"
import type { EgressProtocol } from "../features/egress/wire.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import type { Json } from "../protocol/Json.ts"
import * as Shape from "../protocol/shape/index.ts"

export { answerMillis }

/** A connection that a process wants, and that no rule of its server decides. */
export interface PolicyRequest {
  /** The process. */
  readonly processId: string
  /** The way in which it has asked. */
  readonly protocol: typeof EgressProtocol.Type
  /** A name in lower case, or an address without brackets. */
  readonly host: string
  /** From 1 to 65535. */
  readonly port: number
}

/** The answer of a program: true allows, false denies; or the decision of the wire, with a reason for the process. */
export type PolicyReply = boolean | PolicyAnswer

/**
 * Decides about a connection. The server waits for 30 seconds, and denies then. What fails denies, and is logged.
 */
export type OnPolicyRequest = (request: PolicyRequest) => PolicyReply | PromiseLike<PolicyReply>

/**
 * Answers one request; the result is the text of the result on the wire.
 * @internal
 */
export type Answering = (params: Json) => Effect.Effect<string, ErrorCode.RpcError>

const toText = (decision: PolicyAnswer): string => JSON.stringify({ decision })

const deny = (reason: string) => toText({ type: "deny", reason })

/**
 * Answers by the function of a program.
 * @internal
 */
export const make =
  (decide: OnPolicyRequest): Answering =>
  (params) => {
    const read = Shape.decode(PolicyParams, params, { plain: true })
    if (Result.isFailure(read))
      return Effect.fail(new ErrorCode.RpcError({ code: ErrorCode.invalidParams, message: read.failure }))
    const { processId, request } = read.success
    return Effect.promise(async () => decide({ processId, ...request })).pipe(
      Effect.map((reply) => {
        if (typeof reply === "object") return toText(reply)
        return reply === true ? toText({ type: "allow" }) : deny("the client has denied it")
      }),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning("onPolicyRequest has failed", cause),
          deny("the client could not decide"),
        ),
      ),
    )
  }
