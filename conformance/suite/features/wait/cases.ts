/**
 * An extension that a server may announce as `processWait` in `environmentInfo.capabilities`: `process/wait` answers
 * once, when one of its conditions has come true.
 */
import { Check, Child, table, type Json, type JsonObject } from "../../Vocabulary.ts"
import * as Gate from "../../cases/gate.ts"

const waits = { requires: ["process-wait"] } as const

const wait = (
  child: Child.Child,
  until: ReadonlyArray<JsonObject>,
  more: JsonObject = {},
): Promise<JsonObject> => child.wire.ok("process/wait", { processId: child.id, until, ...more })

/** A process that runs each line of its input as a script. */
const obedient = (wire: Child.Child["wire"]): Promise<Child.Child> =>
  Child.start(wire, { script: 'while read -r line; do eval "$line"; done', pipeStdin: true })

const met = (answer: JsonObject, index: Json, what: string): void =>
  Check.equal(answer["met"] ?? null, index, `met ${what}`)

const evidence = (answer: JsonObject, name: string): Json =>
  Check.object(answer["evidence"], "evidence")[name] ?? null

const matchOf = (answer: JsonObject): JsonObject => Check.object(evidence(answer, "match"), "the match")

const textOf = (answer: JsonObject, name: string): string =>
  Child.chunks({ chunks: answer[name] ?? null })
    .map(({ bytes }) => bytes.toString())
    .join("")

