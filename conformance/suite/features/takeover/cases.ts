/**
 * An extension that a server may announce as `sessionTakeover` in `environmentInfo.capabilities`: with `takeover: true`
 * an `initialize` resumes a session that another connection has. That connection is notified by `session/taken`, and
 * ends. A server must do so whatever the connection is doing, because it may be dead.
 */
import { Check, Child, table, type CaseContext, type JsonObject, type Wire } from "../../Vocabulary.ts"
import * as Gate from "../../cases/gate.ts"
import { begin, resumeParams } from "../../cases/resuming.ts"

const takeover = {
  transports: "sockets",
  requires: ["resume", "session-replay", "session-takeover"],
} as const

/** Takes a session on a new connection: one `initialize`, which must succeed. */
const take = async (t: CaseContext, session: string, more: JsonObject = {}): Promise<Wire> => {
  const wire = await t.connect()
  const result = await wire.ok("initialize", resumeParams(session, { takeover: true, ...more }))
  Check.equal(result["sessionId"], session, "sessionId of a session that was taken over")
  wire.send({ method: "initialized" })
  return wire
}

/** Waits for the end of a connection whose session was taken; `session/taken` must be its last message. */
const wasTold = async ({ inbox, timeoutMs }: Wire, session: string): Promise<void> => {
  await inbox.wait("the end of the connection whose session was taken", timeoutMs, () => inbox.ended())
  const last = inbox.messages.at(-1)?.json
  Check.equal(last, { method: "session/taken", params: { sessionId: session } }, "the last message")
}

const seqs = (child: Child.Child): ReadonlyArray<number> => child.events().map(({ seq }) => seq)

const upTo = (last: number, first = 1): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Writes a line to a process that echoes it, and waits for the echo: the connection has the session. */
const works = async (wire: Wire, id: string, line: string): Promise<void> => {
  const child = Child.attach(wire, id)
  await child.write(`${line}\n`)
  await child.says(line)
}

/** A process that echoes its input, and a connection that has seen its first line. */
const echoing = async (t: CaseContext) => {
  const { wire, session } = await begin(t)
  const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
  await works(wire, child.id, "first")
  return { wire, session, child }
}

