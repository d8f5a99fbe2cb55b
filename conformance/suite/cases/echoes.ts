/**
 * Not cases: a request whose answer must carry exactly the id that was sent.
 */
import * as Check from "../Check.ts"
import { idText } from "../Json.ts"
import type { Wire } from "../wire/Wire.ts"

/** Sends a well-formed request; the answer must carry exactly this id. */
export const echoes = async (wire: Wire, id: string, rest = ""): Promise<void> => {
  const { error, message } = await wire.exchange(`{"id":${id},"method":"environment/status"${rest}}`)
  if (error !== undefined) Check.fail(`the request with id ${id} was refused: ${error.message}`)
  Check.equal(idText(message.text) ?? null, id, "the id of the answer")
}
