/**
 * An extension that a server may announce as `processMarks` in `environmentInfo.capabilities`: `process/mark`, and
 * `marks` of `process/start` and `process/read`.
 */
import { Check, Child, table, type Json, type JsonObject } from "../../Vocabulary.ts"
import { begin, resumed } from "../../cases/resuming.ts"

const marks = { requires: ["process-marks"] } as const

const [prompt, run, failed] = ["\u001b]133;A\u0007", "\u001b]633;C\u0007", "\u001b]133;D;7\u001b\\"]
const printf = (text: string) =>
  `printf '${text.replaceAll("\\", "\\\\").replaceAll("\u001b", "\\033").replaceAll("\u0007", "\\007")}'`
/** The output of a shell for one command, with its directory. */
const printed = `\u001b]633;P;Cwd=/a\u0007${prompt}$ ls\n${run}file\n${failed}`
const script = printf(printed)

/** Events in the order of seq: the text of output, and what a mark says. */
const told = (events: ReadonlyArray<Child.Event>): ReadonlyArray<Json> =>
  [...events]
    .sort((a, b) => a.seq - b.seq)
    .map(({ kind, params }) =>
      kind === "output"
        ? Buffer.from(Check.text(params["chunk"], "a chunk"), "base64").toString()
        : kind === "mark"
          ? [params["kind"] ?? null, params["exitCode"] ?? null, params["cwd"] ?? null]
          : kind,
    )

