/** The tool `read_screen`: what the terminal of a running command shows. */
import * as Effect from "effect/Effect"
import { utf8 } from "../protocol/Bytes.ts"
import { mostScrollback } from "../protocol/Screen.ts"
import type { Server } from "./ExecBackend.ts"
import * as HexId from "./HexId.ts"
import { stateOf } from "./ReadOutputTool.ts"
import type { Reply } from "./Reply.ts"
import * as Screen from "./Screen.ts"
import { defaultMaxTokens, type Run, type SessionCalls } from "./SessionCalls.ts"
import * as ToolError from "./ToolError.ts"
import type { ReadScreen } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"

export const make =
  (
    { table, commands }: Pick<SessionCalls, "table" | "commands">,
    server: Server | undefined,
    cap?: Truncate.Cap,
  ): Run<ReadScreen> =>
  (args) =>
    Effect.gen(function* () {
      const { session_id: id } = args
      const known = commands.get(id)
      if (known === undefined) return yield* ToolError.unknownCommand("read_screen", id, commands)
      if (!known.about.tty) return yield* ToolError.noTerminal(id)
      if (server?.processScreen !== true) return yield* ToolError.noScreens()
      const session = table.use(id)
      if (session === undefined) return yield* ToolError.noScreenAnyMore(id)
      const scrollback = Math.min(Number(args.scrollback ?? 0), mostScrollback)
      const picture = yield* Effect.mapError(session.process.screen({ scrollback }), ToolError.noScreen)
      const { text = "" } = picture
      const total = utf8.encode(text).length
      const most = Number(args.max_output_tokens ?? defaultMaxTokens)
      const reply: Reply = {
        ...stateOf(known),
        chunkId: yield* HexId.next,
        wallSeconds: 0,
        originalTokenCount: Truncate.tokensOf(total),
        output: Truncate.shown({ head: text, tail: "", omitted: 0, total }, most, cap),
        screen: Screen.of(id, picture),
      }
      return reply
    })