export const sessionTakeover = table("session/takeover", takeover, {
  attached: {
    says: `initialize {resumeSessionId, takeover: true} moves a session that is attached: every event above
      replayAfter is pushed once to the new connection, and the old one ends with session/taken {sessionId}.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const script = "i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); sleep 0.002; done"
      const child = await Child.start(wire, { script })
      await child.says("line 3\n")
      const last = seqs(child).at(-1) ?? 0
      const head = child.text()
      const again = Child.attach(await take(t, session, { replayAfter: { [child.id]: last } }), child.id)
      await again.wire.inbox.wait("process/closed", t.timeoutMs, () =>
        again.events().find(({ kind }) => kind === "closed"),
      )
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
      Check.equal(head + again.text(), lines.join(""), "the output of both connections")
      Check.equal(seqs(again), upTo(seqs(again).at(-1) ?? 0, last + 1), "the seqs of the second connection")
      await wasTold(wire, session)
    },
  },
  "without-it-refused": {
    says: `Without takeover, or with false or null, a session that is attached stays where it is, and the
      resume is refused with -32010.`,
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      const message = `session ${session} is already attached to another connection`
      for (const more of [{}, { takeover: false }, { takeover: null }])
        await (await t.connect()).refused("initialize", resumeParams(session, more), -32010, message)
      await works(wire, child.id, "second")
    },
  },
  "bad-values-refused": {
    says: "A takeover that is not true, false or null is refused with -32602, and the session stays where it is.",
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      const other = await t.connect()
      for (const value of [1, "true", [], {}])
        await other.refused("initialize", resumeParams(session, { takeover: value }), -32602)
      await works(wire, child.id, "second")
    },
  },
  "unknown-and-new": {
    says: `takeover makes no session: an unknown id is refused with -32600, and without resumeSessionId a
      new session is opened.`,
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      const other = await t.connect()
      const params = resumeParams("nobody", { takeover: true })
      await other.refused("initialize", params, -32600, "unknown session id nobody")
      const fresh = await other.handshake({ clientName: "fresh", takeover: true })
      Check.isTrue(fresh["sessionId"] !== session, "a new session has the id of another one")
      await works(wire, child.id, "second")
    },
  },
  attaching: {
    says: "A session can be taken from a connection that has not sent initialized yet.",
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      const half = await t.connect()
      await half.ok("initialize", resumeParams(session, { takeover: true }))
      await wasTold(wire, session)
      const again = await take(t, session, { replayAfter: { [child.id]: 0 } })
      await wasTold(half, session)
      await Child.attach(again, child.id).says("first")
      await works(again, child.id, "second")
    },
  },
  "waiting-read": {
    says:
      "A process/read that waits when its session is taken is answered with -32012 `session has been resumed by " +
      "another connection`, before session/taken; the new connection can wait for the same event.",
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      const { nextSeq } = await child.read()
      const params = { processId: child.id, afterSeq: Number(nextSeq) - 1, waitMs: 600_000 }
      const waiting = [wire.begin("process/read", params), wire.begin("process/read", params)]
      await wire.barrier()
      const again = await take(t, session)
      for (const { error } of await Promise.all(waiting)) {
        Check.equal(error?.code, -32012, "the code of the error")
        Check.equal(error?.message, "session has been resumed by another connection", "the text of the error")
      }
      await wasTold(wire, session)
      const next = again.begin("process/read", params)
      await works(again, child.id, "second")
      const { result } = await next
      Check.equal(Child.chunks(Check.object(result, "the result")).length, 1, "the number of chunks")
    },
  },
  "blocked-write": {
    says: `Writes that wait for a process that does not read end when the session is taken; the new
      connection sends all of them again with their writeIds, and each is written once, in order.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = Gate.shell(await t.open())
      const gate = await Gate.make(other)
      const child = await Child.start(wire, { script: `${gate.wait}; exec cat`, pipeStdin: true })
      const texts = Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(1000, "."))
      const writes = texts.map((text, index) => ({
        processId: child.id,
        chunk: Buffer.from(text).toString("base64"),
        writeId: `write-${index}`,
      }))
      const first = writes.map((params) => wire.begin("process/write", params))
      await wire.barrier()
      const again = await take(t, session)
      await wasTold(wire, session)
      for (const { error } of await Promise.all(first))
        Check.isTrue(error === undefined || error.code === -32012, `a write was refused with ${error?.code}`)
      const second = writes.map((params) => again.begin("process/write", params))
      await other(gate.open)
      for (const { error } of await Promise.all(second))
        Check.equal(error?.message ?? null, null, "an error of a write")
      const echo = Child.attach(again, child.id)
      await echo.has(texts.length * 1000)
      await again.barrier()
      Check.isTrue(echo.text() === texts.join(""), "the process has read something else than was written")
    },
  },
  "just-detached": {
    says: "With takeover a session whose connection was dropped is resumed at once, noticed or not: never -32010.",
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      let last = wire
      for (let round = 0; round < 20; round++) {
        last.channel.drop()
        last = await take(t, session)
        await works(last, child.id, `round ${round}.`)
      }
    },
  },
  "two-at-once": {
    says: `Of several connections that take a session at the same time one has it in the end, with
      everything that it asked for; each other one is told session/taken and ends.`,
    run: async (t) => {
      const { wire, session, child } = await echoing(t)
      for (let round = 0; round < 10; round++) {
        const rivals = await Promise.all(Array.from({ length: 4 }, () => t.connect()))
        const params = resumeParams(session, { takeover: true, replayAfter: { [child.id]: 0 } })
        const answers = await Promise.all(rivals.map((rival) => rival.begin("initialize", params)))
        for (const { error } of answers)
          Check.isTrue(
            error === undefined || error.code === -32012,
            `a taker was refused with ${error?.code}`,
          )
        const open = () => rivals.filter(({ inbox }) => inbox.ended() === undefined)
        while (open().length > 1) await Promise.race(open().map((rival) => wasTold(rival, session)))
        for (const rival of rivals) if (!open().includes(rival)) await wasTold(rival, session)
        const [winner] = open()
        if (winner === undefined) return Check.fail("nobody has the session")
        winner.send({ method: "initialized" })
        await Child.attach(winner, child.id).says("first")
        await works(winner, child.id, `round ${round}.`)
      }
      await wasTold(wire, session)
    },
  },
  "during-a-replay": {
    says: `A session can be taken from a connection that does not read the replay it asked for; the new
      connection gets its own replay whole, once.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = Gate.shell(await t.open())
      const gate = await Gate.make(other)
      const script = `seq 1 100000; ${gate.wait}; echo END; exit 7`
      const child = await Child.start(wire, { script })
      await child.says("\n100000\n")
      const after = { replayAfter: { [child.id]: 0 } }
      for (let round = 0; round < 3; round++) {
        const deaf = await t.connect()
        void deaf.begin("initialize", resumeParams(session, { takeover: true, ...after }))
        await deaf.inbox.wait("the replay", t.timeoutMs, ({ messages }) => messages[3])
        deaf.channel.pause()
      }
      const again = Child.attach(await take(t, session, after), child.id)
      await other(gate.open)
      Check.equal((await again.ended()).exitCode, 7, "the exit code")
      Check.equal(seqs(again), upTo(seqs(again).length), "the seqs")
      Check.isTrue(again.text().endsWith("\n100000\nEND\n"), "the end of the output is missing")
    },
  },
  "stalled-holder": {
    says: `A connection that reads nothing while a process floods it loses its session to a taker like any
      other: the process, which waited for it, goes on.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, {
        script: "read x; yes | head -c 30000000; exit 5",
        pipeStdin: true,
      })
      await child.write("\n")
      await child.has(1)
      wire.channel.pause()
      // Started and ended behind the flood: by then the pipes between are full.
      await Gate.shell(await t.open())("seq 1 200000 >/dev/null")
      // A server that buffers the flood may have sent all of it, to the connection that does not read.
      const replayAfter = { [child.id]: seqs(child).at(-1) ?? 0 }
      const again = Child.attach(await take(t, session, { replayAfter }), child.id)
      await again.wire.inbox.wait("process/closed", t.timeoutMs, () =>
        again.events().find(({ kind }) => kind === "closed"),
      )
      Check.equal(await again.exited(), 5, "the exit code")
      const pushed = seqs(again)
      Check.equal(pushed, upTo(pushed.at(-1) ?? 0, pushed[0]), "the seqs")
    },
  },
  "processes-go-over": {
    says: `Processes, their ids, their writeIds and their limits go over with the session: an id stays
      taken, and a writeId that was accepted is not written again.`,
    run: async (t) => {
      const { session, child } = await echoing(t)
      const written = await child.write("once;", "same")
      Check.equal(written, "accepted", "the status")
      const again = await take(t, session)
      const echo = Child.attach(again, child.id)
      Check.equal(await echo.write("twice;", "same"), "accepted", "the status")
      await echo.write("<end>")
      await echo.says("<end>")
      Check.isTrue(!echo.text().includes("twice"), "a writeId was written again")
      const { error } = await again.begin("process/start", Child.params(again, { id: child.id }))
      Check.equal(error?.code, -32600, "the code for an id that is in use")
    },
  },
})