export const processWait = table("process/wait", waits, {
  "tells-the-exit": {
    says: `{exit: true} comes true at the exit, with its code in evidence.exitCode; the answer has the state
      and what was printed. It is also true of a process that has exited before.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "echo bye; exit 7" })
      for (const when of ["at the exit", "afterwards"]) {
        const answer = await wait(child, [{ bytes: 1_000_000 }, { exit: true }])
        met(answer, 1, when)
        Check.equal(evidence(answer, "exitCode"), 7, "evidence.exitCode")
        Check.has(answer, { exited: true, exitCode: 7 }, "the state")
        Check.equal(textOf(answer, "head"), "bye\n", "what was printed")
      }
    },
  },
  "finds-text-over-chunks": {
    says: `{pattern} finds a match that begins in one chunk and ends in another; evidence.match has its
      text, its stream, and where it begins and ends, as seq and offset of bytes.`,
    play: async (wire) => {
      const child = await obedient(wire)
      const answer = wait(child, [{ pattern: "pass(?:word|phrase) [0-9]+:" }])
      await child.write("printf 'a pass'\n")
      await child.says("pass")
      await child.write("printf 'word 1'\n")
      await child.says("word 1")
      await child.write("printf '2: x'\n")
      const { stream, text, from, to } = matchOf(await answer)
      Check.equal([stream ?? null, text ?? null], ["stdout", "password 12:"], "the match")
      const places = [Check.object(from, "from"), Check.object(to, "to")]
      Check.equal(
        places,
        [
          { seq: 1, offset: 2 },
          { seq: 3, offset: 2 },
        ],
        "where the match is",
      )
    },
  },
  "finds-what-was-printed-before": {
    says: "Output after afterSeq that was printed before the wait counts, also by default; output up to it does not.",
    play: async (wire) => {
      const child = await obedient(wire)
      await child.write("echo one\n")
      await child.says("one")
      await child.write("echo two\n")
      await child.says("two")
      const first = matchOf(await wait(child, [{ pattern: "o" }]))
      Check.equal(Check.object(first["from"], "from")["seq"], 1, "the seq of the first o")
      const second = matchOf(await wait(child, [{ pattern: "o" }], { afterSeq: 1 }))
      Check.equal(Check.object(second["from"], "from")["seq"], 2, "the seq of the o behind seq 1")
      met(await wait(child, [{ pattern: "o" }], { afterSeq: 2, timeoutMs: 50 }), null, "behind the last seq")
    },
  },
  "looks-at-the-stream-that-is-named": {
    says: "With stream a pattern is looked for in that stream alone; without, in each by itself.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "echo ready >&2; sleep 600" })
      await child.says("ready")
      const named = await wait(child, [
        { pattern: "ready", stream: "stdout" },
        { pattern: "ready", stream: "stderr" },
      ])
      met(named, 1, "of two streams")
      Check.equal(matchOf(await wait(child, [{ pattern: "ready" }]))["stream"], "stderr", "the stream")
    },
  },
  "knows-flags": {
    says: "flags: i ignores case, m lets ^ and $ match at lines, s lets . match the end of a line, l is plain text.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "printf 'One.\\nTwo+\\n'; sleep 600" })
      await child.says("Two+")
      for (const [flags, pattern, wanted] of [
        ["i", "ONE", "One"],
        ["m", "^T.o", "Two"],
        ["m", "\\.$", "."],
        ["s", "e..T", "e.\nT"],
        ["l", "o+", "o+"],
        ["", "w.\\+", "wo+"],
      ] as const) {
        const { text } = matchOf(await wait(child, [{ pattern, flags }]))
        Check.equal(text ?? null, wanted, `the match of ${pattern} with flags ${flags}`)
      }
      const none = [{ pattern: "ONE" }, { pattern: "^T" }, { pattern: "e..T" }, { pattern: "n.", flags: "l" }]
      met(await wait(child, none, { timeoutMs: 50 }), null, "without the flags")
    },
  },
  "takes-linear-time": {
    says: `A pattern on which others backtrack, (a+)+$, stalls nobody on a mebibyte: requests are answered
      meanwhile, and a pattern behind it in the list comes true.`,
    play: async (wire) => {
      const script = "head -c 1000000 /dev/zero | tr '\\0' a; printf b; sleep 600"
      const child = await Child.start(wire, { script })
      const answer = wait(child, [{ pattern: "^(a+)+$" }, { pattern: "ab" }])
      await wire.barrier()
      met(await answer, 1, "in a mebibyte")
    },
  },
  "is-quiet-no-sooner": {
    says: `{idleMs} comes true when nothing was printed for so long, counted from the begin of the wait:
      evidence.idleMs is no more than the wait took.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "echo; sleep 600" })
      await child.says("\n")
      await Gate.shell(wire)("sleep 0.4")
      const begin = performance.now()
      const answer = await wait(child, [{ idleMs: 300 }])
      const took = performance.now() - begin
      met(answer, 0, "in silence")
      Check.isTrue(took >= 290, `it was quiet for 300 ms after ${Math.round(took)} ms`)
      const idle = Check.integer(evidence(answer, "idleMs"), "evidence.idleMs")
      // However long the answer was under way: the clocks are read once each, in whole milliseconds.
      Check.isTrue(idle >= 300 && idle <= took + 2, `evidence.idleMs is ${idle}, of a wait of ${took} ms`)
    },
  },
  "counts-bytes-after-a-seq": {
    says: "{bytes} comes true when so many bytes were printed after afterSeq; evidence.bytes says how many.",
    play: async (wire) => {
      const child = await obedient(wire)
      await child.write("printf 12345\n")
      await child.has(5)
      met(await wait(child, [{ bytes: 5 }], { afterSeq: 1, timeoutMs: 50 }), null, "with none after the seq")
      const answer = wait(child, [{ bytes: 5 }], { afterSeq: 1 })
      await child.write("printf 1234567\n")
      Check.equal(evidence(await answer, "bytes"), 7, "evidence.bytes")
    },
  },
  "ends-with-the-process": {
    says: `When the process is closed, {closed: true} comes true, and a wait that did not ask for that is
      answered with met: null; so is one that comes later.`,
    play: async (wire) => {
      const child = await Child.start(wire, { script: "read line", pipeStdin: true })
      const answers = [wait(child, [{ closed: true }]), wait(child, [{ pattern: "never" }])]
      await child.write("\n")
      const [closed, nothing] = await Promise.all(answers)
      met(closed ?? {}, 0, "at the end")
      met(nothing ?? {}, null, "at the end, of a pattern")
      Check.equal([closed?.["closed"] ?? null, nothing?.["closed"] ?? null], [true, true], "closed")
      const late = await wait(child, [{ pattern: "never" }])
      met(late, null, "after the end")
    },
  },
  "knows-the-end-of-the-text": {
    says: "Without the flag m, $ is the end of all output of its stream, and true when the process is closed.",
    play: async (wire) => {
      const child = await Child.start(wire, {
        script: "printf 'done'; read line; printf ' is done'",
        pipeStdin: true,
      })
      const answer = wait(child, [{ pattern: "done$" }])
      await child.says("done")
      await child.write("\n")
      const { from } = matchOf(await answer)
      Check.equal(Check.object(from, "from"), { seq: 2, offset: 4 }, "where the match begins")
    },
  },
  "ends-when-its-time-has-passed": {
    says: "After timeoutMs the answer is met: null, of a process that goes on; 0 looks and answers at once.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "echo; sleep 600" })
      await child.says("\n")
      const begin = performance.now()
      const answer = await wait(child, [{ exit: true }], { timeoutMs: 200 })
      const took = performance.now() - begin
      met(answer, null, "after the timeout")
      Check.isTrue(took >= 190, `200 ms had passed after ${Math.round(took)} ms`)
      Check.has(answer, { exited: false, closed: false }, "the state")
      met(await wait(child, [{ exit: true }], { timeoutMs: 0 }), null, "without any time")
      met(await wait(child, [{ bytes: 1 }], { timeoutMs: 0 }), 0, "without any time, of what is so")
    },
  },
  "takes-the-first-of-several": {
    says: "Of several conditions that hold, met is the first of the list.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "printf ab; sleep 600" })
      await child.has(2)
      met(
        await wait(child, [{ exit: true }, { pattern: "b" }, { pattern: "a" }, { bytes: 1 }]),
        1,
        "of three",
      )
    },
  },
  "returns-head-and-tail": {
    says: `head and tail have at most maxBytes of the output after afterSeq, from its begin and its end, and
      omittedBytes lie between them; head has everything that fits.`,
    play: async (wire) => {
      const child = await Child.run(wire, { script: "printf 0123456789; printf abcdefghij >&2" })
      const parts = (answer: JsonObject) => ({
        all: textOf(answer, "head").length + textOf(answer, "tail").length,
        omittedBytes: answer["omittedBytes"] ?? null,
      })
      const whole = await wait(child, [{ closed: true }], { maxBytes: 20 })
      Check.equal(parts(whole), { all: 20, omittedBytes: 0 }, "an answer with room for all")
      Check.equal(textOf(whole, "tail"), "", "the tail of an answer with room for all")
      const some = await wait(child, [{ closed: true }], { maxBytes: 6 })
      Check.equal(parts(some), { all: 6, omittedBytes: 14 }, "an answer of six bytes")
      const text = textOf(whole, "head")
      Check.equal(text.startsWith(textOf(some, "head")), true, "head is the begin")
      Check.equal(text.endsWith(textOf(some, "tail")), true, "tail is the end")
      Check.isTrue(textOf(some, "tail") !== "", "there is a tail")
    },
  },
  "tells-of-a-gap": {
    says: "Seqs after afterSeq that the server has no longer are told as gap {from, to}; without such there is none.",
    play: async (wire) => {
      const child = await Child.run(wire, { script: "head -c 5000000 /dev/zero" })
      const first = Child.chunks(await child.read())[0]?.seq ?? 0
      const answer = await wait(child, [{ closed: true }], { maxBytes: 10 })
      Check.equal(answer["gap"], { from: 1, to: first - 1 }, "the gap")
      const none = await wait(child, [{ closed: true }], { afterSeq: first - 1, maxBytes: 10 })
      Check.equal("gap" in none, false, "a gap behind what is gone")
    },
  },
  "delays-nobody": {
    says: "Waits delay no other request on their process, and any number of them is answered.",
    play: async (wire) => {
      const child = await obedient(wire)
      const answers = Array.from({ length: 200 }, (_, n) => wait(child, [{ pattern: `line ${n}\\b` }]))
      await wire.barrier()
      Check.equal(await child.write("seq -f 'line %g' 0 199\n"), "accepted", "the write")
      for (const [n, answer] of (await Promise.all(answers)).entries()) {
        Check.equal(matchOf(answer)["text"], `line ${n}`, "a match")
      }
    },
  },
  "refuses-what-is-no-condition": {
    says: `An unknown process is refused with -32600; no condition, one with two kinds or none, a flag that
      there is not, and a pattern that is none with -32602, whose message names the pattern.`,
    play: async (wire) => {
      const unknown = { processId: "none", until: [{ exit: true }] }
      await wire.refused("process/wait", unknown, -32600, "unknown process id none")
      const child = await Child.start(wire, { argv: ["sleep", "600"] })
      for (const until of [
        [],
        [{}],
        [{ exit: true, closed: true }],
        [{ exit: false }],
        [{ exit: true, stream: "stdout" }],
        [{ port: 0 }],
        [{ pattern: "a", flags: "x" }],
        [{ pattern: "(a" }],
        [{ pattern: "(a)\\1" }],
        [{ pattern: "a(?=b)" }],
      ]) {
        await wire.refused("process/wait", { processId: child.id, until }, -32602)
      }
    },
  },
  "tells-who-listens": {
    requires: ["process-wait-port", "procfs"],
    says: `{port} comes true when the process or a descendant listens on it, with port, host and pid in
      evidence.port; not for a port that another process has.`,
    play: async (wire) => {
      const listen =
        "require('net').createServer().listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port + '.') })"
      const argv = [process.execPath, "-e", listen]
      const child = await Child.start(wire, { argv: ["/bin/sh", "-c", '"$@" & wait', "sh", ...argv] })
      const { text } = matchOf(await wait(child, [{ pattern: "port \\d+\\." }]))
      const port = Number(/\d+/.exec(Check.text(text, "the match"))?.[0])
      const answer = await wait(child, [{ port, host: "localhost" }])
      met(answer, 0, "for its port")
      const found = Check.object(evidence(answer, "port"), "evidence.port")
      Check.has(found, { port, host: "127.0.0.1" }, "who listens")
      const other = await Child.start(wire, { argv: ["sleep", "600"] })
      met(await wait(other, [{ port }], { timeoutMs: 200 }), null, "for the port of another process")
    },
  },
  "tells-who-reads-its-pipe": {
    requires: ["process-wait-input"],
    says: `{input: true} comes true when a process reads its stdin, from the pipe that process/write writes
      to, whatever it has printed; not while it does something else behind a prompt.`,
    play: async (wire) => {
      const script = "echo up; read line; printf 'name? '; sleep 600"
      const child = await Child.start(wire, { script, pipeStdin: true })
      await child.says("up")
      const answer = await wait(child, [{ input: true }])
      met(answer, 0, "while it reads")
      Check.equal(Check.object(evidence(answer, "input"), "evidence.input")["from"], "stdin", "where")
      await child.write("x\n")
      await child.says("name? ")
      met(await wait(child, [{ input: true }], { timeoutMs: 300 }), null, "while nobody reads")
    },
  },
  "tells-who-asks-for-input": {
    requires: ["process-wait-input", "pty"],
    says: `{input: true} comes true when a process waits for its terminal: evidence.input says whether that
      shows what is typed, and secret that it does not, as for a password; not while nobody reads.`,
    play: async (wire) => {
      const script = "stty -echo; read secret; stty echo; read line; echo up; sleep 600"
      const child = await Child.start(wire, { script, tty: true })
      for (const [echo, secret] of [
        [false, true],
        [true, false],
      ] as const) {
        const answer = await wait(child, [{ input: true }])
        met(answer, 0, `with echo ${echo}`)
        const input = Check.object(evidence(answer, "input"), "evidence.input")
        const told = ["from", "echo", "line", "secret"].map((name) => input[name] ?? null)
        Check.equal(told, ["terminal", echo, true, secret], "what is known of the terminal")
        await child.write("x\n")
      }
      await child.says("up")
      met(await wait(child, [{ input: true }], { timeoutMs: 300 }), null, "while nobody reads")
    },
  },
})
