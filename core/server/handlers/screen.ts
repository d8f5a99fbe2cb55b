/** `process/screen`: what the terminal of a PTY shows. */
import * as Effect from "effect/Effect"
import type { ParamsOf } from "../../protocol/Methods.ts"
import type { Attachments } from "../Attachments.ts"

/** The handler of one connection. */
export const make = ({ attachments }: { readonly attachments: Attachments }) => ({
  "process/screen": ({ processId, seq, formats, scrollback }: ParamsOf<"process/screen">) =>
    Effect.suspend(() => {
      const { processes, id } = attachments.at(processId)
      return Effect.flatMap(processes.find(id), (process) =>
        processes.pictures.of(process, {
          seq: seq ?? undefined,
          formats: formats ?? ["text"],
          scrollback: scrollback ?? 0,
        }),
      )
    }),
})
