/** Histories of output, on the server: a start asks for one, `process/history` and `process/grep` read it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import { HistoryFiles } from "./HistoryFiles.ts"
import type { Served } from "./server.ts"
import { leastBytes, type history as wire } from "./wire.ts"

const code = Late.make(() => import("./server.ts"))

export const history: Stateful<typeof wire> = (shared) =>
  Effect.gen(function* () {
    const { historyBytes } = shared.limits
    const files = yield* HistoryFiles
    const clock = yield* Clock.Clock
    let made: Served | undefined
    const served = () => (made ??= code.get().make(files, clock, shared))
    const usualBytes = historyBytes > 0 ? Math.max(historyBytes, leastBytes) : 0
    // A start that names no history does not show that it needs the code.
    if (files.available && usualBytes > 0) yield* code.loading() ?? Effect.void
    return {
      code,
      announces: () => ({ outputHistory: files.available }),
      fault: ({ history }) =>
        history == null
          ? undefined
          : !files.available
            ? "`history` is not supported by this server: it has no capability outputHistory"
            : history.maxBytes < leastBytes
              ? `history.maxBytes must be at least ${leastBytes}: ${history.maxBytes}`
              : undefined,
      extend: ({ history }) => {
        const maxBytes = history?.maxBytes ?? usualBytes
        return files.available && maxBytes > 0 ? served().extend(maxBytes) : undefined
      },
      handlers: (connection) => served().handlers(connection),
    }
  })
