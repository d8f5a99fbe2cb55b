/**
 * An extension that a server may announce as `processAnswers` in `environmentInfo.capabilities`: `answers` of
 * `process/start`. The server answers what a process asks its terminal, while no client does.
 */
import { Check, Child, table } from "../../Vocabulary.ts"
import { begin, resumed } from "../../cases/resuming.ts"

const answers = { requires: ["process-answers", "pty"] } as const

const [attributes, status, cursor] = ["\\033[c", "\\033[5n", "\\033[6n"]

/**
 * More answers, of four bytes each, than Linux keeps of what is written into a terminal: 64 KiB on their way (the limit
 * of `tty_buffer.c`) and 4 KiB to be read (`N_TTY_BUF_SIZE`), and some that wait in the server.
 */
const mostKept = 20_000

/** The answer that the terminal works, as `cat` shows it. */
const works = "^[[0n"

/** A terminal without echo, which is what programs that ask set. */
const raw = "stty raw -echo"
/** Prints what it gets, and ESC as `^[`. */
const shows = "exec cat -uv"
/** Reads one byte. */
const waits = "dd bs=1 count=1 >/dev/null 2>&1"

const printing = (...texts: ReadonlyArray<string>) =>
  [raw, ...texts.map((text) => `printf '${text}'`), shows].join("; ")

const asking = (wire: Child.Child["wire"], script: string) =>
  Child.start(wire, { script, tty: true, params: { answers: true } })

/** Its input, once that ends so: the bytes behind everything that it has printed itself. */
const got = async (child: Child.Child, printed: string, end: string): Promise<string> => {
  await child.says(`${printed}`)
  await child.says(end)
  return child.text().slice(child.text().indexOf(printed) + printed.length)
}

