/**
 * Messages that a client must never send: the server ends the connection without an answer.
 */
import { table } from "../Case.ts"

/** The messages that end a connection. */
const violations: { readonly [name: string]: readonly [spec: number, says: string, message: string] } = {
  "unknown-notification": [20, "A notification with an unknown method", '{"method":"bogus"}'],
  "request-method-as-notification": [
    21,
    "process/read without an id",
    '{"method":"process/read","params":{"processId":"p"}}',
  ],
  "unasked-response": [22, "A response that answers no request of the server", '{"id":5,"result":{}}'],
  "unasked-error": [
    23,
    "An error that answers no request of the server",
    '{"id":5,"error":{"code":1,"message":"x"}}',
  ],
}

export const violation = [
  ...table("handshake/violation", {
    "initialized-first": {
      spec: [19],
      says: "initialized before initialize ends the connection without a message.",
      run: async (t) => {
        const wire = await t.connect()
        wire.send({ method: "initialized" })
        await wire.endsSilently()
      },
    },
  }),
  ...Object.entries(violations).flatMap(([name, [spec, says, message]]) =>
    table("handshake/violation", {
      [name]: {
        spec: [spec],
        says: `${says} ends the connection without a message.`,
        play: async (wire) => {
          await wire.barrier()
          const from = wire.inbox.messages.length
          wire.sendText(message)
          await wire.endsSilently(from)
        },
      },
    }),
  ),
]
