/**
 * An extension that a server may announce as `sessionReplay` in `environmentInfo.capabilities`:
 * `initialize {resumeSessionId, replayAfter: {processId: seq}}` pushes the events that a lost connection has missed.
 */
import { Check, Child, table, type CaseContext, type Wire } from "../../Vocabulary.ts"
import * as Gate from "../../cases/gate.ts"
import { begin, resumed, resumeParams } from "../../cases/resuming.ts"

const replay = {
  transports: "ws",
  requires: ["resume", "session-replay"],
} as const

const seqs = (child: Child.Child): ReadonlyArray<number> => child.events().map(({ seq }) => seq)

const upTo = (last: number, first = 1): ReadonlyArray<number> =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Starts a process, drops its connection after the first event, and lets the process run a script to its end. */
const missed = async (t: CaseContext, script: string): Promise<{ session: string; id: string }> => {
  const { wire, session } = await begin(t)
  const other = await t.open()
  const lost = await Gate.make(Gate.shell(other))
  const child = await Child.start(wire, { script: `echo pid $$.; ${lost.wait}; ${script}` })
  await child.says(".")
  wire.channel.drop()
  await Gate.shell(other)(lost.open)
  await Gate.gone(other, Number(/pid (\d+)\./.exec(child.text())?.[1]))
  return { session, id: child.id }
}

/** Writes a line and waits for the answer to the write only. */
const go = async (wire: Wire, processId: string): Promise<void> => {
  const { error } = await wire.begin("process/write", {
    processId,
    chunk: "Cg==",
    writeId: `go ${processId}`,
  })
  Check.equal(error?.message ?? null, null, "an error of the write")
}

