/** `procwire hold`: the holder of processes, which a server starts that keeps them. People do not use it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import * as Containment from "../process/contain/Containment.ts"
import * as LinuxEvidence from "../process/evidence/LinuxEvidence.ts"
import * as HolderProcess from "../keep/HolderProcess.ts"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import { unable } from "./server/Unable.ts"

export const hold = Command.make({
  name: "hold",
  summary: "Hold the processes of servers that keep them",
  usage: "--folder=PATH [--contain=CHOICE]",
  flags: {
    folder: Flags.text("PATH", "the state folder of the servers"),
    contain: Flags.choice("CHOICE", Containment.choices, "what keeps the descendants of a process together"),
  },
  examples: ["procwire hold --folder=/run/user/1000/procwire"],
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const { contain = "auto", folder } = values
      if (folder === undefined) return yield* Flags.wrong("--folder is missing")
      const built = yield* Layer.build(platform.toSpawner({ contain, mayAdopt: true }))
      yield* Effect.provide(
        HolderProcess.hold(folder, Context.get(built, Spawner)),
        LinuxEvidence.layer(platform.openFfi),
      )
    }).pipe(Effect.mapError((error) => (error instanceof Flags.UsageError ? error : unable(error.message)))),
})
