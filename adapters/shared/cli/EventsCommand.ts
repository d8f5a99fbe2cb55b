/** `procwire events`: starts, restarts, exits and removals of processes, as they come. */
import * as Effect from "effect/Effect"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { noServer } from "./server/Unable.ts"
import * as Changes from "./show/Changes.ts"
import * as Filters from "./show/Filters.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Message from "./words/Message.ts"

/** The pause between two questions to a server that tells no changes. */
const intervalMillis = 500

/** The longest wait of a server that tells them for the next one. */
const waitMillis = 30_000

/** `procwire events`: tells them until it is interrupted, or the server has ended. */
export const events = Command.make({
  name: "events",
  summary: "Tell what starts, is started again, exits and is removed, until Ctrl-C",
  usage: "[OPTIONS]",
  flags: {
    present: Flags.toggle("begin with those that are there"),
    filter: Filters.flag("only of processes with all of these, as in procwire ps; may be repeated"),
    json: Flags.toggle(
      "a line of JSON for each: { time, event, ref, session, processId, name, labels, pid, state, exitCode }",
    ),
    ...TargetFlags.flags,
  },
  text: `
A line for each: its time by the clock of the server, started, restarted, exited or removed, the name of the process,
and its command or its exit code. The server tells each, in order, however short a process lives. An older server is
asked for its list every ${intervalMillis} ms: then all but a start has the time when it was seen, and what lives
shorter may be missed. One that was not kept (run -d keeps) is removed 30 s behind its end.`,
  examples: [
    "procwire events",
    "procwire events --json --filter label=team=web",
    `procwire events --json | jq -r 'select(.event == "exited") | .ref'`,
  ],
  run: (given) =>
    Effect.gen(function* () {
      const { json, present } = given.values
      const filter = Filters.of(given.values.filter)
      const control = yield* Control.open(given)
      if (control.client === undefined) return yield* noServer
      const { client } = control
      const listed = Effect.map(Control.list(control), (rows) => rows.filter(filter.matches))
      const tell = (changes: ReadonlyArray<Changes.Change>) => {
        const { states } = filter.asked
        const told = changes.filter(({ row }) => states === undefined || states.includes(row.state))
        const lineOf = json === true ? Changes.jsonOf : Changes.lineOf
        return LocalTerminal.print(told.map((change) => `${lineOf(change)}\n`).join(""))
      }
      const begin = (rows: Rows) =>
        present === true
          ? tell(rows.map((row) => ({ kind: "present", at: row.startedAtMs, row })))
          : Effect.void
      const { processChanges = false } = client.environmentInfo.capabilities ?? {}
      return yield* processChanges
        ? follow(client, listed, filter.matches, begin, tell)
        : poll(listed, begin, tell)
    }),
})

type Rows = ReadonlyArray<ListedProcess>
type Tell<A> = (of: ReadonlyArray<A>) => Effect.Effect<void, LocalTerminal.OutputFailed>

/** Looks for what has changed since the last look. */
const poll = <E, R>(
  listed: Effect.Effect<Rows, E, R>,
  begin: Tell<ListedProcess>,
  tell: Tell<Changes.Change>,
) =>
  Effect.gen(function* () {
    let before = yield* listed
    yield* begin(before)
    for (;;) {
      yield* Effect.sleep(intervalMillis)
      const after = yield* listed
      yield* tell(Changes.between(before, after, Date.now()))
      before = after
    }
  })

/** Takes what the server tells. A change that the list has already has changed nothing. */
const follow = <E, R>(
  client: ExecClient.ExecClient,
  listed: Effect.Effect<Rows, E, R>,
  matches: (row: ListedProcess) => boolean,
  begin: Tell<ListedProcess>,
  tell: Tell<Changes.Change>,
) =>
  Effect.gen(function* () {
    const { processListAll = false } = client.environmentInfo.capabilities ?? {}
    const sessions = processListAll ? "all" : "own"
    // The start of one that is starting is told when it has succeeded.
    const started = Effect.map(listed, (rows) => rows.filter(({ state }) => state !== "starting"))
    let { nextSeq } = yield* client.call("process/changes", { sessions })
    let before: Rows = yield* started
    yield* begin(before)
    for (;;) {
      const params = { sessions, afterSeq: nextSeq - 1, waitMs: waitMillis } as const
      const answer = yield* client.call("process/changes", params)
      nextSeq = answer.nextSeq
      for (const change of answer.changes) {
        if (!matches(change.process)) continue
        const after = Changes.after(before, change)
        yield* tell(Changes.between(before, after, change.atMs))
        before = after
      }
      if (answer.missed !== true) continue
      yield* LocalTerminal.print(missed, "stderr")
      const after = yield* started
      yield* tell(Changes.between(before, after, Date.now()))
      before = after
    }
  })

const missed = Message.line("more has happened than the server keeps; what was short is missed")
