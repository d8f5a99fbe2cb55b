/**
 * `process/output`, `process/exited` and `process/closed`: what they carry, and that no byte is lost. The output of
 * a process with a tty: one stream, through a line discipline. The order of notifications: it depends on races, so
 * every case runs many rounds and reports how many it saw.
 */
import { Check, Child, pause, table, type CaseContext } from "../Vocabulary.ts"
import * as Gate from "./gate.ts"

export const output = table("process/output", {
  "streams-and-exit-code": {
    spec: [93],
    says: `A process that writes to stdout and stderr and exits with 3 is reported with output on both
      streams, exited with exitCode 3, and closed.`,
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "echo hi; echo err 1>&2; exit 3" })
      const end = await child.ended()
      Check.equal(child.text("stdout"), "hi\n", "stdout")
      Check.equal(child.text("stderr"), "err\n", "stderr")
      Check.equal(end.exitCode, 3, "the exit code")
      Check.equal(end.events.map(({ seq }) => seq).sort(), [1, 2, 3, 4], "the seqs")
    },
  },
  // guards: order
  "seq-contiguous": {
    spec: [94],
    says: "The seqs of the output, exited and closed of one process are 1 to n, each used once; closed has n.",
    play: async (wire) => {
      for (const script of [
        ":",
        "echo a",
        "for i in 1 2 3 4 5 6 7 8; do echo $i; echo $i >&2; sleep 0.01; done",
      ]) {
        const end = await (await Child.start(wire, { script })).ended()
        const seqs = end.events.map(({ seq }) => seq).sort((a, b) => a - b)
        Check.equal(
          seqs,
          seqs.map((_, index) => index + 1),
          `the seqs of ${script}`,
        )
        Check.equal(end.closedSeq, seqs.length, "the seq of closed")
        for (const kind of ["exited", "closed"]) {
          Check.equal(end.events.filter((event) => event.kind === kind).length, 1, `notifications of ${kind}`)
        }
      }
    },
  },
  "output-in-order": {
    spec: [94],
    says: "The chunks of a stream, joined in the order of seq, are exactly what the process wrote.",
    run: async (t) => {
      const script = "i=0; while [ $i -lt 4000 ]; do echo line $i; i=$((i+1)); done"
      const child = await Child.run(await t.open(), { script })
      const wanted = Array.from({ length: 4000 }, (_, index) => `line ${index}\n`).join("")
      Check.isTrue(
        child.text() === wanted,
        `the output differs from what was written (${child.bytes().length} bytes)`,
      )
    },
  },
  "nothing-lost-at-exit": {
    spec: [94],
    says: "A process that writes 256 KiB and exits at once loses nothing, on stdout and on stderr.",
    play: async (wire) => {
      for (let round = 0; round < 5; round++) {
        const script = "head -c 262144 /dev/zero; head -c 262144 /dev/zero >&2"
        const child = await Child.run(wire, { script })
        for (const stream of ["stdout", "stderr"]) {
          Check.equal(child.bytes(stream).length, 262_144, `bytes on ${stream} in round ${round + 1}`)
        }
      }
    },
  },
  "bytes-are-exact": {
    spec: [140],
    says: "Output that is not text arrives byte for byte.",
    run: async (t) => {
      // Four bytes, which have a padding in base64 and end within a character, then two: never one chunk of six.
      const child = await Child.start(await t.open(), {
        script: "printf '\\000\\377\\376\\303'; read _; printf '\\266\\n'",
        pipeStdin: true,
      })
      await child.has(4)
      await child.write("\n")
      await child.ended()
      Check.equal(child.bytes().toString("hex"), "00fffec3b60a", "the output")
    },
  },
  "late-output": {
    spec: [98],
    says: "Output of a descendant that outlives the process comes after exited and before closed.",
    run: async (t) => {
      const { child, late } = await Gate.orphaned(await t.open())
      await late()
      const end = await child.ended()
      Check.equal(end.exitCode, 3, "the exit code")
      Check.equal(child.text(), "early\nLATE\n", "the output")
      const order = [...end.events].sort((a, b) => a.seq - b.seq).map(({ kind }) => kind)
      Check.equal(order, ["output", "exited", "output", "closed"], "the events in order of seq")
    },
  },
  "exited-is-not-delayed": {
    spec: [98],
    says: "A descendant that holds the output delays closed, not exited.",
    run: async (t) => {
      const { child, late } = await Gate.orphaned(await t.open())
      Check.isTrue(
        child.events().every(({ kind }) => kind !== "closed"),
        "closed came with exited",
      )
      await late()
      await child.ended()
      Check.equal(child.text(), "early\nLATE\n", "the output")
    },
  },
  "big-output-complete": {
    spec: [138],
    says: "While the client reads, all of 8 MiB of output is notified, however little is retained.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { script: "head -c 8388608 /dev/zero" })
      Check.equal(child.bytes().length, 8_388_608, "bytes notified")
    },
  },
  // guards: back-pressure, slow-reader
  "slow-client-stalls-the-process": {
    spec: [145],
    says: "When the client stops reading, a process that writes 40 MB blocks; when it reads again, all bytes arrive.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "head -c 40000000 /dev/zero" })
      wire.channel.pause()
      await pause(1000)
      wire.channel.resume()
      await child.ended()
      Check.equal(child.bytes().length, 40_000_000, "bytes notified")
    },
  },
})

