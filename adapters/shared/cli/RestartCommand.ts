/** `procwire restart`: ends processes, one after the other, and starts them again as they were started. */
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import { restartsNothing } from "./features/Restart.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as Rows from "./show/Rows.ts"
import * as TargetFlags from "./TargetFlags.ts"

export const restart = Command.make({
  name: "restart",
  summary: "End processes, and start them again with the same command, directory, variables and labels",
  usage: "[OPTIONS] NAME…",
  flags: {
    grace: Flags.duration("from SIGTERM to the SIGKILL of what is left of it [default: that of run, or 5s]"),
    json: Flags.toggle("print { name, session, processId } instead of the name"),
    ...TargetFlags.flags,
  },
  operands: "process",
  text: `
It prints the names when they run again, which is when nothing is left of what ran before. The output goes on where it
was, and those who are attached stay. One that has ended already begins anew, with an empty output. Processes of run -d
can be restarted; those of other clients if their start has asked for it.`,
  examples: ["procwire restart web", "procwire restart --grace 30s web db"],
  run: (given) =>
    Control.eachNamed(given, (row, client) =>
      Effect.gen(function* () {
        const { grace: graceMs, json = false } = given.values
        yield* Access.need(client, "processRestart", restartsNothing)
        const child = yield* Control.act(client, row)
        yield* child.restart(graceMs === undefined ? {} : { graceMs })
        yield* Effect.ignore(child.detach)
        const { name, session, processId } = row
        const text = json ? JSON.stringify({ name, session, processId }) : Rows.refOf(row)
        yield* LocalTerminal.print(`${text}\n`)
      }),
    ),
})