export const sessionReplay = table("session/replay", replay, {
  "missed-is-pushed": {
    says: `After the answer to a resume with replayAfter {ID: N}, every event of that process above N is
      pushed once, in the order of seq, without a gap.`,
    run: async (t) => {
      const { session, id } = await missed(t, "for i in 1 2 3 4 5; do echo $i; sleep 0.05; done")
      const again = await resumed(t, session, { replayAfter: { [id]: 1 } })
      const child = Child.attach(again, id)
      await child.says("5\n")
      await again.barrier()
      Check.equal(child.text(), "1\n2\n3\n4\n5\n", "the output")
      Check.equal(seqs(child), upTo(1 + child.events().length, 2), "the seqs")
      const answer = again.inbox.messages.findIndex(({ text }) => text.includes('"sessionId"'))
      Check.isTrue((child.events()[0]?.index ?? 0) > answer, "a notification came before the answer")
    },
  },
  "exit-and-end": {
    says: "A replay includes a missed exit and end: process/exited and process/closed with their seqs.",
    run: async (t) => {
      const { session, id } = await missed(t, "echo bye; exit 9")
      const child = Child.attach(await resumed(t, session, { replayAfter: { [id]: 1 } }), id)
      await child.says("bye")
      Check.equal(await child.exited(), 9, "the exit code")
      await child.wire.barrier()
      const kinds = child.events().map(({ kind }) => kind)
      // A server on a busy machine may see the exit before it reads the output.
      Check.equal([...kinds].sort(), ["closed", "exited", "output"], "the events")
      Check.equal(kinds.at(-1) ?? null, "closed", "the last event")
      Check.equal(seqs(child), [2, 3, 4], "the seqs")
    },
  },
  "goes-over-into-the-new": {
    says: `The events of a process that writes during the resume are pushed from N on, missed and new ones,
      without a gap or a duplicate, to its end.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = Gate.shell(await t.open())
      const half = await Gate.make(other)
      const tick = `[ $i -ne 50 ] || { ${half.open}; }; sleep 0.005`
      const script = `i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); ${tick}; done`
      const child = await Child.start(wire, { script })
      await child.says("line 3\n")
      const before = child.events().filter(({ kind }) => kind === "output")
      const last = Math.max(...before.map(({ seq }) => seq))
      const head = child.text()
      wire.channel.drop()
      await other(half.wait)
      const again = Child.attach(await resumed(t, session, { replayAfter: { [child.id]: last } }), child.id)
      await again.wire.inbox.wait("process/closed", t.timeoutMs, () =>
        again.events().find(({ kind }) => kind === "closed"),
      )
      const text = head + again.text()
      const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
      Check.equal(text, lines.join(""), "the output of both connections")
      const closed = seqs(again).at(-1) ?? 0
      Check.equal(seqs(again), upTo(closed, last + 1), "the seqs of the second connection")
    },
  },
  "again-for-each-resume": {
    says: "A replay consumes nothing: each resume gets what it asks for, from any seq.",
    run: async (t) => {
      const { session, id } = await missed(t, "printf x; exit 4")
      for (const after of [0, 2, 0, 1, 4]) {
        const wire = await resumed(t, session, { replayAfter: { [id]: after } })
        const child = Child.attach(wire, id)
        await wire.inbox.wait("the replay", t.timeoutMs, () => seqs(child).length >= 4 - after || undefined)
        await wire.barrier()
        Check.equal(seqs(child), upTo(4, after + 1), `the seqs above ${after}`)
        wire.channel.drop()
      }
    },
  },
  "others-as-without": {
    says: `Processes that replayAfter does not name are not replayed: missed events are read with
      process/read, new ones are pushed.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const other = Gate.shell(await t.open())
      const written = await Gate.make(other)
      const script = `read x; echo missed; ${written.open}; read x; echo new; sleep 60`
      const child = await Child.start(wire, { script, pipeStdin: true })
      await go(wire, child.id)
      wire.channel.drop()
      await other(written.wait)
      const again = Child.attach(await resumed(t, session, { replayAfter: { other: 0 } }), child.id)
      await again.write("\n")
      await again.says("new")
      Check.equal(again.text(), "new\n", "what was pushed")
    },
  },
  "strange-values": {
    says: `Unknown ids in replayAfter are ignored, and a seq that does not exist yet means the last one;
      null means no replay, also for a new session.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true })
      wire.channel.drop()
      const again = await resumed(t, session, { replayAfter: { [child.id]: 1_000_000, nobody: 5 } })
      const echo = Child.attach(again, child.id)
      await echo.write("here")
      await echo.says("here")
      const fresh = await t.connect()
      await fresh.handshake({ clientName: "fresh", replayAfter: null })
    },
  },
  "bad-values-refused": {
    says: `A replayAfter that is not an object, or has a seq that is negative, fractional or not a number,
      is refused with -32602; the session can still be resumed.`,
    run: async (t) => {
      const { wire, session } = await begin(t)
      wire.channel.drop()
      const other = await t.connect()
      for (const replayAfter of [{ p: -1 }, { p: 1.5 }, { p: "1" }, { p: null }, [1], "p"])
        await other.refused("initialize", resumeParams(session, { replayAfter }), -32602)
      await resumed(t, session)
    },
  },
  "evicted-start-shows": {
    says: `When events above N are no longer retained, the first pushed seq is above N + 1, and nothing is
      missing after it.`,
    run: async (t) => {
      const { session, id } = await missed(t, "head -c 5000000 /dev/zero; printf END; exit 8")
      const wire = await resumed(t, session, { replayAfter: { [id]: 1 } })
      const child = Child.attach(wire, id)
      const closed = await wire.inbox.wait("process/closed", t.timeoutMs, () =>
        child.events().find(({ kind }) => kind === "closed"),
      )
      const [first = 0] = seqs(child)
      Check.isTrue(first > 2, `the first seq is ${first}`)
      Check.equal(seqs(child), upTo(closed.seq, first), "the seqs")
      Check.equal(child.bytes().subarray(-3).toString(), "END", "the last bytes")
      Check.equal(await child.exited(), 8, "the exit code")
    },
  },
})
