/** The tool `list_commands`: tells of the commands that run, and of those that have ended and are still known. */
import * as Effect from "effect/Effect"
import type { Commands } from "./Commands.ts"
import * as HexId from "./HexId.ts"
import * as Listing from "./Listing.ts"
import type { Reply } from "./Reply.ts"
import type { Run } from "./SessionCalls.ts"
import type { ListCommands } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"

export const make =
  (commands: Commands): Run<ListCommands> =>
  ({ running }) =>
    Effect.map(HexId.next, (chunkId): Reply => {
      const wanted = commands.all.filter(({ state }) => running !== true || state.kind === "running")
      const listed = wanted.map(Listing.of)
      const output = Listing.toText(listed)
      return {
        chunkId,
        wallSeconds: 0,
        originalTokenCount: Truncate.tokensOf(output.length),
        output,
        commands: listed,
      }
    })
