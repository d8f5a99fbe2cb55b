/** `procwire inspect`: all that a server tells of processes. */
import * as Effect from "effect/Effect"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Rows from "./show/Rows.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire inspect"

const flags = {
  json: { type: "boolean", help: "one line for each" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "inspect",
  summary: "Show all that the server tells of processes, as JSON",
  usage: "[OPTIONS] NAME…",
  flags,
  operands: "process",
  examples: ["procwire inspect web", "procwire inspect --json web | jq .pid"],
}

/** Prints it. */
export const inspect = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const refs = yield* Operands.some(command, operands)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, refs, (row, client) =>
      Effect.gen(function* () {
        const [seen = row] = yield* Control.seen(client, [row])
        const told = { ref: Rows.refOf(row), ...Rows.toJson(seen), directory: Rows.cwdOf(row) }
        const text = values.json === true ? JSON.stringify(told) : JSON.stringify(told, undefined, 2)
        yield* LocalTerminal.write("stdout", new TextEncoder().encode(`${text}\n`))
      }),
    )
  }).pipe(Effect.scoped)
