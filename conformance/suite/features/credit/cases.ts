/**
 * An extension that a server may announce as `processCredit` in `environmentInfo.capabilities`: how much output of one
 * process is pushed, by `credit` of `process/start` and of `initialize`, and by `process/credit`.
 */
import { Check, Child, table, type CaseContext, type JsonObject, type Wire } from "../../Vocabulary.ts"
import * as Gate from "../../cases/gate.ts"
import { begin, resumed, resumeParams } from "../../cases/resuming.ts"

const credited = { requires: ["process-credit"] } as const
const resuming = {
  ...credited,
  requires: ["process-credit", "session-replay", "resume"],
  transports: "ws",
} as const

/** The most bytes of a chunk. */
const chunk = 65_536
const plenty = 1_000_000_000

const grant = (wire: Wire, processId: string, bytes: number): Promise<JsonObject> =>
  wire.ok("process/credit", { processId, bytes }, {})

const pushed = (child: Child.Child): number => child.bytes().length

/** Longest wait for output beyond a credit. A server that reads no further from a process has none to tell. */
const aheadMs = 2_000

/** Waits until no further chunk needs to fit in what was granted so far, and until the process has printed more. */
const usedUp = async (child: Child.Child, granted: number): Promise<void> => {
  await child.has(granted - chunk + 1)
  await child.read({ afterSeq: child.events().at(-1)?.seq ?? 0, waitMs: aheadMs, maxBytes: 1 })
}

/**
 * Waits until a credit is used up; then lets another process run to its end, so that a server that pushes more has the
 * time to, and checks that it has not.
 */
const within = async (child: Child.Child, granted: number): Promise<void> => {
  await usedUp(child, granted)
  await Gate.shell(child.wire)("seq 1 20000 >/dev/null")
  await child.wire.barrier()
  Check.isTrue(pushed(child) <= granted, `${pushed(child)} bytes came for a credit of ${granted}`)
}

/** A process that never stops to print, up to its credit. */
const flood = async (wire: Wire, credit: number): Promise<Child.Child> => {
  const child = await Child.start(wire, { argv: ["yes"], params: { credit } })
  await within(child, credit)
  return child
}

const numbers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")

/** Checks that notifications of a process came in the order of seq, from `first` on. */
const inOrder = (child: Child.Child, first: number): void => {
  const seqs = child.events().map(({ seq }) => seq)
  Check.equal(
    seqs,
    seqs.map((_, index) => first + index),
    "the seqs",
  )
}

/** Starts a process that prints 300,000 bytes and exits with 4, and drops its connection when the credit is used up. */
const dropped = async (t: CaseContext): Promise<{ session: string; child: Child.Child; last: number }> => {
  const { wire, session } = await begin(t)
  const script = "head -c 300000 /dev/zero; exit 4"
  const child = await Child.start(wire, { script, params: { credit: chunk } })
  await within(child, chunk)
  wire.channel.drop()
  return { session, child, last: child.events().at(-1)?.seq ?? 0 }
}

