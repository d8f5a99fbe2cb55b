/** `run --egress`: fewer hosts for a command than the server allows. */
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { Unable } from "../server/Unable.ts"
import * as Feature from "./Feature.ts"

export const egress = Feature.make({
  flags: {
    egress: Flags.texts(
      "RULES",
      "the hosts that the command may reach, of those that the server allows, as in allow:x.org:443,*.y.org; may be repeated",
    ),
  },
  examples: ["procwire run --egress allow:packages.example.org:443 -- npm ci"],
  read: ({ egress = [] }) =>
    Effect.succeed((capabilities) => {
      if (egress.length === 0) return Effect.succeed({})
      return capabilities.processEgress === true
        ? Effect.succeed({ egress })
        : new Unable({ message: lacking })
    }),
})

const lacking =
  "this server keeps no process to rules for hosts: it needs --confine without a network, and --egress"
