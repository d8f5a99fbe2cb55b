/** `procwire ps` and `procwire inspect`: the processes of a server, as a table that fits the terminal, or as JSON. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import type { Platform } from "../Platform.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import { features } from "./features/Features.ts"
import * as Flags from "./Flags.ts"
import * as HostFlags from "./HostFlags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import * as LostProcesses from "./server/LostProcesses.ts"
import * as Colours from "./show/Colours.ts"
import * as Filters from "./show/Filters.ts"
import * as Rows from "./show/Rows.ts"
import * as Table from "./show/Table.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as Message from "./words/Message.ts"

const more = features.flatMap(({ columnsHelp = [] }) => columnsHelp).join(" ")

export const ps = Command.make({
  name: "ps",
  summary: "List the processes of a server",
  usage: "[OPTIONS]",
  flags: {
    all: Flags.toggle("also those that have ended", "a"),
    "all-states": Flags.toggle(
      "as --all, with those that a server has left and none has taken over; no server is started",
    ),
    filter: Filters.flag(
      "only those with all of these: name= (a part of it), label=K=V or label=K, state=, session=, exit=; may be repeated",
    ),
    quiet: Flags.toggle("names only", "q"),
    json: Flags.toggle(
      "a line of JSON for each: what process/list tells, and its ref; the state may also be stopped",
    ),
    "no-trunc": Flags.toggle("do not cut what is wider than the terminal"),
    ...HostFlags.flags,
  },
  text: `
The server is the one of --server, else of the variable ${TargetFlags.variable}, else of the context in use, else
your own.
AGE is the time since the start, END that since the end. ${more}
A process that SIGSTOP or SIGTSTP has stopped is shown as stopped, where the server runs on Linux and shows its /proc.
With -a there are also those of your own server that has died last, for a day; procwire logs shows what is left of them.
With --all-states there are also those that a holder has and no server, of your own server and of procwire serve --keep
without --keep-dir: they run (left, no server), or have ended and nobody has read their exit code (ended, unread). The
next server takes them over; procwire gc ends them.
Other commands take the name of a process; one that has none is called by its place, as in 3/abc. Of several hosts, -q
prints the host, a tab and the name. Where the scope of this client hides the processes of others, a line on stderr says
so. A host that does not answer is a line on stderr, and the exit code is 1.`,
  examples: [
    "procwire ps",
    "procwire ps -a --filter label=team=web --filter state=running",
    "procwire ps -aq --filter state=closed | xargs -r procwire rm",
    "procwire ps --host build --host ci",
    "procwire ps --json | jq -r .argv[0]",
  ],
  run: ({ platform, values }) =>
    Effect.gen(function* () {
      const filter = Filters.of(values.filter)
      const asked = yield* HostFlags.read(values)
      const isWhole = values["all-states"] === true
      const all = values.all === true || isWhole
      if ("several" in asked) {
        const question = (client: ExecClient.ExecClient | undefined) =>
          client === undefined ? Effect.succeed(none) : listed(client, all, filter)
        const answers = yield* HostFlags.ask(asked.several, "procwire-ps", question)
        const found = answers.flatMap(({ answer, host }) =>
          Result.isFailure(answer) ? [] : answer.success.rows.map((row) => ({ host, ...row })),
        )
        for (const { answer, host } of answers)
          if (Result.isSuccess(answer) && answer.success.hides) Message.say(`${host}: ${hidden}`)
        yield* print(found, values)
        return HostFlags.sayFailures(answers)
      }
      const target = yield* TargetFlags.read(asked.one, { own: true })
      const reached = yield* isWhole ? Access.existing(target) : Access.existing(target, platform)
      const options = { clientName: "procwire-ps", heartbeat: false } as const
      const lost = "own" in target ? yield* lostOf(all, filter) : []
      const left = isWhole && "own" in target ? yield* leftOf(platform, filter) : []
      const found =
        reached === undefined ? none : yield* listed(yield* Access.connect(reached, options), all, filter)
      if (found.hides) Message.say(hidden)
      const rows = [
        ...lost.filter((row) => ![...left, ...found.rows].some((other) => isSame(row, other))),
        ...left,
        ...found.rows,
      ]
      yield* print(rows, values)
      if (rows.length === 0 && !found.hides && process.stderr.isTTY && process.stdout.isTTY)
        process.stderr.write(
          "nothing runs; procwire run -d -- COMMAND starts something, ps -a has what ended\n",
        )
      return 0
    }),
})

/** The list of one server, and whether it hides the processes of other clients. */
interface Listed {
  readonly rows: ReadonlyArray<Rows.Seen>
  readonly hides: boolean
}

