/** The folder for histories: what is wrong with it is told at the start, not when the first process wants a history. */
import * as Effect from "effect/Effect"
import * as HistoryFolders from "../host/HistoryFolders.ts"
import * as NodeHistoryFiles from "../host/NodeHistoryFiles.ts"
import * as OsError from "../host/OsError.ts"
import type { Settings } from "./Given.ts"
import { misconfigured, type ServeError } from "./ServeError.ts"

/** Removes what servers have left that were killed, and says how many. */
export const sweep = ({ options }: Settings): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => HistoryFolders.sweep(options.historyDir)),
    (count) =>
      count === 0
        ? Effect.void
        : Effect.logWarning(
            `removed the histories of ${count} ${count === 1 ? "server" : "servers"} that had been killed`,
          ),
  )

/** Makes the folder of the options, if they name one, and tries to make a folder in it. */
export const check = ({ options, label }: Settings): Effect.Effect<void, ServeError> => {
  const { historyDir } = options
  if (historyDir === undefined) return Effect.void
  return Effect.tryPromise({
    try: () => NodeHistoryFiles.probe(historyDir),
    catch: (error) =>
      misconfigured(
        `${label("historyDir")} ${historyDir}: cannot keep histories there: ${OsError.fromUnknown(error).message}; ` +
          "name a folder that can be made and written",
      ),
  })
}
