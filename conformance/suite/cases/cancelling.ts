/**
 * Not cases: requests of which the id is known, and their cancels.
 */
import * as Check from "../Check.ts"
import type * as Child from "../Child.ts"
import type { Json } from "../Json.ts"
import type { Reply } from "../wire/Reply.ts"
import type { Wire } from "../wire/Wire.ts"

export const cancelling = { requires: ["request-cancel"] } as const

export const cancel = (wire: Wire, id: Json): void => wire.send({ method: "request/cancel", params: { id } })

/** A request of which the id is known. */
export const ask = (wire: Wire, method: string, params: Json) => {
  const reply = wire.begin(method, params)
  return { id: Math.max(...wire.asked), reply }
}

/** A read that waits for ten minutes. */
export const poll = ({ wire, id: processId }: Child.Child, afterSeq = 0) =>
  ask(wire, "process/read", { processId, afterSeq, waitMs: 600_000 })

export const wasCancelled = async (reply: Promise<Reply>): Promise<void> => {
  const { error } = await reply
  Check.equal([error?.code ?? null, error?.message ?? null], [-32800, "request was cancelled"], "the error")
}
