import { describe, expect, it } from "vitest"
import * as CommandLine from "./CommandLine.ts"
import * as Filter from "./Filter.ts"
import * as Rows from "./Rows.ts"
import * as Tab from "./Tab.ts"

const row = (given: Partial<Rows.Row>): Rows.Row => ({
  processId: "p",
  session: 1,
  attached: true,
  labels: {},
  argv: ["make"],
  cwd: "file:///srv/a%20b",
  pid: 7,
  tty: true,
  startedAtMs: 0,
  state: "running",
  exitCode: null,
  bytes: 0,
  nextSeq: 1,
  ...given,
})

describe("the list", () => {
  it("is filtered by words, states, sessions, names and labels, which all have to hold", () => {
    const rows = [
      row({ processId: "a", name: "web", argv: ["npm", "run", "dev"], labels: { team: "Front" } }),
      row({ processId: "b", state: "closed", exitCode: 1, session: 2 }),
      row({ processId: "c", state: "exited", exitCode: 0, session: 3, pid: 4711 }),
    ]
    const found = (text: string) =>
      rows
        .filter(Filter.parse(text))
        .map(({ processId }) => processId)
        .join("")
    const texts = [
      "",
      "NPM dev",
      "state:failed",
      "state:ended",
      "state:ok",
      "session:2 make",
      "label:team=front",
    ]
    expect(texts.map(found)).toEqual(["abc", "a", "b", "bc", "c", "b", "a"])
    expect(["label:team", "label:team=back", "name:we", "4711", "a b", "http://x"].map(found)).toEqual([
      "a",
      "",
      "a",
      "c",
      "abc",
      "",
    ])
  })

  it("tells what has begun, ended and gone from one list to the next", () => {
    const before = Rows.fromList([row({ processId: "a" }), row({ processId: "b" })])
    const after = Rows.fromList([
      row({ processId: "a", state: "exited", exitCode: 0 }),
      row({ processId: "c", state: "closed", exitCode: 3 }),
    ])
    expect(Rows.changes(before, after).map(({ kind, row }) => `${row.processId} ${kind}`)).toEqual([
      "a ended",
      "c began",
      "c ended",
      "b went",
    ])
    expect(Rows.changes(after, after)).toEqual([])
  })

  it("has the processes of the page first, then what goes on in the background, the newest first", () => {
    const groups = Rows.grouped(
      [
        row({ processId: "a", session: 10 }),
        row({ processId: "b", session: 2, attached: false, startedAtMs: 1 }),
        row({ processId: "c", session: 3, attached: false, state: "closed", startedAtMs: 9 }),
        row({ processId: "d", session: 3, attached: false, startedAtMs: 5 }),
        row({ processId: "e", session: 4 }),
      ],
      4,
    )
    const shown = groups.map(
      ({ title, rows }) => `${title}: ${rows.map(({ processId }) => processId).join("")}`,
    )
    expect(shown).toEqual(["Of this page: e", "In the background: dbc", "Session 10, connected: a"])
  })

  it("names a process by a key, whatever its id is", () => {
    const place = { session: 3, processId: "a/b" }
    expect(Rows.placeOf(Rows.keyOf(place))).toEqual(place)
    expect(Rows.directoryOf(row({}))).toBe("/srv/a b")
    expect(Rows.directoryOf(row({ cwd: "file:///%" }))).toBe("/%")
  })

  it("is told in the tab: what has failed before what has not", () => {
    const facts = { server: "vm", running: 2 }
    const good = row({ name: "lint", state: "closed", exitCode: 0 })
    const bad = row({ name: "test", state: "closed", exitCode: 2 })
    const began = [{ kind: "began", row: good }] as const
    expect(Tab.of({ ...facts, ended: [] })).toEqual({ title: "2 running · procwire · vm", icon: "running" })
    expect(Tab.of({ ...facts, running: 0, server: "", ended: [] })).toEqual({
      title: "procwire",
      icon: "idle",
    })
    expect(Tab.of({ ...facts, ended: [good] }).title).toBe("✓ lint exited with 0 · procwire · vm")
    expect(Tab.of({ ...facts, ended: Tab.noted([bad], [{ kind: "ended", row: good }, ...began]) })).toEqual({
      title: "✗ test exited with 2 (+1) · procwire · vm",
      icon: "bad",
    })
  })

  it("takes a line for the words of a command", () => {
    const split = (line: string) => CommandLine.split(line)
    expect(split(`git commit -m "it's \\"so\\"" '' a\\ b`)).toEqual({
      words: ["git", "commit", "-m", `it's "so"`, "", "a b"],
    })
    expect([`echo "a`, "a\\", "  "].map(split)).toEqual([
      { fault: `the quotation mark " has no end` },
      { fault: "the line ends with a backslash" },
      { fault: "there is no command" },
    ])
  })
})