const ofTerminals = { requires: ["pty"] } as const

export const outputTty = table("process/output", ofTerminals, {
  "tty-has-one-stream": {
    spec: [134],
    says: "With tty, stdout and stderr arrive on the stream pty, with carriage returns.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { tty: true, script: "echo out; echo err >&2" })
      Check.equal(child.text("pty"), "out\r\nerr\r\n", "the stream pty")
      Check.equal(child.bytes().length, child.bytes("pty").length, "bytes on all streams")
    },
  },
  "tty-size": {
    level: "should",
    spec: [134],
    says: "A tty has 24 rows and 80 columns.",
    run: async (t) => {
      const child = await Child.run(await t.open(), { tty: true, script: "stty size" })
      Check.equal(child.text(), "24 80\r\n", "the output of stty size")
    },
  },
  "tty-nothing-lost-at-exit": {
    spec: [134],
    says: "A process on a tty that writes 64 KiB and exits at once loses nothing.",
    play: async (wire) => {
      for (let round = 0; round < 10; round++) {
        const child = await Child.run(wire, { tty: true, script: "head -c 65536 /dev/zero | tr '\\0' x" })
        Check.equal(child.bytes().length, 65_536, `bytes in round ${round + 1}`)
      }
    },
  },
})

const rounds = 60

/** Runs many short processes, a few at a time, and counts for how many `holds` is false. */
const manyRounds = async (
  t: CaseContext,
  what: string,
  script: string,
  holds: (child: Child.Child, end: Child.End) => boolean,
): Promise<void> => {
  const wire = await t.open()
  let bad = 0
  for (let round = 0; round < rounds; round += 6) {
    const children = await Promise.all(Array.from({ length: 6 }, () => Child.start(wire, { script })))
    const ends = await Promise.all(children.map((child) => child.ended()))
    for (const [index, child] of children.entries()) {
      const end = ends[index]
      if (end !== undefined && !holds(child, end)) bad++
    }
  }
  t.note(`${what}: ${bad} of ${rounds}`)
  Check.equal(bad, 0, `rounds with ${what}, of ${rounds}`)
}

export const outputOrder = table("process/output/order", {
  "start-answered-first": {
    level: "should",
    spec: [97],
    says: "The answer to a start comes before any notification of that process.",
    run: (t) =>
      manyRounds(t, "notifications before the answer", "echo a", (child, end) => {
        const answered = child.wire.inbox.messages.findIndex(({ text }) => {
          return text.includes('"result"') && text.includes(`"${child.id}"`)
        })
        return end.events.every(({ index }) => index > answered)
      }),
  },
  // guards: order
  "in-order-of-seq": {
    level: "should",
    spec: [95],
    says: "On one connection the notifications of a process come in the order of their seqs.",
    run: (t) =>
      manyRounds(t, "notifications out of order", "echo a; echo b >&2", (_, { events }) =>
        events.every(({ seq }, index) => seq === index + 1),
      ),
  },
  "output-before-exited": {
    level: "should",
    spec: [96],
    says: "The output of a process without descendants has lower seqs than exited.",
    run: (t) =>
      manyRounds(t, "output above exited", "echo a; echo b >&2", (_, { events, exitedSeq }) =>
        events.every(({ kind, seq }) => kind !== "output" || seq < exitedSeq),
      ),
  },
  // guards: closed
  "closed-has-the-highest-seq": {
    spec: [94, 96],
    says: "No output and no exited has a seq above closed, in many rounds.",
    run: (t) =>
      manyRounds(t, "seqs above closed", "echo a; echo b >&2", (_, { events, closedSeq }) =>
        events.every(({ seq }) => seq <= closedSeq),
      ),
  },
})