const none: Listed = { rows: [], hides: false }

/** An empty list would say that nothing runs. */
const hidden =
  "the server hides the processes of other clients: a token with the scope observe shows them, or " +
  "a server with --scope observe"

const listed = (client: ExecClient.ExecClient, all: boolean, filter: Filters.Filter) =>
  Effect.gen(function* () {
    yield* Access.need(client, "processList", Access.listsNothing)
    const found = yield* Control.list({ client }, filter.asked)
    const wanted = (row: ListedProcess) =>
      (all || filter.asked.states !== undefined || Rows.isLive(row)) && filter.matches(row)
    const rows = yield* Control.seen(client, found.filter(wanted))
    return { rows, hides: Access.sessionsOf(client) === "own" }
  })

/** Those of a server of one's own that has died, among those that have ended. */
const lostOf = (all: boolean, { asked: { states }, matches }: Filters.Filter) =>
  (states?.includes("closed") ?? all)
    ? Effect.map(LostProcesses.list(process.env), (rows) => rows.filter(matches))
    : Effect.succeed([])

/** True for one that has outlived the server that has died. */
const isSame = (one: ListedProcess, other: ListedProcess) =>
  one.processId === other.processId && one.startedAtMs === other.startedAtMs

/** Those that no server has, of the states that were asked for. */
const leftOf = (platform: Platform, { asked: { states }, matches }: Filters.Filter) =>
  Effect.gen(function* () {
    const { find } = yield* Effect.promise(() => import("./server/LeftProcesses.ts"))
    const found = yield* Effect.scoped(find(platform))
    return found.map(({ row }) => row).filter((row) => (states?.includes(row.state) ?? true) && matches(row))
  })

/** A process, and where it is if several hosts were asked. */
type Row = Rows.Seen & { readonly host?: string }

const print = (rows: ReadonlyArray<Row>, shown: Table.Shown) => {
  const now = Date.now()
  const more = features.flatMap(({ columns }) => columns?.(rows, now) ?? [])
  const usual = Rows.columns(now, Colours.of("stdout"), rows, more)
  const isSeveral = rows.some(({ host }) => host !== undefined)
  return Table.print(rows, shown, {
    columns: isSeveral ? [{ title: "HOST", text: ({ host = "" }) => host, least: 8 }, ...usual] : usual,
    toJson: (row) => ({ ref: Rows.refOf(row), ...Rows.toJson(row) }),
    toName: (row) => `${row.host === undefined ? "" : `${row.host}\t`}${Rows.refOf(row)}`,
  })
}

export const inspect = Command.make({
  name: "inspect",
  summary: "Show all that the server tells of processes, as JSON",
  usage: "[OPTIONS] NAME…",
  flags: { json: Flags.toggle("one line for each"), ...TargetFlags.flags },
  operands: "process",
  examples: ["procwire inspect web", "procwire inspect --json web | jq .pid"],
  run: (given) =>
    Control.eachNamed(given, (row, client) =>
      Effect.gen(function* () {
        const [seen = row] = yield* Control.seen(client, [row])
        const facts = { ref: Rows.refOf(row), ...Rows.toJson(seen), directory: Rows.cwdOf(row) }
        const indent = given.values.json === true ? undefined : 2
        yield* LocalTerminal.print(`${JSON.stringify(facts, undefined, indent)}\n`)
      }),
    ),
})
