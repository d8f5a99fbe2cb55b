/** Answers to questions that programs ask their terminal, on the server. */
import * as Effect from "effect/Effect"
import * as ErrorText from "../../protocol/ErrorText.ts"
import type { Stateful } from "../Feature.ts"
import * as Late from "../Late.ts"
import type { answers as wire } from "./wire.ts"

const code = Late.make(() => import("./Answers.ts"))

export const answers: Stateful<typeof wire> = ({ pictures }) =>
  Effect.succeed({
    code,
    announces: ({ spawner }) => ({ processAnswers: spawner.pty }),
    fault: (params) =>
      params.answers === true && params.tty !== true ? ErrorText.of("noTerminal") : undefined,
    extend: (params) =>
      params.answers === true
        ? ({ process }, { fork }) => {
            const { Answers } = code.get()
            const answers = new Answers(process, pictures, fork)
            return {
              events: (events) => answers.around(events),
              run: Effect.sync(() => answers.begin()),
            }
          }
        : undefined,
  })
