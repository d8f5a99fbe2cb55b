/** `run --secret`: a variable whose value no output has. */
import * as Effect from "effect/Effect"
import * as Lazy from "../../Lazy.ts"
import * as Flags from "../Flags.ts"
import { Unable } from "../server/Unable.ts"
import * as Feature from "./Feature.ts"

export const secrets = Feature.make({
  flags: {
    secret: Flags.texts(
      "NAME[=env:VARIABLE|file:PATH]",
      "a variable of the command whose value no output, list or log has: that of this process, of another variable, or " +
        "the text of a file; may be repeated",
    ),
  },
  examples: ["procwire run --secret GH_TOKEN -- ./release.sh"],
  read: ({ secret = [] }) =>
    Effect.gen(function* (): Effect.gen.Return<Feature.ToOptions, Flags.UsageError> {
      if (secret.length === 0) return () => Effect.succeed({})
      const secrets = yield* Lazy.use(
        () => import("./SecretValues.ts"),
        ({ read }) => read(secret),
      )
      return ({ processSecrets }) =>
        processSecrets === true ? Effect.succeed({ secrets }) : new Unable({ message: lacking })
    }),
})

const lacking = "this server masks no secrets: it is an older one, or of another make"
