/**
 * Ids: any string and any 64-bit integer comes back exactly as it was sent.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import { idText } from "../Json.ts"
import { echoes } from "./echoes.ts"

export const envelopeId = table("envelope", {
  "string-id-echoed": {
    spec: [31],
    says: "A request whose id is a string, even an empty one, is answered with exactly that string.",
    play: async (wire) => {
      for (const id of ['"str-id"', '""', '"1"', '"-1"']) await echoes(wire, id)
    },
  },
  "integer-ids-echoed": {
    spec: [32],
    says: "Requests with the ids -5, 0 and 2^53-1 are answered with exactly these ids.",
    play: async (wire) => {
      for (const id of ["-5", "0", "9007199254740991"]) await echoes(wire, id)
    },
  },
  "64-bit-ids-echoed": {
    spec: [32],
    says: "Requests with the ids 2^53+1, 2^63-1 and -2^63 are answered with exactly these digits.",
    play: async (wire) => {
      for (const id of ["9007199254740993", "9223372036854775807", "-9223372036854775808"])
        await echoes(wire, id)
    },
  },
  "id-last-in-the-message": {
    says:
      "The members of a request may come in any order, with spaces between them; an id in a nested object " +
      "is not the id of the request.",
    play: async (wire) => {
      const { message } = await wire.exchange(
        ' { "params" : {"processId":"p","id":7} , "method" : "process/terminate" , "id" : 9007199254740995 } ',
      )
      Check.equal(idText(message.text), "9007199254740995", "the id of the answer")
    },
  },
  "minus-zero-becomes-zero": {
    level: "peer",
    says: "A request with the id -0 is answered with the id 0.",
    play: async (wire) => {
      const { message } = await wire.exchange('{"id":-0,"method":"environment/status"}')
      Check.equal(idText(message.text), "0", "the id of the answer")
    },
  },
})
