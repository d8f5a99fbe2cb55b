/**
 * An extension that a server may announce as `processAttach` in `environmentInfo.capabilities`: `process/attach`,
 * `process/detach`, and their notifications. Cases with other sessions are played with `--scope control`.
 */
import { Check, Child, table, type CaseContext, type JsonObject, type Wire } from "../../Vocabulary.ts"
import { begin, resumed } from "../../cases/resuming.ts"

const own = { requires: ["process-attach"] } as const
const others = {
  ...own,
  requires: ["process-attach", "session-scopes", "process-list"],
  transports: "ws",
  args: ["--scope", "control"],
  server: "owned",
} as const

/** Prints each line that it reads. */
const echo = "while read -r line; do echo got $line; done"

/** The least credit, in bytes. */
const leastCredit = 65_536

const numberOf = async (wire: Wire): Promise<number> => {
  const { sessions } = await wire.ok("session/list", {})
  return Check.integer(
    Check.object(Check.list(sessions, "sessions")[0], "the own session")["session"],
    "session",
  )
}

/** An owner with a process, and another client; `target` names the process, as `p9` of the other one. */
const two = async (t: CaseContext, options: Child.StartOptions = {}) => {
  const [owner, other] = [await begin(t), await begin(t)]
  const child = await Child.start(owner.wire, { script: echo, pipeStdin: true, id: "web", ...options })
  const target = { session: await numberOf(owner.wire), processId: child.id, as: "p9" }
  const attach = (params: JsonObject = {}) => other.wire.ok("process/attach", { ...target, ...params })
  const seen = Child.attach(other.wire, "p9")
  return { owner: owner.wire, session: owner.session, other: other.wire, child, target, attach, seen }
}

const waitFor = (wire: Wire, method: string, id: string, count = 1): Promise<JsonObject> =>
  wire.inbox.wait(`${method} of ${id}`, wire.timeoutMs, () => Child.notified(wire, method, id)[count - 1])

const roles = (wire: Wire, id: string) =>
  Child.notified(wire, "process/writer", id).map(({ writer }) => writer ?? null)

const input = (processId: string, text: string) => ({
  processId,
  chunk: Buffer.from(text).toString("base64"),
  writeId: text,
})

