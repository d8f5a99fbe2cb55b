/**
 * The tool `list_commands`: tells of the commands that run, of those that have ended and are still known, and of what
 * those have left in the background.
 */
import * as Effect from "effect/Effect"
import * as HexId from "./HexId.ts"
import * as Listing from "./Listing.ts"
import type { Reply } from "./Reply.ts"
import type { Run, SessionCalls } from "./SessionCalls.ts"
import type { ListCommands } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"

export const make =
  ({ commands, background }: SessionCalls): Run<ListCommands> =>
  ({ running }) =>
    Effect.zipWith(HexId.next, background.look, (chunkId, left): Reply => {
      const all = Listing.ofAll(commands.all, left)
      // What a command has left runs, too.
      const listed = all.filter(
        (each) => running !== true || each.state === "running" || each.left !== undefined,
      )
      const output = Listing.toText(listed)
      return {
        chunkId,
        wallSeconds: 0,
        originalTokenCount: Truncate.tokensOf(output.length),
        output,
        commands: listed,
      }
    })
