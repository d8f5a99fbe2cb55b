import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { ListedProcess } from "../../../../core/client/Lists.ts"
import * as EventsCommand from "../EventsCommand.ts"
import * as Filters from "./Filters.ts"
import * as Rows from "./Rows.ts"
import * as Table from "./Table.ts"
import * as Texts from "./Texts.ts"

const row: ListedProcess = {
  processId: "a",
  session: 3,
  attached: false,
  labels: { team: "web", plain: "" },
  argv: ["npm", "run", "dev server"],
  cwd: "file:///tmp",
  pid: 42,
  tty: false,
  startedAtMs: 0,
  state: "running",
  exitCode: null,
  bytes: 10,
  nextSeq: 2,
}

describe("a table", () => {
  const columns: ReadonlyArray<Table.Column<readonly [string, string]>> = [
    { title: "A", text: ([a]) => a, least: 3 },
    { title: "NUMBER", text: ([, b]) => b, right: true },
  ]

  it("is as wide as its texts where it may be", () => {
    expect(
      Table.lines(columns, [
        ["one", "1"],
        ["seventeen", "200"],
      ]),
    ).toEqual(["A          NUMBER\n", "one             1\n", "seventeen     200\n"])
  })

  it("never is wider than the terminal: where nothing may shrink further, it is cut at the edge", () => {
    for (let width = 1; width < 30; width++)
      for (const line of Table.lines(columns, [["a long text that is cut", "1"]], width))
        expect(Table.widthOf(line.trimEnd())).toBeLessThanOrEqual(width)
    expect(Table.lines(columns, [["abcdefgh", "1"]], 5)).toEqual(["A\n", "ab…\n"])
    expect(Table.lines(columns, [["abcdefgh", "1"]], 8)).toEqual(["A    NU…\n", "ab…    1\n"])
  })

  it("counts wide and combining characters as a terminal does", () => {
    expect([
      Table.widthOf("日本"),
      Table.widthOf("e\u0301"),
      Table.widthOf("🙂"),
      Table.widthOf("abc"),
    ]).toEqual([4, 1, 2, 3])
    expect(Table.cut("日本語", 5)).toBe("日本…")
    expect(Table.cut("日本語", 4)).toBe("日…")
  })

  it("shows control characters, which would move the cursor, as escapes", () => {
    expect(Table.lines([{ title: "X", text: (text: string) => text }], ["a\n\u001b[2Jb\u009b"])).toEqual([
      "X\n",
      "a\\n\\x1b[2Jb\\x9b\n",
    ])
  })
})

describe("texts", () => {
  it("name a span of time by its largest unit", () => {
    expect([-5, 0, 59_999, 60_000, 3_600_000, 47 * 3_600_000, 48 * 3_600_000].map(Texts.age)).toEqual([
      "0s",
      "0s",
      "59s",
      "1m",
      "1h",
      "47h",
      "2d",
    ])
  })

  it("name bytes with a unit", () => {
    expect([0, 1023, 1024, 1536, 20_480, 1024 ** 3, 1024 ** 6].map(Texts.bytes)).toEqual([
      "0 B",
      "1023 B",
      "1 KiB",
      "1.5 KiB",
      "20 KiB",
      "1 GiB",
      "1024 PiB",
    ])
  })
})

describe("a row", () => {
  it("is called by its name, or by its place", () => {
    expect([Rows.refOf(row), Rows.refOf({ ...row, name: "web" })]).toEqual(["3/a", "web"])
  })

  it("says how long ago it has ended, as far as its server tells", () => {
    const plain = { bad: String, good: String, dim: String }
    const table = (...rows: ReadonlyArray<ListedProcess>) => {
      const columns = Rows.columns(600_000, plain, rows)
      return columns.map(({ title, text }) => [title, ...rows.map(text)]).filter(([title]) => title === "END")
    }
    const ended = { ...row, state: "closed", exitCode: 0 } as const
    expect(table(row)).toEqual([])
    expect(table(row, { ...ended, endedAtMs: 420_000 }, ended)).toEqual([["END", "-", "3m", "-"]])
  })

  it("says how it has ended", () => {
    expect([row, { ...row, state: "closed", exitCode: 3 } as const].map(Rows.stateOf)).toEqual([
      "running",
      "exited 3",
    ])
  })
})

describe("--filter", () => {
  const matches = (...texts: ReadonlyArray<string>) => {
    const { read } = Filters.flag("")
    const { asked, matches } = Filters.of(texts.map((text) => Effect.runSync(read(text))))
    return [asked.states ?? [], matches(row)] as const
  }
  const refusal = (text: string) => Effect.runSync(Effect.flip(Filters.flag("").read(text))).message

  it("takes all labels, one of the names, and a label with any value", () => {
    expect(matches("label=team=web", "label=plain")).toEqual([[], true])
    expect(matches("label=team=db")).toEqual([[], false])
    expect(matches("session=3", "session=4")).toEqual([[], true])
    expect(matches("name=web")).toEqual([[], false])
  })

  it("asks the server for states; exited are also those whose output is complete", () => {
    expect(matches("state=running")[0]).toEqual(["running"])
    expect(matches("state=exited")[0]).toEqual(["exited", "closed"])
  })

  it("says what is expected, and what was meant", () => {
    expect(refusal("lable=x")).toBe(
      "invalid value 'lable=x' for '--filter': expected name=, label=, state=, session=, exit=; did you mean 'label'?",
    )
    expect(refusal("state=runing")).toContain("did you mean 'running'?")
    expect(refusal("exit=x")).toContain("expected a whole number")
  })
})

describe("the changes", () => {
  const exited = { ...row, state: "closed", exitCode: 3 } as const

  it("are those that a server tells, each once, whatever the list had already", () => {
    const isIn = (kind: "started" | "exited" | "removed", of: ListedProcess, ...rows: Array<ListedProcess>) =>
      EventsCommand.isIn(rows, { kind, process: of })
    expect([isIn("started", row), isIn("started", row, row)]).toEqual([false, true])
    expect([isIn("exited", exited, row), isIn("exited", exited, exited)]).toEqual([false, true])
    expect([isIn("removed", exited, exited), isIn("removed", exited)]).toEqual([false, false])
    // Started again in its place, under the same id.
    expect(isIn("started", { ...row, startedAtMs: 5 }, exited)).toBe(false)
  })

  it("are lines for people, and for programs", () => {
    const change = { kind: "exited", at: 1000, row: exited } as const
    expect(EventsCommand.toLine(change)).toBe("1970-01-01T00:00:01.000Z  exited     3/a  3")
    expect(JSON.parse(EventsCommand.toJsonLine(change))).toMatchObject({
      event: "exited",
      ref: "3/a",
      exitCode: 3,
    })
  })
})
