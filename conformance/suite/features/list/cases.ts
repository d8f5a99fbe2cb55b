/**
 * An extension that a server may announce as `processList` in `environmentInfo.capabilities`: `process/list`,
 * `session/list`, and `name` and `labels` of `process/start`. An extension that a server may announce as
 * `processChanges` in `environmentInfo.capabilities`: `process/changes` tells starts, restarts, exits and removals
 * of processes, in order. An extension that a server may announce as `processAutoRemove` in
 * `environmentInfo.capabilities`: a process whose start has `autoRemove` is removed as soon as it is closed. An
 * extension that a server may announce as `processPid` in `environmentInfo.capabilities`: the result of a start
 * with `pid` has the pid of the process.
 */
import { Check, Child, table, type CaseContext, type JsonObject, type Wire } from "../../Vocabulary.ts"
import { begin } from "../../cases/resuming.ts"

const lists = { requires: ["process-list"] } as const

const rows = (answer: JsonObject, name = "processes"): ReadonlyArray<JsonObject> =>
  Check.list(answer[name], name).map((row) => Check.object(row, `a member of ${name}`))

const idsOf = (found: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  found.map(({ processId }) => Check.text(processId, "the processId of a row"))

/** The rows of all pages of at most `limit`; `between` runs behind the first page. */
const all = async (
  wire: Wire,
  params: JsonObject = {},
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ReadonlyArray<JsonObject>> => {
  const found: Array<JsonObject> = []
  for (let cursor: string | null = null; ; await between()) {
    const answer = await wire.ok("process/list", { ...params, cursor })
    found.push(...rows(answer))
    const next = answer["nextCursor"]
    if (next === null) return found
    cursor = Check.text(next, "nextCursor")
  }
}

const waiting = (t: Wire, id: string, params: JsonObject = {}) =>
  Child.start(t, { script: "cat >/dev/null", pipeStdin: true, id, params })

/** Two sessions, of which the second one has a process. */
const two = async (t: CaseContext) => {
  const [mine, other] = [await begin(t), await begin(t)]
  await waiting(other.wire, "theirs")
  return { mine, other }
}

export const processList = table("process/list", lists, {
  "tells-what-runs": {
    says: `A row has what the process was started with (argv, cwd, tty, name, labels), its session, its
      state, exitCode and bytes; nextSeq is one above the seq of its last event. A closed process is listed
      while it can be read.`,
    play: async (wire) => {
      const argv = ["/bin/sh", "-c", "printf hello; read -r line; exit 3"]
      const named = { name: "web", labels: { tier: "front", empty: "" } }
      const before = Date.now() - 60_000
      const child = await Child.start(wire, { argv, pipeStdin: true, params: named })
      await child.has(5)
      const [row = {}, ...more] = await all(wire)
      Check.equal(more.length, 0, "the number of other rows")
      // A server may keep processes beyond its own life, and says so.
      const { session, pid, startedAtMs, held: _held, ...rest } = row
      Check.isTrue(Check.integer(session, "session") > 0, "session must be positive")
      Check.isTrue(pid === null || Check.integer(pid, "pid") > 0, "pid must be null or positive")
      Check.isTrue(Check.integer(startedAtMs, "startedAtMs") > before, "startedAtMs is long ago")
      const about = { processId: child.id, attached: true, ...named, argv, cwd: "file:///tmp", tty: false }
      const soFar = { ...about, state: "running", exitCode: null, bytes: 5 }
      Check.equal(rest, { ...soFar, nextSeq: Check.integer(row["nextSeq"], "nextSeq") }, "the row")
      await child.write("x\n")
      const { closedSeq } = await child.ended()
      const [closed = {}] = await all(wire)
      const end = { state: "closed", exitCode: 3, bytes: 5, nextSeq: closedSeq + 1 }
      const { endedAtMs: _, ...later } = closed
      Check.equal(later, { ...row, ...end }, "the row of the closed process")
    },
  },
  "tells-when-it-ended": {
    says: `The row of a process that has exited has endedAtMs, in milliseconds since 1970, as far behind
      startedAtMs as it ran, and the same later; the row of one that runs has none.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "sleep 0.3; read -r line", pipeStdin: true })
      const [before] = await all(wire)
      Check.equal([before?.["endedAtMs"] ?? null], [null], "endedAtMs of one that runs")
      await child.write("x\n")
      await child.ended()
      const [row = {}] = await all(wire)
      const ran =
        Check.integer(row["endedAtMs"], "endedAtMs") - Check.integer(row["startedAtMs"], "startedAtMs")
      Check.isTrue(ran >= 290, `a sleep of 0.3 s took ${ran} ms`)
      Check.equal((await all(wire))[0]?.["endedAtMs"] ?? null, row["endedAtMs"] ?? null, "endedAtMs later")
    },
  },
  "terminal-size": {
    requires: ["process-list", "process-resize", "pty"],
    says: "The row of a process with a PTY has tty and its terminalSize, which process/resize changes.",
    play: async (wire) => {
      const terminalSize = { rows: 31, columns: 91 }
      const child = await Child.start(wire, { script: "read -r line", tty: true, params: { terminalSize } })
      Check.equal((await all(wire))[0]?.["terminalSize"], terminalSize, "terminalSize")
      await wire.ok("process/resize", { processId: child.id, rows: 7, columns: 70 })
      const [row] = await all(wire)
      Check.equal([row?.["tty"] ?? null], [true], "tty")
      Check.equal(row?.["terminalSize"], { rows: 7, columns: 70 }, "terminalSize after a resize")
    },
  },
  filters: {
    says: "A page has only processes with the name, with all of the labels, and in one of the states that are given.",
    play: async (wire) => {
      await waiting(wire, "a", { name: "x", labels: { k: "1", l: "2" } })
      await waiting(wire, "b", { name: "y", labels: { k: "1" } })
      await Child.run(wire, { script: "exit 0", id: "c", params: { name: "x" } })
      const cases: ReadonlyArray<readonly [JsonObject, ReadonlyArray<string>]> = [
        [{ name: "x" }, ["a", "c"]],
        [{ labels: { k: "1" } }, ["a", "b"]],
        [{ labels: { k: "1", l: "2" } }, ["a"]],
        [{ labels: { l: "1" } }, []],
        [{ states: ["closed"] }, ["c"]],
        [{ name: "x", states: ["running", "closed"], labels: {} }, ["a", "c"]],
        [{ name: "nobody" }, []],
      ]
      for (const [params, ids] of cases)
        Check.equal([...idsOf(await all(wire, params))], [...ids], `with ${JSON.stringify(params)}`)
    },
  },
  pages: {
    says: `A page has at most limit rows, oldest first; nextCursor leads to the next page, and is null
      behind the last. A process that starts between two pages comes behind the others, and no row comes
      twice.`,
    play: async (wire) => {
      const ids = ["a", "b", "c", "d", "e"]
      for (const id of ids) await waiting(wire, id)
      const first = rows(await wire.ok("process/list", { limit: 2 }))
      Check.equal([...idsOf(first)], ["a", "b"], "the first page")
      let started = 0
      const found = await all(wire, { limit: 2 }, async () => {
        if (started < 2) await waiting(wire, `late${(started += 1)}`)
      })
      Check.equal([...idsOf(found)], [...ids, "late1", "late2"], "all pages")
    },
  },
  "own-session-only": {
    transports: "ws",
    says: "Without sessions, and with sessions: own, a client is shown no process and no session but its own.",
    run: async (t) => {
      const { mine } = await two(t)
      for (const params of [{}, { sessions: null }, { sessions: "own" }]) {
        Check.equal([...idsOf(await all(mine.wire, params))], [], "the processes")
        const [own, ...others] = rows(await mine.wire.ok("session/list", params), "sessions")
        Check.equal([own?.["own"] ?? null, others.length], [true, 0], "the sessions")
      }
    },
  },
  "bad-values-refused": {
    says: `A cursor that no page had, a limit of 0, an unknown state, an empty name, and a name, key, value
      or number of labels beyond the bounds are refused with -32602; what is refused is not started.`,
    play: async (wire) => {
      for (const params of [
        { cursor: "no cursor" },
        { limit: 0 },
        { states: ["dead"] },
        { sessions: "some" },
      ])
        await wire.refused("process/list", params, -32602)
      for (const params of [
        { name: "" },
        { name: "n".repeat(257) },
        { labels: { "": "x" } },
        { labels: { k: "v".repeat(1025) } },
        { labels: { k: 1 } },
        { labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`k${at}`, ""])) },
      ])
        await wire.refused("process/start", Child.params(wire, { params }), -32602)
      Check.equal([...idsOf(await all(wire))], [], "the processes")
    },
  },
})

export const sessionList = table("session/list", lists, {
  "never-has-an-id": {
    says: `The own session is listed by a number, with own and attached true, openedAtMs, and how many
      processes it has; its id, which is a secret, is in no list.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      await waiting(wire, "p")
      const answer = await wire.ok("session/list", {})
      const [own = {}, ...more] = rows(answer, "sessions")
      Check.equal([more.length, answer["nextCursor"] ?? null], [0, null], "the other rows, and nextCursor")
      const { session: number = null, openedAtMs, ...rest } = own
      Check.isTrue(Check.integer(number, "session") > 0, "session must be positive")
      Check.isTrue(Check.integer(openedAtMs, "openedAtMs") > 0, "openedAtMs must be positive")
      Check.equal(rest, { own: true, attached: true, processes: 1 }, "the row")
      const [row] = await all(wire)
      Check.equal(row?.["session"] ?? null, number, "the session of the process")
      Check.lacks(JSON.stringify([answer, row ?? null]), session, "the lists")
    },
  },
  "all-where-allowed": {
    requires: ["process-list", "process-list-all"],
    transports: "ws",
    args: ["--list-sessions", "all"],
    says: `A server with --list-sessions all announces processListAll, and shows with sessions: all every
      session, by its number, and the processes of all.`,
    run: async (t) => {
      const { mine, other } = await two(t)
      const { capabilities } = await mine.wire.ok("environment/info", {})
      Check.equal(Check.object(capabilities, "capabilities")["processListAll"], true, "processListAll")
      await waiting(mine.wire, "own")
      const params = { sessions: "all" }
      const found = await all(mine.wire, params)
      Check.equal([...idsOf(found)], ["own", "theirs"], "the processes")
      const answer = await mine.wire.ok("session/list", params)
      const sessions = rows(answer, "sessions")
      Check.equal(
        sessions.map(({ own, attached, processes }) => [own, attached, processes] as never),
        [
          [true, true, 1],
          [false, true, 1],
        ],
        "own, attached and processes of the sessions",
      )
      const numbers = (list: ReadonlyArray<JsonObject>) => list.map(({ session }) => session ?? null)
      Check.equal(numbers(found), numbers(sessions), "the sessions of the processes")
      for (const { session } of [mine, other])
        Check.lacks(JSON.stringify([found, answer]), session, "the lists")
    },
  },
})

const changes = { requires: ["process-changes"] } as const

const lastSeq = async (wire: Wire): Promise<number> =>
  Check.integer((await wire.ok("process/changes", {}))["nextSeq"], "nextSeq")

/** The changes from a seq on, up to so many of one kind. */
const until = async (
  wire: Wire,
  nextSeq: number,
  wanted: string,
  count: number,
): Promise<ReadonlyArray<JsonObject>> => {
  const found: Array<JsonObject> = []
  for (let next = nextSeq; found.filter(({ kind }) => kind === wanted).length < count;) {
    const answer = await wire.ok("process/changes", { afterSeq: next - 1, waitMs: wire.timeoutMs })
    Check.equal(answer["missed"] ?? null, null, "missed")
    found.push(...Check.list(answer["changes"], "changes").map((one) => Check.object(one, "a change")))
    next = Check.integer(answer["nextSeq"], "nextSeq")
  }
  return found
}

const rowOf = (change: JsonObject): JsonObject => Check.object(change["process"], "process")

const kindsOf = (found: ReadonlyArray<JsonObject>, id: string) =>
  found.filter((change) => rowOf(change)["processId"] === id).map(({ kind }) => Check.text(kind, "kind"))

export const processChanges = table("process/changes", changes, {
  "tells-what-happens-in-order": {
    requires: ["process-changes", "process-auto-remove"],
    says: `Each of many processes that are removed as soon as they have ended is told as started, exited and
      removed, in order, with seqs that grow; the row of an exit has the exit code.`,
    play: async (wire) => {
      const from = await lastSeq(wire)
      const ids = Array.from({ length: 20 }, (_, at) => `p${at}`)
      const asked = { script: "exit 3", params: { autoRemove: true } }
      await Promise.all(ids.map((id) => wire.ok("process/start", Child.params(wire, { id, ...asked }))))
      const found = await until(wire, from, "removed", ids.length)
      for (const id of ids) Check.equal(kindsOf(found, id), ["started", "exited", "removed"], `of ${id}`)
      const seqs = found.map(({ seq }) => Check.integer(seq, "seq"))
      Check.isTrue(
        seqs.every((seq, at) => seq >= from && seq > (seqs[at - 1] ?? 0)),
        `the seqs are ${seqs.join(", ")}`,
      )
      for (const change of found.filter(({ kind }) => kind === "exited"))
        Check.equal(rowOf(change)["exitCode"], 3, "the exit code")
    },
  },
  "waits-for-news": {
    says: "With waitMs a request for changes above the last one waits, and is answered when there is one.",
    play: async (wire) => {
      const nextSeq = await lastSeq(wire)
      // Other sessions go on, and seqs are counted over all of them.
      const idle = await wire.ok("process/changes", { afterSeq: nextSeq - 1, waitMs: 50 })
      Check.equal(idle["changes"], [], "the changes when nothing happens")
      const next = Check.integer(idle["nextSeq"], "nextSeq")
      const waiting = wire.ok("process/changes", { afterSeq: next - 1, waitMs: wire.timeoutMs })
      const child = await Child.start(wire, { script: "read -r line", pipeStdin: true })
      const [first] = Check.list((await waiting)["changes"], "changes")
      Check.equal(kindsOf([Check.object(first, "the change")], child.id), ["started"], "the change")
    },
  },
  "tells-what-is-missed": {
    says: "A request for changes above a seq that is not among those that are kept is answered at once, with missed.",
    play: async (wire) => {
      const nextSeq = await lastSeq(wire)
      const afterSeq = nextSeq + 1_000_000
      const answer = await wire.ok("process/changes", { afterSeq, waitMs: wire.timeoutMs })
      Check.has(answer, { changes: [], missed: true }, "the answer")
      const next = Check.integer(answer["nextSeq"], "nextSeq")
      Check.isTrue(next >= nextSeq && next <= afterSeq, `nextSeq is ${next}`)
    },
  },
})

export const processAutoRemove = table("process/auto-remove", {
  "when-it-is-closed": {
    requires: ["process-auto-remove"],
    says: `A process whose start has autoRemove can be read while it runs. When process/closed is told, with
      all output before it, its id is unknown (-32600) and can be used again.`,
    run: async (t) => {
      const params = { autoRemove: true }
      const child = await Child.start(await t.open(), {
        script: "echo one; read -r line; echo two",
        pipeStdin: true,
        params,
      })
      await child.says("one\n")
      Check.equal((await child.read())["exited"], false, "exited of what runs")
      await child.write("x\n")
      const { exitCode } = await child.ended()
      Check.equal([exitCode, child.text()], [0, "one\ntwo\n"], "the exit code and the output")
      await child.wire.refused("process/read", { processId: child.id }, -32600)
      await child.wire.ok("process/start", Child.params(child.wire, { id: child.id, script: "exit 0" }))
    },
  },
})

const started = async (wire: Wire, id: string, script: string, params: JsonObject): Promise<JsonObject> =>
  wire.ok("process/start", Child.params(wire, { id, script, pipeStdin: true, params }))

export const processPid = table("process/pid", {
  "is-that-of-the-list": {
    requires: ["process-pid", "process-list"],
    says: "The result of a start with pid: true has the pid that process/list shows, or none where that shows null.",
    play: async (wire) => {
      const results = [await started(wire, "one", "read -r line", { pid: true })]
      results.push(await started(wire, "two", "read -r line", { pid: true }))
      const { processes } = await wire.ok("process/list", {})
      for (const row of Check.list(processes, "processes").map((one) => Check.object(one, "a row"))) {
        const result = results.find(({ processId }) => processId === row["processId"])
        Check.equal(result?.["pid"] ?? null, row["pid"] ?? null, `the pid of ${String(row["processId"])}`)
      }
    },
  },
  "only-when-asked": {
    requires: ["process-pid"],
    says: "The result of a start without pid, or with null or false, has none.",
    play: async (wire) => {
      for (const [index, asked] of [{}, { pid: null }, { pid: false }].entries()) {
        const result = await started(wire, `p${index}`, "exit 0", asked)
        Check.equal("pid" in result, false, "whether the result has a pid")
      }
    },
  },
})
