/** `procwire rm` and `procwire prune`: remove processes that have ended, with their output. */
import * as Effect from "effect/Effect"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Join from "./control/Join.ts"
import * as Operands from "./control/Operands.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { Unable } from "./server/Unable.ts"
import * as Filters from "./show/Filters.ts"
import * as Rows from "./show/Rows.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const flags = {
  force: { type: "boolean", short: "f", help: "kill those that run" },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "rm",
  summary: "Remove processes that have ended, with their output",
  usage: "[OPTIONS] NAME…",
  flags,
  operands: "process",
  text: "It prints the names of those that it has removed. One that runs is an error without --force.",
  examples: [
    "procwire rm web",
    "procwire rm -f web db",
    "procwire ps -aq --filter exit=0 | xargs -r procwire rm",
  ],
}

const print = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(`${text}\n`))

/** Removes them. */
export const rm = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const command = "procwire rm"
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const refs = yield* Operands.some(command, operands)
    const control = yield* Control.open(command, values)
    return yield* Control.each(control, refs, (row, client) =>
      Rows.isLive(row) && values.force !== true ? runs(row) : remove(client, row),
    )
  }).pipe(Effect.scoped)

const runs = (row: ListedProcess) => {
  const ref = Rows.refOf(row)
  return new Unable({ message: `${ref} runs: end it with procwire kill ${ref}, or give --force` })
}

/** Completes when it has closed, and is forgotten. */
export const remove = (client: ExecClient.ExecClient, row: ListedProcess) =>
  Effect.gen(function* () {
    const process = yield* Join.act(client, row)
    yield* process.end({ signal: "SIGKILL", graceMs: 0, remove: true })
    // One that was closed when it was listed is told of no more.
    if (row.state !== "closed") yield* Effect.exit(process.closed)
    yield* print(Rows.refOf(row))
  })

const pruneFlags = {
  filter: {
    type: "string",
    short: "f",
    multiple: true,
    shows: "KEY=VALUE",
    help: "only those with all of these, as in procwire ps; may be repeated",
    completes: Filters.keys.map((key) => `${key}=`),
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const pruneSpec: Spec = {
  name: "prune",
  summary: "Remove all processes that have ended, with their output",
  usage: "[OPTIONS]",
  flags: pruneFlags,
  text: "It prints the names of those that it has removed. Those that run stay.",
  examples: ["procwire prune", "procwire prune --filter label=team=web"],
}

/** Removes all that have ended. */
export const prune = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const command = "procwire prune"
    const values = yield* Flags.parse(command, args, pruneFlags)
    const { matches } = yield* Filters.read(command, values.filter)
    const control = yield* Control.open(command, values)
    const rows = (yield* Control.list(control, { states: ["closed"] })).filter(matches)
    const places = rows.map(({ session, processId }) => `${session}/${processId}`)
    return yield* Control.each(control, places, (row, client) => remove(client, row))
  }).pipe(Effect.scoped)
