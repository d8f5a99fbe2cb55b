/** `run --secret`: a variable whose value no output has. */
import * as Effect from "effect/Effect"
import * as Lazy from "../../Lazy.ts"
import * as Flags from "../Flags.ts"
import { unable } from "../server/Unable.ts"
import * as Feature from "./Feature.ts"

export const secrets = Feature.make({
  flags: {
    secret: Flags.texts(
      "NAME[=env:VARIABLE|file:PATH]",
      "a variable of the command whose value no output, list or log has: that of this process, of another variable, or " +
        "the text of a file; may be repeated",
    ),
    "secret-hosts": Flags.texts(
      "NAME=HOST[,HOST]",
      "the hosts that alone get a secret, on a server with --egress; may be repeated",
    ),
    "secret-base": Flags.texts(
      "NAME=VARIABLE",
      "a variable for the URL by which they get it; may be repeated",
    ),
  },
  examples: ["procwire run --secret GH_TOKEN -- ./release.sh"],
  read: ({ secret = [], "secret-hosts": hosts = [], "secret-base": bases = [] }) =>
    Effect.gen(function* (): Effect.gen.Return<Feature.ToOptions, Flags.UsageError> {
      if (secret.length + hosts.length + bases.length === 0) return () => Effect.succeed({})
      const secrets = yield* Lazy.use(
        () => import("./SecretValues.ts"),
        ({ read }) => read(secret, hosts, bases),
      )
      const needsHosts = hosts.length > 0
      return ({ processSecrets, processSecretHosts }) => {
        if (processSecrets !== true) return unable(lacking)
        return needsHosts && processSecretHosts !== true ? unable(unguarded) : Effect.succeed({ secrets })
      }
    }),
})

/** An older server would give the value to the command. */
const unguarded = "this server cannot keep a secret to hosts: it has no --egress, or is an older one"

const lacking = "this server masks no secrets: it is an older one, or of another make"