/** The same with output that was cut otherwise put together. */
const joined = (list: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  list.reduce<Array<Json>>((found, one) => {
    const last = found.at(-1)
    const joins = typeof one === "string" && typeof last === "string" && one !== "exited" && one !== "closed"
    return joins ? [...found.slice(0, -1), `${last}${one}`] : [...found, one]
  }, [])

const expected: ReadonlyArray<Json> = [
  `\u001b]633;P;Cwd=/a\u0007${prompt}`,
  ["promptStart", null, "/a"],
  `$ ls\n${run}`,
  ["commandStart", null, "/a"],
  `file\n${failed}`,
  ["commandEnd", 7, "/a"],
  "exited",
  "closed",
]

const seqsOf = (state: JsonObject, name: string): ReadonlyArray<number> =>
  Check.list(state[name], name).map((one) => Check.integer(Check.object(one, name)["seq"], "a seq"))

/** The seqs of chunks and marks, page by page. */
const read = async (child: Child.Child, through: number, maxBytes: number | null) => {
  const seqs: Array<number> = []
  for (let afterSeq = 0; afterSeq < through;) {
    const state = await child.read({ afterSeq, maxBytes })
    seqs.push(...seqsOf(state, "chunks"), ...seqsOf(state, "marks"))
    afterSeq = Check.integer(state["nextSeq"], "nextSeq") - 1
  }
  return seqs
}

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

export const processMarks = table("process/marks", marks, {
  "between-the-output": {
    says: `With marks: true the sequences OSC 133 and 633 A, C and D in stdout are told as process/mark,
      each behind the output that ends with it and in front of the rest, with a seq of its own, exitCode and
      cwd; the output is unchanged.`,
    run: async (t) => {
      const child = await Child.start(await t.open(), { script, params: { marks: true } })
      const { events } = await child.ended()
      Check.equal([...joined(told(events))], [...expected], "the events")
    },
  },
  "of-a-terminal": {
    requires: ["process-marks", "pty"],
    says: "The marks in the output of a PTY are told.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script, tty: true, params: { marks: true } })
      const { events } = await child.ended()
      const text = expected.map((one) => (typeof one === "string" ? one.replaceAll("\n", "\r\n") : one))
      Check.equal([...joined(told(events))], [...text], "the events")
    },
  },
  "over-chunks": {
    says: "A mark whose bytes come in several chunks is told once, behind the last of them.",
    run: async (t) => {
      const parts = ["\u001b", "]13", "3;D;", "4", "2\u001b", "\\\\"]
      const steps = parts.map((part) => `${printf(part.replace("\\\\", "\\"))}; read -r line`)
      const wire = await t.open()
      const params = { marks: true }
      const child = await Child.start(wire, { script: steps.join("; "), pipeStdin: true, params })
      let bytes = 0
      for (const part of parts) {
        await child.has((bytes += part.replace("\\\\", "\\").length))
        await child.write("go\n")
      }
      const { events } = await child.ended()
      Check.equal(
        [...joined(told(events))],
        ["\u001b]133;D;42\u001b\\", ["commandEnd", 42, null], "exited", "closed"],
        "the events",
      )
    },
  },
  "only-when-asked": {
    says: "Without marks, and with null or false, no mark is told or read; its bytes are output as any other.",
    play: async (wire) => {
      for (const params of [{}, { marks: null }, { marks: false }]) {
        const child = await Child.start(wire, { script, params })
        const { events } = await child.ended()
        Check.equal([...joined(told(events))], [printed, "exited", "closed"], "the events")
        Check.equal((await child.read())["marks"] ?? null, null, "marks in the result of process/read")
      }
    },
  },
  "in-reads": {
    says: `process/read has in marks those above afterSeq and below nextSeq; with the chunks, exited and
      closed they are every seq, also over pages.`,
    run: async (t) => {
      const child = await Child.start(await t.open(), { script, params: { marks: true } })
      const { closedSeq, exitedSeq } = await child.ended()
      for (const maxBytes of [null, 1]) {
        const seqs = [...(await read(child, closedSeq, maxBytes)), exitedSeq, closedSeq]
        Check.equal(
          seqs.sort((a, b) => a - b),
          upTo(closedSeq),
          "the seqs",
        )
      }
    },
  },
  "kept-with-a-history": {
    requires: ["process-marks", "output-history"],
    says: `Of a process with a history, process/read has the marks as long as the output around them, far
      behind what a server retains without: nothing is missing from the first seq on.`,
    run: async (t) => {
      const flood = `${script}; seq 100001 300000; ${script}`
      const params = { marks: true, history: { maxBytes: 64 * 1024 * 1024 } }
      const child = await Child.start(await t.open(), { script: flood, params })
      const { closedSeq, exitedSeq } = await child.ended()
      const seqs = new Set([...(await read(child, closedSeq, null)), exitedSeq, closedSeq])
      Check.equal(
        upTo(closedSeq).filter((seq) => !seqs.has(seq)),
        [],
        "the seqs that are missing",
      )
    },
  },
  "replayed-once": {
    requires: ["process-marks", "resume", "session-replay"],
    transports: "ws",
    says: "A resume with replayAfter is sent the marks above that seq again, once and in the order of the output.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await Child.start(wire, { script, params: { marks: true } })
      const { events } = await child.ended()
      wire.channel.drop()
      for (const seq of [0, ...events.filter(({ kind }) => kind === "mark").map((mark) => mark.seq)]) {
        const again = await resumed(t, session, { replayAfter: { [child.id]: seq } })
        const wanted = events.filter((event) => event.seq > seq)
        const replayed = Child.attach(again, child.id)
        const through = wanted.length
        await again.inbox.wait("the events", t.timeoutMs, () =>
          replayed.events().length >= through ? true : undefined,
        )
        Check.equal([...told(replayed.events())], [...told(wanted)], `the events above ${seq}`)
        again.channel.drop()
      }
    },
  },
  "other-sequences-are-none": {
    says: "Titles, colours, other kinds, sequences that are broken off or too long are no marks; one behind them is.",
    play: async (wire) => {
      for (const other of [
        "\u001b]0;x\u0007",
        "\u001b[31m",
        "\u001b]133;Z\u0007",
        "\u001b]133;D;1\u001b[m",
        "\u001b\u001b",
      ]) {
        const child = await Child.start(wire, {
          script: printf(`${other}${prompt}`),
          params: { marks: true },
        })
        const { events } = await child.ended()
        const found = [...joined(told(events))]
        Check.equal(
          found,
          [`${other}${prompt}`, ["promptStart", null, null], "exited", "closed"],
          "the events",
        )
      }
    },
  },
})
