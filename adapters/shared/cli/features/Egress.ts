/** `run --egress` and `--egress-ask`: fewer hosts for a command than the server allows, and questions about others. */
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { unable } from "../server/Unable.ts"
import * as Feature from "./Feature.ts"

export const egress = Feature.make({
  flags: {
    egress: Flags.texts(
      "RULES",
      "the hosts that the command may reach, of those that the server allows, as in allow:x.org:443,*.y.org; may be repeated",
    ),
    "egress-ask": Flags.toggle(
      "ask at this terminal about hosts that the rules ask about; stdin is empty then",
    ),
  },
  examples: ["procwire run --egress allow:packages.example.org:443 -- npm ci"],
  read: ({ egress = [], "egress-ask": egressAsk = false }, { detach, tty }) => {
    if (egressAsk && (detach || tty))
      return Flags.wrong("--egress-ask needs this terminal: no --detach, no --tty")
    return Effect.succeed((capabilities) => {
      if (egress.length === 0 && !egressAsk) return Effect.succeed({})
      return capabilities.processEgress === true
        ? Effect.succeed({ ...(egress.length === 0 ? {} : { egress }), ...(egressAsk ? { egressAsk } : {}) })
        : unable(lacking)
    })
  },
})

const lacking =
  "this server keeps no process to rules for hosts: it needs --confine without a network, and --egress"