export const processCredit = table("process/credit", credited, {
  "nothing-beyond-it": {
    says: `process/start with credit N pushes output as long as the next chunk fits in what is left of N
      bytes (decoded), and no more.`,
    play: async (wire) => {
      for (const credit of [chunk, 200_000]) await (await flood(wire, credit)).terminate()
    },
  },
  "small-chunks-count-as-64": {
    says: "A chunk of fewer than 64 bytes counts as 64: of one byte each, a credit of 65,536 is 1,024 chunks.",
    play: async (wire, t) => {
      const child = await Child.start(wire, { argv: ["cat"], pipeStdin: true, params: { credit: chunk } })
      const most = chunk / 64
      for (let count = 1; count <= most; count++) {
        await child.write("x")
        await child.has(count)
      }
      await child.write("y")
      await child.read({ afterSeq: most, waitMs: t.timeoutMs })
      await wire.barrier()
      Check.equal(pushed(child), most, "the number of chunks")
      await grant(wire, child.id, 64)
      await child.says("y")
    },
  },
  "others-go-on": {
    says: "While a process has no credit left, another one on the same connection is pushed whole, to its end.",
    play: async (wire) => {
      const waiting = await Child.start(wire, { argv: ["yes"], params: { credit: chunk } })
      await waiting.has(1)
      const other = await Child.run(wire, { argv: ["seq", "300000"], params: { credit: null } })
      Check.isTrue(
        other.text() === numbers(300_000),
        "the output of the other process is not what it printed",
      )
      Check.isTrue(pushed(waiting) <= chunk, `${pushed(waiting)} bytes came for a credit of ${chunk}`)
    },
  },
  "grants-go-on-where-it-stopped": {
    says: `process/credit {processId, bytes} returns {} and adds to what is left: the output goes on with
      the next seq, no byte is lost or doubled, and none comes before its grant.`,
    play: async (wire) => {
      const child = await Child.start(wire, { argv: ["seq", "60000"], params: { credit: chunk } })
      for (let granted = chunk; granted < 400_000; granted += 20_000) {
        if (granted < 340_000) await usedUp(child, granted)
        await wire.barrier()
        Check.isTrue(pushed(child) <= granted, `${pushed(child)} bytes came for a credit of ${granted}`)
        await grant(wire, child.id, 20_000)
      }
      Check.equal((await child.ended()).exitCode, 0, "the exit code")
      Check.isTrue(child.text() === numbers(60_000), "the output is not what the process printed")
      inOrder(child, 1)
    },
  },
  "end-waits-too": {
    says: "process/exited and process/closed come behind the output that waits for credit, in the order of seq.",
    play: async (wire, t) => {
      const script = "head -c 100000 /dev/zero; exit 3"
      const child = await Child.start(wire, { script, params: { credit: chunk } })
      await within(child, chunk)
      const state = await child.read({ afterSeq: 1_000_000, waitMs: t.timeoutMs })
      Check.equal(state["closed"], true, "closed, in the answer to a read")
      const early = child.events().find(({ kind }) => kind !== "output")
      Check.equal(early?.kind ?? null, null, "an event that is no output")
      await grant(wire, child.id, plenty)
      Check.equal((await child.ended()).exitCode, 3, "the exit code")
      Check.equal(pushed(child), 100_000, "the number of bytes")
      inOrder(child, 1)
    },
  },
  "first-grant-begins-it": {
    says: "A process that was started without credit is pushed within the bytes of its first process/credit from then on.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "read line; exec yes", pipeStdin: true })
      await grant(wire, child.id, 100_000)
      await child.write("\n")
      await within(child, 100_000)
      await grant(wire, child.id, 100_000)
      await within(child, 200_000)
    },
  },
  "right-behind-the-start": {
    says: "A process/credit that is sent right behind the start, without waiting, adds to the credit of the start.",
    play: async (wire) => {
      const params = Child.params(wire, { id: "p", argv: ["yes"], params: { credit: chunk } })
      const replies = await Promise.all([
        wire.begin("process/start", params),
        wire.begin("process/credit", { processId: "p", bytes: 100_000 }),
      ])
      for (const { error } of replies) Check.equal(error?.message ?? null, null, "an error")
      await within(Child.attach(wire, "p"), chunk + 100_000)
    },
  },
  "read-is-free": {
    says: "process/read returns retained output whatever credit is left, and uses none of it.",
    play: async (wire) => {
      const child = await flood(wire, chunk)
      const read = Child.chunks(await child.read())
      const bytes = read.reduce((sum, { bytes }) => sum + bytes.length, 0)
      Check.isTrue(bytes >= pushed(child), `${bytes} bytes were read, ${pushed(child)} were pushed`)
      await grant(wire, child.id, chunk)
      await within(child, 2 * chunk)
      inOrder(child, 1)
    },
  },
  "terminate-needs-none": {
    says: `terminate of a process that waits for credit returns running true and kills it; process/read
      tells its end without a grant, and the notifications come with one.`,
    play: async (wire, t) => {
      const child = await flood(wire, chunk)
      Check.equal(await child.terminate(), true, "running")
      let afterSeq = 0
      for (let closed = false; !closed;) {
        const state = await child.read({ afterSeq, waitMs: t.timeoutMs })
        afterSeq = Check.integer(state["nextSeq"], "nextSeq") - 1
        closed = Check.flag(state["closed"], "closed")
        if (closed) Check.equal(state["exitCode"], 137, "the exit code in the result of process/read")
      }
      Check.isTrue(pushed(child) <= chunk, `${pushed(child)} bytes came for a credit of ${chunk}`)
      await grant(wire, child.id, plenty)
      Check.equal((await child.ended()).exitCode, 137, "the exit code")
    },
  },
  "after-the-end": {
    says: "process/credit of a process that has closed returns {}.",
    play: async (wire) => {
      const child = await Child.run(wire, { script: "echo bye", params: { credit: chunk } })
      await grant(wire, child.id, 1)
      const free = await Child.run(wire, { script: "echo bye" })
      await grant(wire, free.id, 0)
    },
  },
  "bad-values-refused": {
    says: `process/credit of an unknown process is refused with -32600; bytes that are missing, negative,
      fractional, no number or above 2^53-1, also in sum with what is left, with -32602, as is a credit of
      process/start that is less than 65,536, the largest chunk.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "sleep 60" })
      const credit = (bytes: unknown) => ({ processId: child.id, bytes }) as { readonly bytes: number }
      const unknown = { processId: "none", bytes: 1 }
      await wire.refused("process/credit", unknown, -32600, "unknown process id none")
      for (const bytes of [undefined, null, -1, 1.5, "1", 2 ** 53])
        await wire.refused("process/credit", credit(bytes), -32602)
      await grant(wire, child.id, Number.MAX_SAFE_INTEGER - 1)
      await wire.refused("process/credit", credit(2), -32602)
      await grant(wire, child.id, 1)
      for (const bytes of [-1, 0, 1.5, 65_535, "65536", 2 ** 53])
        await wire.refused("process/start", Child.params(wire, { params: { credit: bytes } }), -32602)
    },
  },
  "after-it-is-forgotten": {
    requires: ["process-credit", "process-attach"],
    says: `Output that waits for credit comes although its process is forgotten meanwhile: process/credit
      takes grants for it until process/closed, of the process and of an attachment.`,
    play: async (wire) => {
      // Less than what servers keep for a client before they pause a child, which must end by itself.
      const script = "head -c 200000 /dev/zero; exit 4"
      const child = await Child.start(wire, { script, params: { credit: chunk } })
      await wire.ok("process/attach", { processId: child.id, as: "seen", credit: chunk })
      const seen = Child.attach(wire, "seen")
      await usedUp(child, chunk)
      await usedUp(seen, chunk)
      while (!(await child.read({ afterSeq: 0, waitMs: aheadMs })).closed);
      await wire.ok("process/terminate", { processId: child.id, remove: true })
      await wire.refused("process/read", { processId: child.id }, -32600)
      for (const each of [child, seen]) {
        await grant(wire, each.id, plenty)
        Check.equal(await each.exited(), 4, "the exit code")
        await each.ended()
        Check.equal(pushed(each), 200_000, "the bytes")
        inOrder(each, 1)
        await wire.refused("process/credit", { processId: each.id, bytes: 1 }, -32600)
      }
    },
  },
  "anew-with-a-resume": {
    ...resuming,
    says: `A resume with credit {ID: N} pushes N bytes of that process, whatever was left or granted before;
      grants go on from there.`,
    run: async (t) => {
      const { session, child, last } = await dropped(t)
      const params = { replayAfter: { [child.id]: last }, credit: { [child.id]: 100_000, nobody: 5 } }
      const again = Child.attach(await resumed(t, session, params), child.id)
      await within(again, 100_000)
      await grant(again.wire, child.id, plenty)
      Check.equal(await again.exited(), 4, "the exit code")
      Check.equal(pushed(child) + pushed(again), 300_000, "the bytes of both connections")
      inOrder(again, last + 1)
    },
  },
  "not-named-in-a-resume": {
    ...resuming,
    says: `A process that a resume does not name in credit is pushed without a bound; values that are
      negative, fractional or no number are refused with -32602.`,
    run: async (t) => {
      const { session, child, last } = await dropped(t)
      const other = await t.connect()
      for (const credit of [{ p: -1 }, { p: 1.5 }, { p: "1" }, { p: null }, [1], 5])
        await other.refused("initialize", resumeParams(session, { credit }), -32602)
      const wire = await resumed(t, session, { replayAfter: { [child.id]: last }, credit: null })
      const again = Child.attach(wire, child.id)
      Check.equal(await again.exited(), 4, "the exit code")
      Check.equal(pushed(child) + pushed(again), 300_000, "the bytes of both connections")
    },
  },
})