export const processAttach = table("process/attach", {
  "own-process-again": {
    ...own,
    says: `Attached to under another id, a process of the own session is told twice: what is retained and
      what comes under the new id, and as before under its own. After process/detach it is told once, and
      goes on.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: echo, pipeStdin: true })
      await child.write("one\n")
      await child.says("got one")
      const again = Child.attach(wire, "again")
      await wire.ok("process/attach", { processId: child.id, as: "again" })
      await again.says("got one")
      await child.write("two\n")
      await again.says("got two")
      await child.says("got two")
      await wire.ok("process/detach", { processId: "again" }, {})
      await child.write("three\n")
      await child.says("got three")
      Check.equal(again.text(), "got one\ngot two\n", "the output of the attachment")
      await wire.refused("process/read", { processId: "again" }, -32600)
      await wire.refused("process/detach", { processId: "again" }, -32600)
    },
  },
  "viewer-of-another-session": {
    ...others,
    says: `A viewer of a process of another session, named by the number of that, is answered with its row
      and where its output begins, gets all events from the first under the id as, and reads and waits under
      it.`,
    run: async (t) => {
      const { child, attach, seen, other, target } = await two(t, { params: { name: "server" } })
      await child.write("one\n")
      await child.says("got one")
      const answer = await attach()
      const { processId, firstSeq, writer } = answer
      Check.equal(
        { processId, firstSeq, writer } as never,
        { processId: "p9", firstSeq: 1, writer: false },
        "it",
      )
      const row = Check.object(answer["process"], "process")
      Check.has(
        row,
        { processId: child.id, session: target.session, name: "server", state: "running" },
        "the row",
      )
      await seen.says("got one")
      Check.equal((await seen.read({ afterSeq: 0 }))["nextSeq"], 2, "nextSeq of a read")
      await child.write("two\n")
      await seen.says("got two")
      const until = [{ exit: true }]
      const waiting = other.ok("process/wait", { processId: "p9", until })
      await child.terminate()
      Check.equal((await waiting)["met"], 0, "met")
      const [mine, theirs] = [await seen.ended(), await child.ended()]
      Check.equal([mine.exitCode, mine.closedSeq], [theirs.exitCode, theirs.closedSeq], "the end")
      Check.equal(seen.text(), child.text(), "the output")
      // It can be read as long as for its owner.
      Check.equal((await seen.read())["closed"], true, "closed of a read behind the end")
    },
  },
  "after-seq": {
    ...others,
    says: "With afterSeq an attachment gets the events behind that; one that there is not yet means the last one.",
    run: async (t) => {
      const { child, attach, seen, other } = await two(t)
      for (const line of ["one", "two"]) {
        await child.write(`${line}\n`)
        await child.says(`got ${line}`)
      }
      await attach({ afterSeq: 1 })
      await attach({ afterSeq: 99, as: "late" })
      const late = Child.attach(other, "late")
      await child.write("three\n")
      await late.says("got three")
      await seen.says("got three")
      Check.equal([seen.text(), late.text()], ["got two\ngot three\n", "got three\n"], "what they got")
    },
  },
  "viewers-do-not-write": {
    ...others,
    says: `process/write, process/signal and process/terminate of a viewer are refused with -32600, and do
      nothing to the process.`,
    run: async (t) => {
      const { child, attach, other } = await two(t)
      await attach({ role: "viewer" })
      await other.refused("process/write", input("p9", "viewer\n"), -32600)
      await other.refused("process/signal", { processId: "p9", signal: "interrupt" }, -32600)
      await other.refused("process/terminate", { processId: "p9" }, -32600)
      await other.refused("process/terminate", { processId: "p9", remove: true }, -32600)
      await child.write("owner\n")
      await child.says("got owner")
      Check.equal(child.text(), "got owner\n", "the output")
    },
  },
  "viewers-do-not-close-stdin": {
    ...others,
    requires: [...others.requires, "process-close-stdin"],
    says: "process/closeStdin of a viewer is refused with -32600, and the stdin stays open.",
    run: async (t) => {
      const { child, attach, other } = await two(t)
      await attach()
      await other.refused("process/closeStdin", { processId: "p9" }, -32600)
      await child.write("owner\n")
      await child.says("got owner")
    },
  },
  "viewers-do-not-resize": {
    ...others,
    requires: [...others.requires, "process-resize", "pty"],
    says: "process/resize of a viewer is refused with -32600; the terminal has the size of the writer.",
    run: async (t) => {
      const { owner, other, attach, child } = await two(t, { script: "read -r line; stty size", tty: true })
      await attach()
      await other.refused("process/resize", { processId: "p9", rows: 7, columns: 70 }, -32600)
      await attach({ role: "writer", take: true })
      await other.ok("process/resize", { processId: "p9", rows: 9, columns: 90 })
      await owner.refused("process/resize", { processId: child.id, rows: 7, columns: 70 }, -32600)
      await other.ok("process/write", input("p9", "\n"))
      await child.says("9 90")
    },
  },
  // guards: one-writer
  "one-writer-at-a-time": {
    ...others,
    says: `A role that another client has is refused with -32600 without take. With take it goes over: both
      are told by process/writer, who has lost it can write no more, and the new writer can; its owner can
      still end it.`,
    run: async (t) => {
      const { owner, other, attach, child, target } = await two(t)
      await other.refused("process/attach", { ...target, role: "writer" }, -32600)
      const { writer = null } = await attach({ role: "writer", take: true })
      Check.equal(writer, true, "writer")
      Check.equal((await waitFor(other, "process/writer", "p9"))["writer"], true, "the new writer")
      Check.equal((await waitFor(owner, "process/writer", child.id))["writer"], false, "the owner")
      await owner.refused("process/write", input(child.id, "owner\n"), -32600)
      await other.ok("process/write", input("p9", "writer\n"))
      await child.says("got writer")
      Check.equal(child.text(), "got writer\n", "the output")
      Check.equal(await child.terminate(), true, "running of a terminate by the owner")
    },
  },
  "role-goes-back": {
    ...others,
    says: `A writer that leaves, by process/detach or with its connection, gives the role back to the client
      that it was taken from, and the last one to the owner; each is told.`,
    run: async (t) => {
      const { owner, other, attach, child, target } = await two(t)
      await attach({ role: "writer", take: true })
      const third = (await begin(t)).wire
      await third.ok("process/attach", { ...target, as: "mine", role: "writer", take: true })
      await waitFor(other, "process/writer", "p9", 2)
      await third.ok("process/detach", { processId: "mine" })
      await waitFor(other, "process/writer", "p9", 3)
      Check.equal([...roles(other, "p9")], [true, false, true], "the roles of the second client")
      other.channel.close()
      await waitFor(owner, "process/writer", child.id, 2)
      Check.equal([...roles(owner, child.id)], [false, true], "the roles of the owner")
      await child.write("back\n")
      await child.says("got back")
    },
  },
  "owner-takes-it-back": {
    ...others,
    says: `process/attach of the owner under the own id of its process, with role writer and take, gives it
      the role back, and begins no second stream of events.`,
    run: async (t) => {
      const { owner, other, attach, child } = await two(t)
      await attach({ role: "writer", take: true })
      await waitFor(owner, "process/writer", child.id)
      const params = { processId: child.id, role: "writer", take: true }
      Check.equal((await owner.ok("process/attach", params))["writer"], true, "writer")
      await waitFor(other, "process/writer", "p9", 2)
      await other.refused("process/write", input("p9", "x\n"), -32600)
      await child.write("mine\n")
      await child.says("got mine")
      await child.terminate()
      await child.ended()
    },
  },
  // guards: one-writer
  "role-after-a-resume": {
    ...others,
    says: `An owner that resumes its session is told its role at a process that another client has written
      to: that the other one is the writer, or that it is the writer again.`,
    run: async (t) => {
      const { owner, session, other, attach, child } = await two(t)
      await attach({ role: "writer", take: true })
      await waitFor(owner, "process/writer", child.id)
      owner.channel.close()
      const second = await resumed(t, session)
      Check.equal((await waitFor(second, "process/writer", child.id))["writer"], false, "writer")
      second.channel.close()
      const isAttached = async () => {
        const { sessions } = await other.ok("session/list", { sessions: "all" })
        return Check.list(sessions, "sessions").every(
          (row) => Check.object(row, "a row")["attached"] === true,
        )
      }
      while (await isAttached());
      await other.ok("process/detach", { processId: "p9" })
      const third = await resumed(t, session)
      Check.equal((await waitFor(third, "process/writer", child.id))["writer"], true, "writer at last")
    },
  },
  "free-without-an-owner": {
    ...others,
    says: "While no connection has the session of a process, the role of its writer is free without take.",
    run: async (t) => {
      const { owner, other, attach, seen } = await two(t)
      const numbers = async () => {
        const { sessions } = await other.ok("session/list", { sessions: "all" })
        return Check.list(sessions, "sessions").map((row) => Check.object(row, "a row")["attached"] ?? null)
      }
      owner.channel.close()
      while ((await numbers()).every((attached) => attached === true));
      Check.equal((await attach({ role: "writer" }))["writer"], true, "writer")
      await other.ok("process/write", input("p9", "alone\n"))
      await seen.says("got alone")
    },
  },
  "skip-tells-the-gap": {
    ...others,
    requires: [...others.requires, "process-credit"],
    says: `With the policy skip a client that lags stalls nobody: its owner gets 3 MB at once. What has left
      the memory of the server meanwhile is told by process/gap, in its place; every other event comes, in
      the order of seq.`,
    run: async (t) => {
      const { other, attach, child, seen } = await two(t, {
        script: "read -r line; head -c 3000000 /dev/zero; exit 7",
      })
      await attach({ credit: leastCredit, policy: "skip" })
      await child.write("\n")
      const { closedSeq } = await child.ended()
      await other.ok("process/credit", { processId: "p9", bytes: 100_000_000 })
      await waitFor(other, "process/closed", "p9")
      const gaps = Child.notified(other, "process/gap", "p9").map(({ from, to }) => ({
        from: Check.integer(from, "from"),
        to: Check.integer(to, "to"),
      }))
      Check.isTrue(gaps.length > 0, "there must be a gap")
      const missing = gaps.flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, at) => from + at),
      )
      const seqs = seen.events().map(({ seq }) => seq)
      Check.equal(
        [...seqs],
        [...seqs].sort((a, b) => a - b),
        "the order",
      )
      const all = [...seqs, ...missing].sort((a, b) => a - b)
      Check.equal(
        all,
        Array.from({ length: closedSeq }, (_, at) => at + 1),
        "events and gaps",
      )
      const last = seen.events().slice(-2)
      Check.equal(
        last.map(({ kind }) => kind),
        ["exited", "closed"],
        "the last events",
      )
    },
  },
  "screen-jumps-to-the-picture": {
    ...others,
    requires: [...others.requires, "process-credit", "process-screen", "pty"],
    says: `With the policy screen a client that lags is told, with the gap, what the terminal shows (screen,
      as ANSI), and goes on behind its seq: nothing that comes later is of the output up to there.`,
    run: async (t) => {
      const flood = "head -c 3000000 /dev/zero | tr '\\000' x; printf '\\033[2J\\033[Hthe end@@'"
      const { other, attach, child, seen } = await two(t, {
        script: `echo; read -r line; ${flood}; read -r line; echo more; sleep 600`,
        tty: true,
      })
      await attach({ credit: leastCredit, policy: "screen" })
      // The credit that is left has no room for a picture before it gets more: that of the end, not of the middle.
      await seen.has(1)
      await child.write("\n")
      await child.says("the end@@")
      await other.ok("process/credit", { processId: "p9", bytes: 100_000_000 })
      const gap = await waitFor(other, "process/gap", "p9")
      const screen = Check.object(gap["screen"] ?? null, "screen")
      Check.isTrue(String(screen["ansi"]).includes("the end@@"), "screen.ansi must paint what is seen")
      const seq = Check.integer(screen["seq"] ?? null, "screen.seq")
      const [from, to] = [Check.integer(gap["from"], "from"), Check.integer(gap["to"], "to")]
      Check.isTrue(to <= seq, "the gap must end with the picture")
      await child.write("\n")
      const seqs = () =>
        Child.notified(other, "process/output", "p9").map(({ seq }) => Check.integer(seq, "seq"))
      await other.inbox.wait("output behind the picture", other.timeoutMs, () =>
        seqs().find((one) => one > seq),
      )
      Check.isTrue(
        seqs().every((one) => one < from || one > seq),
        "no output of the gap or the picture may come",
      )
      await child.terminate()
    },
  },
  "block-stalls-the-child": {
    ...others,
    requires: [...others.requires, "process-credit"],
    says: `With the policy block a client that lags holds the child up, as its owner does: when it goes on
      it gets all 3 MB, and no process/gap.`,
    run: async (t) => {
      const { other, attach, child, seen } = await two(t, {
        script: "read -r line; head -c 3000000 /dev/zero; exit 7",
      })
      await attach({ credit: leastCredit, policy: "block" })
      await child.write("\n")
      await seen.has(1)
      // The owner has had what there was, and the child has had the time to print all.
      await child.has(leastCredit)
      await other.ok("process/wait", { processId: "p9", until: [{ idleMs: 300 }], maxBytes: 0 })
      await other.ok("process/credit", { processId: "p9", bytes: 100_000_000 })
      const { exitCode } = await seen.ended()
      Check.equal([exitCode, seen.bytes().length], [7, 3_000_000], "the exit code and the bytes")
      Check.equal(Child.notified(other, "process/gap", "p9").length, 0, "the number of gaps")
    },
  },
  "one-id-one-process": {
    ...others,
    says: `An id that a process of the client or another attachment has is refused with -32600 as the id of
      an attachment, and that of an attachment as the id of a start.`,
    run: async (t) => {
      const { owner, other, attach, target } = await two(t)
      await Child.start(owner, { script: echo, pipeStdin: true, id: "db" })
      await attach()
      await other.refused("process/attach", { ...target, processId: "db" }, -32600)
      await other.refused("process/start", Child.params(other, { id: "p9" }), -32600)
      await Child.start(other, { script: echo, pipeStdin: true, id: "mine" })
      await other.refused("process/attach", { ...target, as: "mine" }, -32600)
    },
  },
  "by-name": {
    ...others,
    says: `A name finds the process of any session that the client may see; of several the one that runs. A
      name of two that run, and one of none, are refused with -32600, the first with where they are.`,
    run: async (t) => {
      const { owner, other, child, target } = await two(t, { params: { name: "server" } })
      const found = async (as: string) => {
        const { process } = await other.ok("process/attach", { name: "server", as })
        return Check.object(process, "process")["processId"] ?? null
      }
      Check.equal(await found("a"), child.id, "the process")
      await other.refused("process/attach", { name: "nobody" }, -32600)
      const second = await Child.start(owner, { script: echo, pipeStdin: true, params: { name: "server" } })
      const { error } = await other.begin("process/attach", { name: "server", as: "b" })
      Check.equal(error?.code, -32600, "the code for a name of two")
      for (const part of [child.id, second.id, `session ${target.session}`])
        Check.isTrue(error?.message.includes(part) === true, `the error must name ${part}: ${error?.message}`)
      await child.terminate()
      await child.ended()
      Check.equal(await found("c"), second.id, "the one that runs")
    },
  },
  "session-by-its-id": {
    ...own,
    transports: "ws",
    requires: ["process-attach", "process-list"],
    says: `Without a scope a client attaches to no process of another session by the number of that
      (-32600), and to every one, as the writer too, by the secret id. An unknown id is refused with -32600.`,
    run: async (t) => {
      const [owner, other] = [await begin(t), await begin(t)]
      const child = await Child.start(owner.wire, { script: echo, pipeStdin: true })
      const target = { processId: child.id, as: "p9" }
      const number = await numberOf(owner.wire)
      await other.wire.refused("process/attach", { ...target, session: number }, -32600)
      await other.wire.refused("process/attach", { ...target, sessionId: "unknown" }, -32600)
      const params = { ...target, sessionId: owner.session, role: "writer", take: true }
      const answer = await other.wire.ok("process/attach", params)
      Check.lacks(JSON.stringify(answer), owner.session, "the answer")
      await other.wire.ok("process/write", input("p9", "secret\n"))
      await child.says("got secret")
    },
  },
  "bad-values-refused": {
    ...own,
    says: `Neither or both of processId and name, both of session and sessionId, an unknown role or policy,
      take of a viewer and a credit of less than 65,536 are refused with -32602; an unknown process with
      -32600.`,
    play: async (wire) => {
      const { id } = await Child.start(wire, { script: echo, pipeStdin: true })
      const target = { processId: id, as: "p9" }
      for (const params of [
        { as: "p9" },
        { ...target, name: "x" },
        { ...target, session: 1, sessionId: "x" },
        { ...target, role: "owner" },
        { ...target, policy: "wait" },
        { ...target, take: true },
        { ...target, credit: 1 },
        { ...target, processId: 7 },
      ])
        await wire.refused("process/attach", params, -32602)
      await wire.refused("process/attach", { ...target, processId: "nobody" }, -32600)
      await wire.refused("process/detach", { processId: "p9" }, -32600)
    },
  },
})

/** The rights of a client of each scope: list all, view, stall, write, keep. */
const powers = {
  own: [],
  observe: ["lists", "views"],
  control: ["lists", "views", "stalls", "writes", "keeps"],
}

const scopeCase = (scope: keyof typeof powers) => ({
  ...others,
  args: ["--scope", scope],
  says:
    scope === "own"
      ? "With --scope own a client neither lists nor attaches to the processes of others, and keeps none of its own."
      : scope === "observe"
        ? "With --scope observe a client lists and views the processes of others; as a writer, with the policy block, " +
          "and with keep it is refused with -32600."
        : "With --scope control a client lists, views and writes to the processes of others, stalls and keeps.",
  run: async (t: CaseContext) => {
    const { other, target } = await two(t)
    const may: ReadonlyArray<string> = powers[scope]
    const { capabilities } = await other.ok("environment/info", {})
    const { processListAll, processAttachAll, processControlAll } = Check.object(capabilities, "capabilities")
    Check.equal(
      [processListAll ?? null, processAttachAll ?? null, processControlAll ?? null],
      ["lists", "views", "writes"].map((power) => may.includes(power)),
      "the capabilities",
    )
    const attempts: ReadonlyArray<readonly [string, string, JsonObject, number]> = [
      ["lists", "process/list", { sessions: "all" }, -32602],
      ["views", "process/attach", { ...target, as: "v" }, -32600],
      ["stalls", "process/attach", { ...target, as: "b", policy: "block" }, -32600],
      ["writes", "process/attach", { ...target, as: "w", role: "writer", take: true }, -32600],
      ["keeps", "process/start", Child.params(other, { params: { keep: true } }), -32600],
    ]
    for (const [power, method, params, code] of attempts) {
      if (may.includes(power)) await other.ok(method, params)
      else await other.refused(method, params, code)
    }
  },
})

export const processScopes = table("process/attach/scope", {
  own: scopeCase("own"),
  observe: scopeCase("observe"),
  control: scopeCase("control"),
})

export const processRemove = table("process/terminate", own, {
  "remove-forgets": {
    says: `With remove, process/terminate forgets a process as soon as it is closed, at once if it is: its
      id is unknown, and free for a start. Attachments are told its end, or process/detached.`,
    play: async (wire) => {
      await Child.run(wire, { script: "exit 0", id: "p" })
      Check.equal(
        await wire.ok("process/terminate", { processId: "p", remove: true }),
        { running: false },
        "it",
      )
      await wire.refused("process/read", { processId: "p" }, -32600)
      await wire.ok("process/start", Child.params(wire, { script: echo, id: "p", pipeStdin: true }))
      await wire.ok("process/attach", { processId: "p", as: "seen" })
      const seen = Child.attach(wire, "seen")
      Check.equal(
        await wire.ok("process/terminate", { processId: "p", remove: true }),
        { running: true },
        "it",
      )
      await waitFor(wire, "process/closed", "seen")
      Check.equal(
        seen.events().map(({ kind }) => kind),
        ["exited", "closed"],
        "what the attachment was told",
      )
      await wire.refused("process/read", { processId: "p" }, -32600)
      await wire.refused("process/read", { processId: "seen" }, -32600)
    },
  },
})
