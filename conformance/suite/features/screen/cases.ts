/**
 * An extension that a server may announce as `processScreen` in `environmentInfo.capabilities`: `process/screen`
 * answers what the terminal of a PTY shows. Judged by sequences that every terminal knows.
 */
import { Check, Child, table, type Json, type JsonObject } from "../../Vocabulary.ts"

const screens = { requires: ["process-screen", "pty"] } as const

const screen = (child: Child.Child, more: JsonObject = {}): Promise<JsonObject> =>
  child.wire.ok("process/screen", { processId: child.id, ...more })

/** A process that has printed this on its terminal, and waits. */
const printing = async (wire: Child.Child["wire"], text: string): Promise<Child.Child> => {
  const child = await Child.start(wire, { script: `printf '${text}@@'; sleep 600`, tty: true })
  await child.says("@@")
  return child
}

const spans = (line: Json | undefined): Json | undefined => Check.object(line, "a line")["spans"]

export const processScreen = table("process/screen", screens, {
  "shows-what-is-seen": {
    says: `text is what the terminal shows after all sequences: what was erased or painted over is not in
      it; lines end before their blanks, and the text before its blank lines; cursor is where the next
      character goes, counted from 0.`,
    run: async (t) => {
      const child = await printing(
        await t.open(),
        "gone\\033[2J\\033[2;3Hsec\\033[1;1Hfirst wrong\\033[5Dright \\033[3;1H",
      )
      const answer = await screen(child)
      Check.equal(answer["text"], "first right\n  sec\n@@", "the text")
      const { row, column } = Check.object(answer["cursor"] ?? null, "cursor")
      Check.equal([row ?? null, column ?? null], [2, 2], "row and column of the cursor")
      Check.equal(answer["size"], { rows: 24, columns: 80 }, "the size")
      Check.has(answer, { fromSeq: 1, scrollback: 0 }, "fromSeq and scrollback")
    },
  },
  "tells-title-cursor-and-alternate": {
    says: `title is what OSC 0 or 2 has set; cursor.visible is false after DECTCEM has hidden it; alternate
      is true while the alternate screen is shown, and leaving it brings the other one back.`,
    play: async (wire) => {
      const script =
        "printf '\\033]2;a title\\007below\\033[?25l\\033[?1049h\\033[Habove@@'; read line; printf '\\033[?1049l##'; sleep 600"
      const child = await Child.start(wire, { script, tty: true })
      await child.says("@@")
      const shown = await screen(child)
      Check.has(shown, { title: "a title", alternate: true }, "title and alternate")
      Check.equal(Check.object(shown["cursor"], "cursor")["visible"] ?? null, false, "cursor.visible")
      Check.equal(shown["text"], "above@@", "the text of the alternate screen")
      await child.write("\n")
      await child.says("##")
      const left = await screen(child)
      Check.has(left, { text: "below##", alternate: false }, "the screen below")
    },
  },
  "is-of-a-seq": {
    says: `With seq the picture has the output up to that seq and nothing behind it, also when a later one
      was asked for before; a seq that there is not yet means the last one.`,
    run: async (t) => {
      const script = 'for n in 1 2 3; do printf "$n@@"; read line; done'
      const child = await Child.start(await t.open(), {
        script: `stty -echo; ${script}; sleep 600`,
        tty: true,
      })
      const seqs: Array<number> = []
      for (const n of [1, 2, 3]) {
        await child.says(`${n}@@`)
        seqs.push(Number((await screen(child))["seq"]))
        if (n < 3) await child.write("\n")
      }
      for (const [at, text] of ["1@@", "1@@2@@", "1@@2@@3@@"].entries()) {
        const answer = await screen(child, { seq: seqs[at] ?? 0 })
        const shown = String(answer["text"]).replace(/\s/g, "")
        Check.equal(
          [shown, answer["seq"] ?? null],
          [text, seqs[at] ?? null],
          `the picture at seq ${seqs[at]}`,
        )
      }
      Check.equal(
        (await screen(child, { seq: 1_000_000 }))["seq"] ?? null,
        seqs[2] ?? null,
        "the seq of a later one",
      )
    },
  },
  "has-colors-and-attributes": {
    says: `lines have spans of one look: foreground and background as index of the palette or #rrggbb, and
      the attributes that are set; a character of two columns, or of several code points, is a span with its
      columns.`,
    run: async (t) => {
      const text = "a\\033[1;31mb\\033[0;7;48;2;1;2;3mc\\033[0;4;38;5;200md\\033[m\\346\\227\\245e\\314\\201"
      const child = await printing(await t.open(), text)
      const [line] = Check.list((await screen(child, { formats: ["lines"] }))["lines"] ?? null, "lines")
      const wanted = [
        { text: "a" },
        { text: "b", foreground: 1, bold: true },
        { text: "c", background: "#010203", inverse: true },
        { text: "d", foreground: 200, underline: true },
        { text: "日", columns: 2 },
        { text: "e\u0301", columns: 1 },
        { text: "@@" },
      ]
      Check.equal(spans(line), wanted, "the spans")
    },
  },
  "has-what-has-left-the-screen": {
    says: "scrollback lines that have left the screen at its top come before it, at most as many as are asked for.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "seq 1 100; printf @@; sleep 600", tty: true })
      await child.says("@@")
      const answer = await screen(child, { scrollback: 3 })
      const lines = String(answer["text"]).split("\n")
      Check.equal(
        [answer["scrollback"] ?? null, lines[0] ?? null, lines.at(-1) ?? null],
        [3, "75", "@@"],
        "three lines more",
      )
      Check.equal(String((await screen(child))["text"]).split("\n")[0], "78", "the first line without them")
    },
  },
  "paints-itself": {
    says: "ansi, printed on a terminal of that size, gives the same picture: lines, title, cursor, alternate screen.",
    play: async (wire) => {
      const text =
        "one\\r\\n\\033[31;1mred\\033[m \\346\\227\\245\\033]2;a title\\007\\033[?1049h\\033[3;4H\\033[44mblue\\033[m"
      const first = await printing(wire, text)
      const formats = ["text", "lines", "ansi"]
      const { ansi, seq: _, ...wanted } = await screen(first, { formats })
      const second = await Child.start(wire, { script: "stty raw -echo; printf @; cat", tty: true })
      await second.says("@")
      await second.write(`${String(ansi)}\u001b]2;a title\u0007`)
      await second.says("\u001b]2;a title\u0007")
      const { ansi: __, seq: ___, ...painted } = await screen(second, { formats })
      Check.equal(painted, wanted, "what was painted")
    },
  },
  "goes-on-in-the-history": {
    requires: ["process-screen", "output-history", "pty"],
    says: `A process with a history has its whole picture, from seq 1, also when what it has printed first
      is no longer retained, and the pictures of that time.`,
    play: async (wire) => {
      // A terminal ignores bytes that are zero.
      const script =
        "printf '\\033[?1049h\\033[2;3Hbegin@@'; read line; head -c 3000000 /dev/zero; " +
        "printf '\\033[4;3Hend##'; sleep 600"
      const params = { history: { maxBytes: 64 * 1024 * 1024 } }
      const child = await Child.start(wire, { script: `stty -echo; ${script}`, tty: true, params })
      await child.says("begin@@")
      const { seq } = await screen(child)
      await child.write("\n")
      await child.says("##")
      const answer = await screen(child)
      Check.has(answer, { text: "\n  begin@@\n\n  end##", fromSeq: 1, alternate: true }, "the picture of now")
      const past = await screen(child, { seq: Number(seq) })
      Check.has(past, { text: "\n  begin@@", fromSeq: 1 }, "the one of then")
    },
  },
  "is-of-then-in-a-flood": {
    says: `A picture that is asked for in the middle of a flood is of then, and shows some of it: whoever
      asks does not wait for its end, which never comes.`,
    play: async (wire) => {
      const script = "printf 'up@@'; read line; exec tr '\\000' x </dev/zero"
      const child = await Child.start(wire, { script: `stty -echo; ${script}`, tty: true })
      await child.says("up@@")
      await screen(child)
      await child.write("\n")
      await child.has(100_000)
      const { seq, text } = await screen(child)
      Check.isTrue(
        String(text).endsWith("x"),
        `some of the flood must be in the text ${JSON.stringify(text)}`,
      )
      await wire.ok("process/terminate", { processId: child.id })
      const { exitedSeq } = await child.ended()
      Check.isTrue(Number(seq) < exitedSeq, `the picture is of seq ${String(seq)}, before the end`)
    },
  },
  "follows-a-resize": {
    requires: ["process-screen", "process-resize", "pty"],
    says: "After process/resize the picture has the new size, and what is printed then is laid out by it.",
    play: async (wire) => {
      const script = "printf 11; read line; printf '\\033[2J\\033[H%030d@@' 0; sleep 600"
      const child = await Child.start(wire, { script, tty: true })
      await child.says("11")
      await screen(child)
      await wire.ok("process/resize", { processId: child.id, rows: 5, columns: 20 })
      await child.write("\n")
      await child.says("@@")
      const answer = await screen(child)
      Check.has(
        answer,
        { size: { rows: 5, columns: 20 }, text: `${"0".repeat(20)}\n${"0".repeat(10)}@@` },
        "the answer",
      )
    },
  },
  "refuses-what-has-no-terminal": {
    says: "An unknown process, and one that was started without tty, are refused with -32600; an unknown format with -32602.",
    play: async (wire) => {
      const child = await Child.start(wire, { script: "echo up; sleep 600" })
      await child.says("up")
      await wire.refused("process/screen", { processId: child.id }, -32600)
      await wire.refused("process/screen", { processId: "none" }, -32600, "unknown process id none")
      await wire.refused("process/screen", { processId: child.id, formats: ["png"] }, -32602)
    },
  },
})
