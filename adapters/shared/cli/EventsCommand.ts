/** `procwire events`: starts, restarts, exits and removals of processes, as they come. */
import * as Effect from "effect/Effect"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { Platform } from "../Platform.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { noServer } from "./server/Unable.ts"
import * as Changes from "./show/Changes.ts"
import * as Filters from "./show/Filters.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire events"

/** How often the server is asked. */
const intervalMillis = 500

const flags = {
  present: { type: "boolean", help: "begin with those that are there" },
  filter: {
    type: "string",
    short: "f",
    multiple: true,
    shows: "KEY=VALUE",
    help: "only of processes with all of these, as in procwire ps; may be repeated",
    completes: Filters.keys.map((key) => `${key}=`),
  },
  json: {
    type: "boolean",
    help: "a line of JSON for each: { time, event, ref, session, processId, name, labels, pid, state, exitCode }",
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "events",
  summary: "Tell what starts, is started again, exits and is removed, until Ctrl-C",
  usage: "[OPTIONS]",
  flags,
  text: `
A line for each: its time, started, restarted, exited or removed, the name of the process, and its command or its exit
code. The list of the server is asked for every ${intervalMillis} ms: a start has the time of the server, all else that
when it was seen, and nothing is missed that the server still lists then. One that was not kept (run -d keeps) is
removed 30 s behind its end.`,
  examples: [
    "procwire events",
    "procwire events --json --filter label=team=web",
    `procwire events --json | jq -r 'select(.event == "exited") | .ref'`,
  ],
}

/** Tells them until it is interrupted, or the server has ended. */
export const events = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const values = yield* Flags.parse(command, args, flags)
    const filter = yield* Filters.read(command, values.filter)
    const control = yield* Control.open(command, values)
    if (control.client === undefined) return yield* noServer
    const listed = Effect.map(Control.list(control), (rows) => rows.filter(filter.matches))
    const tell = (changes: ReadonlyArray<Changes.Change>) => {
      const { states } = filter.asked
      const told = changes.filter(({ row }) => states === undefined || states.includes(row.state))
      const lineOf = values.json === true ? Changes.jsonOf : Changes.lineOf
      const text = told.map((change) => `${lineOf(change)}\n`).join("")
      return LocalTerminal.write("stdout", new TextEncoder().encode(text))
    }
    let before: ReadonlyArray<ListedProcess> = yield* listed
    if (values.present === true)
      yield* tell(before.map((row) => ({ kind: "present", at: row.startedAtMs, row })))
    for (;;) {
      yield* Effect.sleep(intervalMillis)
      const after = yield* listed
      yield* tell(Changes.between(before, after, Date.now()))
      before = after
    }
  }).pipe(Effect.scoped)
