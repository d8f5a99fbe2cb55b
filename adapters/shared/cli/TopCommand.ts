/** `procwire top`: a live table of the processes of a server, with what they use. */
import process from "node:process"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { ListedProcess } from "../../../core/client/Lists.ts"
import * as CommandLine from "../../../core/protocol/CommandLine.ts"
import type { Platform } from "../Platform.ts"
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
import * as Width from "./show/Width.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire top"

const flags = {
  interval: {
    type: "string",
    short: "d",
    shows: "DURATION",
    help: "between two looks, at least 100ms [default: 1s]",
  },
  once: { type: "boolean", help: "print one table and end, as it does where stdout is no terminal" },
  filter: {
    type: "string",
    short: "f",
    multiple: true,
    shows: "KEY=VALUE",
    help: "only processes with all of these, as in procwire ps; may be repeated",
    completes: Filters.keys.map((key) => `${key}=`),
  },
  json: {
    type: "boolean",
    help: "with --once: a line of JSON for each: { ref, state, pid, cpuPercent, memoryBytes, … }",
  },
  ...TargetFlags.flags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "top",
  summary: "Show what runs and what it uses, live",
  usage: "[OPTIONS]",
  flags,
  text: `
CPU is the time of the processor since the last look, 100 for a whole one, and MEM what is in memory, both with all
descendants. They come from /proc of the host of the server, and are - where there is none. What uses most is first.
q or Ctrl-C ends.`,
  examples: [
    "procwire top",
    "procwire top --filter label=team=web",
    "procwire top --once --json | jq .cpuPercent",
  ],
}

/** A process, and what it uses; undefined is not known. */
interface Line {
  readonly row: ListedProcess
  readonly cpuPercent: number | undefined
  readonly memory: number | undefined
}

/** Shows it until it is left. */
export const top = (_: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const values = yield* Flags.parse(command, args, flags)
    const filter = yield* Filters.read(command, values.filter)
    const wrong = (message: string) => new Flags.UsageError({ command, message })
    const interval = yield* Flags.duration(command, "--interval", values.interval ?? "1s")
    if (interval < 100)
      return yield* wrong(`invalid value '${values.interval}' for '--interval': at least 100ms`)
    const once = values.once === true || process.stdout.isTTY !== true
    if (values.json === true && !once) return yield* wrong("--json needs --once")
    const control = yield* Control.open(command, values)
    const { client } = control
    if (client === undefined) return yield* noServer
    const rows = Effect.map(Control.list(control, filter.asked), (all) =>
      all.filter((row) => Rows.isLive(row) && filter.matches(row)),
    )
    const looks = new Looks(client, rows)
    yield* looks.next
    if (once) {
      yield* Effect.sleep(Math.min(interval, 500))
      return yield* print(yield* looks.next, values.json === true)
    }
    return yield* live(looks, interval)
  }).pipe(Effect.scoped)

/** What is used between two looks. */
class Looks {
  private readonly client: Pick<ExecClient.ExecClient, "fs">
  private readonly rows: Effect.Effect<ReadonlyArray<ListedProcess>, unknown>
  private before = new Map<string, { readonly cpuMillis: number; readonly at: number }>()

  constructor(client: Looks["client"], rows: Looks["rows"]) {
    ;[this.client, this.rows] = [client, rows]
  }

  /** What runs now, first of all what uses most. */
  readonly next = Effect.gen(this, function* () {
    const rows = yield* this.rows
    const used = yield* Effect.forEach(
      rows,
      ({ pid }) => (pid === null ? Effect.succeed(undefined) : Usage.of(this.client.fs, pid)),
      { concurrency: 8 },
    )
    const at = yield* Clock.currentTimeMillis
    const { before } = this
    this.before = new Map()
    const lines = rows.map((row, index): Line => {
      const now = used[index]
      if (now === undefined) return { row, cpuPercent: undefined, memory: undefined }
      const key = `${row.pid}/${row.startedAtMs}`
      this.before.set(key, { cpuMillis: now.cpuMillis, at })
      const last = before.get(key)
      const spent =
        last === undefined ? 0 : Math.max(0, now.cpuMillis - last.cpuMillis) / Math.max(1, at - last.at)
      return { row, cpuPercent: Math.round(spent * 1000) / 10, memory: now.memory }
    })
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

const write = (text: string) => LocalTerminal.write("stdout", new TextEncoder().encode(text))

const print = (lines: ReadonlyArray<Line>, json: boolean) => {
  const toJson = ({ row, cpuPercent, memory }: Line) =>
    JSON.stringify({
      ref: Rows.refOf(row),
      cpuPercent: cpuPercent ?? null,
      memoryBytes: memory ?? null,
      ...row,
    })
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : undefined
  const text = json
    ? lines.map((line) => `${toJson(line)}\n`)
    : Table.lines(columns(Date.now()), lines, width)
  return Effect.as(write(text.join("")), 0)
}

const [controlC, q] = [3, 0x71]

/** On the other screen of the terminal, which is left at any end. */
const live = (looks: Looks, interval: number) =>
  Effect.gen(function* () {
    const modes = yield* LocalTerminal.modes
    yield* LocalTerminal.rawMode
    const begin = "\u001b[?1049h\u001b[?25l"
    modes.scan(new TextEncoder().encode(begin))
    yield* write(begin)
    const left = Stream.runHead(
      Stream.filter(LocalTerminal.input, (bytes) => bytes.includes(controlC) || bytes.includes(q)),
    )
    let shown: ReadonlyArray<Line> = []
    const draw = Effect.suspend(() => write(pictureOf(shown)))
    const look = Effect.map(looks.next, (lines) => void (shown = lines))
    const drawing = Effect.forever(Effect.zipRight(Effect.zipRight(look, draw), Effect.sleep(interval)))
    const redrawing = Stream.runForEach(LocalTerminal.resizes, () => draw)
    yield* Effect.raceFirst(Effect.raceFirst(drawing, redrawing), left)
    return 0
  })

/** Below so many rows none is left empty. */
const fewRows = 10

const pictureOf = (lines: ReadonlyArray<Line>): string => {
  const { rows, columns: width } = LocalTerminal.size() ?? { rows: 24, columns: 80 }
  const known = lines.filter(({ cpuPercent }) => cpuPercent !== undefined)
  const sum = known.reduce((all, { cpuPercent = 0 }) => all + cpuPercent, 0)
  const memory = known.reduce((all, each) => all + (each.memory ?? 0), 0)
  const used = known.length === 0 ? "" : `, CPU ${sum.toFixed(1)}, MEM ${Texts.bytes(memory)}`
  const head = Width.cut(`${lines.length} processes${used}`, width)
  const table = Table.lines(columns(Date.now()), lines, width).map((line) => line.replace("\n", ""))
  const shown = [head, ...(rows < fewRows ? [] : [""]), ...table].slice(0, rows)
  // A line is cleared in front of its text: behind one of the whole width that would take its last character.
  const text = shown.map((line) => `\u001b[K${line}`).join("\r\n")
  return `\u001b[H${text}${shown.length < rows ? "\r\n\u001b[J" : ""}`
}
