/** `procwire top`: a live table of the processes of a server, with their usage. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import * as Command from "./Command.ts"
import * as Control from "./control/Control.ts"
import * as Usage from "./control/Usage.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import { noServer } from "./server/Unable.ts"
import * as Colours from "./show/Colours.ts"
import * as Filters from "./show/Filters.ts"
import * as Rows from "./show/Rows.ts"
import * as Table from "./show/Table.ts"
import * as Texts from "./show/Texts.ts"
import * as TargetFlags from "./TargetFlags.ts"

export const top = Command.make({
  name: "top",
  summary: "Show what runs and what it uses, live",
  usage: "[OPTIONS]",
  flags: {
    interval: Flags.duration("between two looks, at least 100ms [default: 1s]", "d", {
      millis: 100,
      expected: "at least 100ms",
    }),
    once: Flags.toggle("print one table and end, as it does where stdout is no terminal"),
    filter: Filters.flag("only processes with all of these, as in procwire ps; may be repeated"),
    json: Flags.toggle(
      "with --once: a line of JSON for each: { ref, state, pid, cpuPercent, memoryBytes, … }",
    ),
    ...TargetFlags.flags,
  },
  text: `
CPU is the time of the processor since the last look, 100 for a whole one, and MEM what is in memory, both with all
descendants. They come from /proc of the host of the server, and are - where there is none. What uses most is first.
q or Ctrl-C ends.`,
  examples: [
    "procwire top",
    "procwire top --filter label=team=web",
    "procwire top --once --json | jq .cpuPercent",
  ],
  run: (given) =>
    Effect.gen(function* () {
      const { interval = 1000, json = false, once = false } = given.values
      const filter = Filters.of(given.values.filter)
      const isOnce = once || process.stdout.isTTY !== true
      if (json && !isOnce) return yield* Flags.wrong("--json needs --once")
      const control = yield* Control.open(given)
      const { client } = control
      if (client === undefined) return yield* noServer
      const rows = Effect.map(Control.list(control, filter.asked), (all) =>
        all.filter((row) => Rows.isLive(row) && filter.matches(row)),
      )
      const next = looks(client, rows)
      yield* next
      if (!isOnce) return yield* live(next, interval)
      yield* Effect.sleep(Math.min(interval, 500))
      return yield* Table.print(yield* next, { json }, { columns: columns(Date.now()), toJson })
    }),
})

/** A process, and its usage; undefined is not known. */
interface Line {
  readonly row: ListedProcess
  readonly cpuPercent: number | undefined
  readonly memory: number | undefined
}

type Look = Effect.Effect<ReadonlyArray<Line>, unknown>

/** A look, to be taken again and again: what runs and has been used since the one before, first what uses most. */
const looks = (
  client: Pick<ExecClient.ExecClient, "fs">,
  listed: Effect.Effect<ReadonlyArray<ListedProcess>, unknown>,
): Look => {
  let before = new Map<string, { readonly cpuMillis: number; readonly at: number }>()
  return Effect.gen(function* () {
    const rows = yield* listed
    const used = yield* Effect.forEach(
      rows,
      ({ pid }) => (pid === null ? Effect.succeed(undefined) : Usage.of(client.fs, pid)),
      { concurrency: 8 },
    )
    const at = yield* Clock.currentTimeMillis
    const seen: typeof before = new Map()
    const lines = rows.map((row, index): Line => {
      const now = used[index]
      if (now === undefined) return { row, cpuPercent: undefined, memory: undefined }
      const key = `${row.pid}/${row.startedAtMs}`
      seen.set(key, { cpuMillis: now.cpuMillis, at })
      const last = before.get(key)
      const spent =
        last === undefined ? 0 : Math.max(0, now.cpuMillis - last.cpuMillis) / Math.max(1, at - last.at)
      return { row, cpuPercent: Math.round(spent * 1000) / 10, memory: now.memory }
    })
    before = seen
    return lines.sort((one, other) => (other.cpuPercent ?? -1) - (one.cpuPercent ?? -1))
  })
}

const columns = (now: number): ReadonlyArray<Table.Column<Line>> => {
  const { dim } = Colours.of("stdout")
  return [
    { title: "NAME", text: ({ row }) => Rows.refOf(row), least: 12 },
    { title: "CPU", text: ({ cpuPercent }) => cpuPercent?.toFixed(1) ?? "-", right: true },
    { title: "MEM", text: ({ memory }) => (memory === undefined ? "-" : Texts.bytes(memory)), right: true },
    { title: "AGE", text: ({ row }) => Texts.age(now - row.startedAtMs), right: true },
    { title: "PID", text: ({ row }) => String(row.pid ?? "-"), right: true },
    { title: "OUTPUT", text: ({ row }) => Texts.bytes(row.bytes), right: true },
    { title: "COMMAND", text: ({ row }) => CommandLine.of(row.argv), least: 12, paint: dim },
  ]
}

const toJson = ({ row, cpuPercent, memory }: Line) => ({
  ref: Rows.refOf(row),
  cpuPercent: cpuPercent ?? null,
  memoryBytes: memory ?? null,
  ...row,
})

const q = 0x71

/** On the other screen of the terminal, which is left at any end. */
const live = (next: Look, interval: number) =>
  Effect.gen(function* () {
    const modes = yield* LocalTerminal.modes
    yield* LocalTerminal.rawMode
    const begin = "\u001b[?1049h\u001b[?25l"
    modes.scan(new TextEncoder().encode(begin))
    yield* LocalTerminal.print(begin)
    const left = Stream.runHead(
      Stream.filter(
        LocalTerminal.input,
        (bytes) => bytes.includes(LocalTerminal.controlC) || bytes.includes(q),
      ),
    )
    let shown: ReadonlyArray<Line> = []
    const draw = Effect.suspend(() => LocalTerminal.print(pictureOf(shown)))
    const look = Effect.map(next, (lines) => void (shown = lines))
    const drawing = Effect.forever(Effect.andThen(Effect.andThen(look, draw), Effect.sleep(interval)))
    const redrawing = Stream.runForEach(LocalTerminal.resizes, () => draw)
    yield* Effect.raceFirst(Effect.raceFirst(drawing, redrawing), left)
  })

/** Below so many rows none is left empty. */
const fewRows = 10

const pictureOf = (lines: ReadonlyArray<Line>): string => {
  const { rows, columns: width } = LocalTerminal.size() ?? { rows: 24, columns: 80 }
  const known = lines.filter(({ cpuPercent }) => cpuPercent !== undefined)
  const sum = known.reduce((all, { cpuPercent = 0 }) => all + cpuPercent, 0)
  const memory = known.reduce((all, each) => all + (each.memory ?? 0), 0)
  const used = known.length === 0 ? "" : `, CPU ${sum.toFixed(1)}, MEM ${Texts.bytes(memory)}`
  const head = Table.cut(`${lines.length} processes${used}`, width)
  const table = Table.lines(columns(Date.now()), lines, width).map((line) => line.replace("\n", ""))
  const shown = [head, ...(rows < fewRows ? [] : [""]), ...table].slice(0, rows)
  // A line is cleared in front of its text: behind one of the whole width that would take its last character.
  const text = shown.map((line) => `\u001b[K${line}`).join("\r\n")
  return `\u001b[H${text}${shown.length < rows ? "\r\n\u001b[J" : ""}`
}
