/** Several clients at one process, on the server. */
import * as Effect from "effect/Effect"
import * as SessionScope from "../../protocol/SessionScope.ts"
import type { Holder } from "../../session/SessionRegistry.ts"
import type { Part, Stateful } from "../Feature.ts"
import * as Attachments from "./Attachments.ts"
import * as Handlers from "./handlers.ts"
import * as LossyQueue from "./LossyQueue.ts"
import type { attach as wire } from "./wire.ts"

export const attach: Stateful<typeof wire> = ({ pictures }) =>
  Effect.map(LossyQueue.make, (queue) => {
    const known = new WeakMap<Holder, Attachments.Attachments>()
    return {
      announces: ({ scope }) => ({
        processAttach: true,
        processAttachAll: SessionScope.includes(scope, "observe"),
        processControlAll: scope === "control",
      }),
      part: (connection) => {
        const attachments = Attachments.make(connection, (view) => (part.view = view))
        const part = {
          view: undefined as Part["view"],
          refusal: attachments.refusal,
          // An owner that is about to resume its session gets every role behind the answer.
          opened: () => {
            known.set(connection.holder, attachments)
            attachments.opened()
          },
          close: () => {
            known.delete(connection.holder)
            attachments.close()
          },
          handlers: Handlers.make(connection, {
            attachments,
            queue,
            pictures,
            tellOwner: ({ holder }, processId) => holder && known.get(holder)?.tellRole(processId),
          }),
        }
        return part
      },
    }
  })
