/** `procwire restart`: ends processes, and starts them again as they were started. */
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as Rows from "./show/Rows.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire restart"

const flags = {
  grace: {
    type: "string",
    shows: "DURATION",
    help: "from SIGTERM to the SIGKILL of what is left of it [default: that of run, or 5s]",
  },
  json: { type: "boolean", help: "print { name, session, processId } instead of the name" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "restart",
  summary: "End processes, and start them again with the same command, directory, variables and labels",
  usage: "[OPTIONS] NAME…",
  flags,
  operands: "process",
  text: `
It prints the names when they run again, which is when nothing is left of what ran before. The output goes on where it
was, and those who are attached stay. One that has ended already begins anew, with an empty output. Processes of run -d
can be restarted; those of other clients if their start has asked for it.`,
  examples: ["procwire restart web", "procwire restart --grace 30s web db"],
}

/** Restarts them, one after the other. */
export const restart = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const refs = yield* Operands.some(command, operands)
    const graceMs =
      values.grace === undefined ? undefined : yield* Flags.duration(command, "--grace", values.grace)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, refs, (row, client) =>
      Effect.gen(function* () {
        yield* Access.need(client, "processRestart", Access.restartsNothing)
        const process = yield* Join.act(client, row)
        yield* process.restart(graceMs === undefined ? {} : { graceMs })
        yield* Effect.ignore(process.detach)
        const { name, session, processId } = row
        const told = values.json === true ? JSON.stringify({ name, session, processId }) : Rows.refOf(row)
        yield* LocalTerminal.write("stdout", new TextEncoder().encode(`${told}\n`))
      }),
    )
  }).pipe(Effect.scoped)