export const processAnswers = table("process/answers", answers, {
  da1: {
    says: `With answers: true, ESC [ c and ESC [ 0 c in the output of a PTY are answered with the attributes
      of a terminal (ESC [ ? … c), and ESC [ 5 n with ESC [ 0 n, once each and in this order, as input.`,
    run: async (t) => {
      const child = await asking(await t.open(), printing(`${attributes}\\033[0c${status}@@`))
      const input = await got(child, "@@", works)
      if (!/^(\^\[\[\?\d+(;\d+)*c){2}\^\[\[0n$/.test(input))
        Check.fail(`the answers are ${JSON.stringify(input)}`)
    },
  },
  cpr: {
    says: "ESC [ 6 n is answered with ESC [ row ; column R: 1 and 1 where the cursor is in the corner.",
    run: async (t) => {
      const child = await asking(await t.open(), printing(`\\033[2J\\033[H${cursor}`))
      Check.equal(await got(child, "\u001b[6n", "R"), "^[[1;1R", "the answer")
    },
  },
  "cpr-is-of-the-screen": {
    requires: ["process-answers", "process-screen", "pty"],
    says: `Of a server that paints terminals the answer to ESC [ 6 n has the row and the column of the
      cursor, counted from 1, and comes before the answer to what is asked behind it.`,
    run: async (t) => {
      const child = await asking(await t.open(), printing(`\\033[3;5Hxy${cursor}${status}`))
      Check.equal(await got(child, "\u001b[5n", works), `^[[3;7R${works}`, "the answers")
      await child.write("z")
      await child.says("z")
    },
  },
  "over-chunks": {
    says: "A question whose bytes come in several chunks is answered once, behind the last of them.",
    run: async (t) => {
      const parts = ["\\033", "[", "5", `n${status}@@`]
      const script = `${raw}; ${parts.map((part) => `printf '${part}'; ${waits}`).join("; ")}; ${shows}`
      const child = await asking(await t.open(), script)
      for (let bytes = 1; bytes <= 3; bytes++) {
        await child.has(bytes)
        await child.write("g")
      }
      // Of the two answers the first byte is read as another "g".
      Check.equal(await got(child, "@@", works), `[0n${works}`, "the answers")
    },
  },
  "only-when-asked": {
    says: "Without answers, and with null or false, nothing is answered.",
    play: async (wire) => {
      const script = printing(`${attributes}${cursor}${status}@@`)
      for (const params of [{}, { answers: null }, { answers: false }]) {
        const child = await Child.start(wire, { script, tty: true, params })
        await child.says("@@")
        await child.write("own")
        Check.equal(await got(child, "@@", "own"), "own", "the input")
      }
    },
  },
  "refused-on-pipes": {
    says: "A start with answers: true and without a PTY is refused with -32602, and the error names answers; false is not.",
    play: async (wire) => {
      const params = Child.params(wire, { script: ":", params: { answers: true } })
      const message = await wire.refused("process/start", params, -32602)
      if (!message.includes("answers")) Check.fail(`the error does not name answers: ${message}`)
      const child = await Child.start(wire, { script: "exit 3", params: { answers: false } })
      Check.equal(await child.exited(), 3, "the exit code")
    },
  },
  "silent-while-a-writer-is-attached": {
    requires: ["process-answers", "process-attach", "pty"],
    says: `While an attachment has the role of the writer, nothing is answered: its terminal does. What was
      asked meanwhile is not answered later, and what is asked after it has left is.`,
    play: async (wire) => {
      const script = `${raw}; ${waits}; printf '${attributes}@@'; ${waits}; printf '${status}##'; ${shows}`
      const child = await asking(wire, script)
      const params = { processId: child.id, as: "writer", role: "writer", take: true }
      await wire.ok("process/attach", params)
      const chunk = Buffer.from("g").toString("base64")
      await wire.ok("process/write", { processId: "writer", chunk, writeId: "1" })
      await Child.attach(wire, "writer").says("@@")
      await wire.ok("process/detach", { processId: "writer" })
      await child.write("g")
      Check.equal(await got(child, "##", works), works, "the input")
    },
  },
  "beside-viewers": {
    requires: ["process-answers", "process-attach", "pty"],
    says: "While viewers are attached, who cannot write, questions are answered.",
    play: async (wire) => {
      const child = await asking(wire, `${raw}; ${waits}; printf '${status}##'; ${shows}`)
      await wire.ok("process/attach", { processId: child.id, as: "viewer" })
      await child.write("g")
      Check.equal(await got(child, "##", works), works, "the input")
    },
  },
  "replay-asks-nothing": {
    requires: ["process-answers", "pty", "resume", "session-replay"],
    transports: "ws",
    says: "A resume that replays questions, and a process/read of them, are not answered again.",
    run: async (t) => {
      const { wire, session } = await begin(t)
      const child = await asking(wire, printing(`${status}@@`))
      await child.says(works)
      wire.channel.drop()
      const again = await resumed(t, session, { replayAfter: { [child.id]: 0 } })
      const replayed = Child.attach(again, child.id)
      await replayed.says(works)
      await replayed.read({ afterSeq: 0 })
      await replayed.write("own")
      Check.equal(await got(replayed, "@@", "own"), `${works}own`, "the input")
    },
  },
  "flood-is-bounded": {
    says: `A process that prints 60,000 questions and reads nothing prints on, and is answered no more than
      is kept for it; the server answers others meanwhile.`,
    play: async (wire) => {
      const flood = `awk 'BEGIN { for (n = 0; n < 60000; n++) printf "\\033[5n" }'`
      const child = await asking(wire, `${raw}; ${flood}; printf @@; ${waits}; printf '##'; ${shows}`)
      await child.says("@@")
      const other = await asking(wire, printing(`${status}@@`))
      Check.equal(await got(other, "@@", works), works, "the input of another process")
      await child.says("##")
      await child.write("own")
      const input = await got(child, "##", "own")
      const count = input.split("[0n").length - 1
      if (count < 1 || count > mostKept) Check.fail(`${count} of 60,000 questions were answered`)
    },
  },
})
