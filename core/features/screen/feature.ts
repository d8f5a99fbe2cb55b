/** Pictures of terminals, on the server. */
import * as Effect from "effect/Effect"
import { RequestError } from "../../protocol/ParamsError.ts"
import type { Stateful } from "../Feature.ts"
import { code } from "./Pictures.ts"
import type { screen as wire } from "./wire.ts"

export const screen: Stateful<typeof wire> = ({ pictures }) =>
  Effect.succeed({
    code,
    announces: ({ spawner }) => ({ processScreen: spawner.pty && pictures.available }),
    handlers: ({ at }) => ({
      "process/screen": ({ processId, seq, formats, scrollback }) =>
        Effect.suspend(() => {
          const { processes, id } = at(processId)
          const request = {
            seq: seq ?? undefined,
            formats: formats ?? (["text"] as const),
            scrollback: scrollback ?? 0,
          }
          return Effect.flatMap(processes.find(id), (process) =>
            Effect.mapError(pictures.of(process, request), ({ message }) => new RequestError({ message })),
          )
        }),
    }),
  })
