/** `procwire gc`: ends processes that no server has. */
import * as Effect from "effect/Effect"
import * as Command from "./Command.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as LeftProcesses from "./server/LeftProcesses.ts"
import * as Rows from "./show/Rows.ts"

export const gc = Command.make({
  name: "gc",
  summary: "End the processes that a server has left and none has taken over",
  usage: "[OPTIONS]",
  flags: {
    "dry-run": Flags.toggle("end nothing: print what would be ended"),
    json: Flags.toggle("print a line of JSON for each, as ps --all-states --json does"),
    quiet: Flags.toggle("print nothing", "q"),
  },
  text: `
They are those of your own server, and of procwire serve --keep without --keep-dir, that was killed or has ended: a
holder has them until the next server takes them over, or for a day. They are killed (SIGKILL), and what they printed
and their exit codes are gone. It prints the name of each. Processes of a server that runs are left alone.

Exit code: 0, also where there is nothing to end; 1 if a holder cannot be asked; 2 for wrong use.`,
  examples: ["procwire ps --all-states", "procwire gc --dry-run", "procwire gc"],
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const found = yield* LeftProcesses.find(platform)
      if (values["dry-run"] !== true) yield* Effect.forEach(found, ({ end }) => end, { discard: true })
      if (values.quiet === true) return
      const lines = found.map(({ row }) =>
        values.json === true
          ? JSON.stringify({ ref: Rows.refOf(row), ...Rows.toJson(row) })
          : Rows.refOf(row),
      )
      yield* LocalTerminal.print(lines.map((line) => `${line}\n`).join(""))
    }),
})
