/** `run --answers`: the server answers what a command asks its terminal. */
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { unable } from "../server/Unable.ts"
import * as Feature from "./Feature.ts"

export const answers = Feature.make({
  flags: {
    answers: Flags.toggle(
      "with --detach and --tty: answer what the command asks its terminal (DA1, CPR) while nobody is attached",
    ),
  },
  read: ({ answers }, { detach, tty }) => {
    if (answers !== true) return Effect.succeed(() => Effect.succeed({}))
    const missing = [...(detach ? [] : ["--detach"]), ...(tty ? [] : ["--tty"])]
    if (missing.length > 0) return Flags.wrong(`--answers needs ${missing.join(" and ")}`)
    return Effect.succeed(({ processAnswers }) =>
      processAnswers === true ? Effect.succeed({ answers }) : unable(lacking),
    )
  },
})

const lacking = "this server does not answer for terminals: leave --answers out, or use a newer one"
