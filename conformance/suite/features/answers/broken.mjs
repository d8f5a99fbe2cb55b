// @ts-check
// Servers that are wrong in what is answered for terminals.
import { bytesOf, fault, less, params } from "../../../lab/faults/wire/changes.mjs"

/** @import { WireFault } from "../../../lab/faults/wire/changes.mjs" */
/** @import { Connection, Fault } from "../../../lab/faults/wire/relay.mjs" */

/** @param {unknown} answers whether to answer for terminals, in place of what a start asks @returns {Fault} */
const answering = (answers) =>
  params("process/start", (asked) => (asked.tty === true ? { ...asked, answers } : asked))

/**
 * A server that does not look at its terminals: the relay answers DSR 5 and CPR for it, within one chunk.
 * @type {Fault}
 */
const answersBlindly = (c) => ({
  asked: (m, known) => {
    if (m.method !== "process/start" || m.params.tty !== true) return undefined
    known.answers = m.params.answers
    return { ...m, params: less(m.params, "answers") }
  },
  told: ({ method, params: { processId, chunk } }, known) => {
    if (method !== "process/output" || known.answers !== true) return
    const text = bytesOf(chunk).toString("latin1")
    for (const [, asked] of text.replaceAll("\x1b", "ESC ").matchAll(/ESC \[([56])n/g))
      writes(c, processId, asked === "5" ? "\x1b[0n" : "\x1b[1;1R")
  },
})

/** @param {Connection} c @param {string} processId @param {string} text */
const writes = (c, processId, text) =>
  void c.ask("process/write", {
    processId,
    chunk: Buffer.from(text, "latin1").toString("base64"),
    writeId: `${Math.random()}`,
  })

/** @type {readonly WireFault[]} */
export const broken = [
  fault`answers-beside-a-writer: The server answers although a writer is attached, whose terminal does.
    process/answers/silent-while-a-writer-is-attached`.by((c) => ({
    told: ({ method, params: { processId, chunk } }) => {
      if (method !== "process/output" || processId !== "writer") return
      if (bytesOf(chunk).includes("\x1b[c")) writes(c, processId, "\x1b[?1;2c")
    },
  })),
  fault`answers-blindly: Answers are made of chunks, without a terminal.
    process/answers/da1 process/answers/cpr-is-of-the-screen process/answers/over-chunks`.by(answersBlindly),
  fault`answers-lost: A start that asks for answers is as one that does not.
    process/answers/da1 process/answers/cpr process/answers/cpr-is-of-the-screen process/answers/over-chunks
    process/answers/silent-while-a-writer-is-attached process/answers/beside-viewers
    process/answers/replay-asks-nothing process/answers/flood-is-bounded`.by(answering(false)),
  fault`answers-on-pipes: A start without a terminal that asks for answers is not refused.
    process/answers/refused-on-pipes`.params("process/start", (asked) =>
    asked.tty === true ? asked : less(asked, "answers"),
  ),
  fault`answers-unasked: Terminals are answered for whose starts have not asked for that.
    process/answers/only-when-asked`.by(answering(true)),
  fault`answers-without-a-bound: Every question of a flood is answered, when there is room.
    process/answers/flood-is-bounded`.by((c) => ({
    asked: (m, known) => {
      if (m.method !== "process/start" || m.params.answers !== true || !`${m.params.argv}`.includes("awk"))
        return
      known.flood = true
      return { ...m, params: less(m.params, "answers") }
    },
    told: ({ method, params: { processId, chunk } }, known) => {
      if (method !== "process/output" || known.flood !== true) return
      known.held = `${known.held ?? ""}${bytesOf(chunk).toString("latin1")}`
      if (!known.held.includes("##") || known.answered) return
      known.answered = true
      writes(c, processId, "\x1b[0n".repeat(60_000))
    },
  })),
]
