/** `procwire netns`: makes network namespaces for a server that has egress rules. People do not use it. */
import * as Effect from "effect/Effect"
import * as Mint from "../egress/namespace/Mint.ts"
import * as Command from "./Command.ts"
import { unable } from "./server/Unable.ts"

export const netns = Command.make({
  name: "netns",
  summary: "Make network namespaces for the server that has started this",
  usage: "",
  flags: {},
  examples: ["procwire netns"],
  run: ({ platform }) =>
    Effect.try({
      try: () => Mint.serve(platform.openFfi()),
      catch: (error) => unable(error instanceof Error ? error.message : String(error)),
    }),
})
