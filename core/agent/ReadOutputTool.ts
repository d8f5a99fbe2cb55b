/** The tool `read_output`: reads again what a command has printed, and takes nothing from the next reply. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Commands, Known } from "./Commands.ts"
import * as HexId from "./HexId.ts"
import type * as PlainText from "./PlainText.ts"
import * as Reading from "./Reading.ts"
import type { Reply } from "./Reply.ts"
import { defaultMaxTokens, type Run } from "./SessionCalls.ts"
import * as ToolError from "./ToolError.ts"
import type { ReadOutput } from "./Tools.ts"
import * as Truncate from "./Truncate.ts"

export const make =
  (commands: Commands, form: PlainText.Form, cap?: Truncate.Cap): Run<ReadOutput> =>
  (args) =>
    Effect.gen(function* () {
      const known = commands.get(args.session_id)
      if (known === undefined)
        return yield* ToolError.unknownCommand("read_output", args.session_id, commands)
      const budget = Truncate.budgetOf(Number(args.max_output_tokens ?? defaultMaxTokens), cap)
      const read = Reading.read(known.transcript, args, budget, form)
      if (Either.isLeft(read)) return yield* ToolError.badArguments(read.left)
      const { excerpt, text, rest } = read.right
      const reply: Reply = {
        ...stateOf(known),
        chunkId: yield* HexId.next,
        wallSeconds: 0,
        originalTokenCount: Truncate.tokensOf(excerpt.bytes),
        output: text,
        excerpt,
        ...(rest === undefined ? {} : { rest }),
      }
      return reply
    })

/** Where a command stands, as a reply says it. */
export const stateOf = ({ about, state }: Known): Pick<Reply, "sessionId" | "exitCode" | "failure"> =>
  state.kind === "running"
    ? { sessionId: about.id }
    : state.kind === "exited"
      ? { exitCode: state.exitCode }
      : { failure: state.failure }
