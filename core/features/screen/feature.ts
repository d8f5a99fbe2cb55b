/** Pictures of terminals, on the server. */
import * as Effect from "effect/Effect"
import type { Feature } from "../Feature.ts"
import type { screen as wire } from "./wire.ts"

export const screen: Feature<typeof wire> = {
  announces: ({ spawner, paints }) => ({ processScreen: spawner.pty && paints }),

  handlers: ({ at }) => ({
    "process/screen": ({ processId, seq, formats, scrollback }) =>
      Effect.suspend(() => {
        const { processes, id } = at(processId)
        return Effect.flatMap(processes.find(id), (process) =>
          processes.pictures.of(process, {
            seq: seq ?? undefined,
            formats: formats ?? ["text"],
            scrollback: scrollback ?? 0,
          }),
        )
      }),
  }),
}
