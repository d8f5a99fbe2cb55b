/**
 * The pictures of real programs: what a server says of them, painted in a second terminal, is what the whole output
 * paints. A program that is not on this machine is skipped, and its line says so.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client, ClientProcess } from "../../../core/client/Client.ts"
import { has } from "../../testing/Programs.ts"
import { connect } from "../../testing/Client.ts"
import { everything, open } from "../terminal/testing/Compare.ts"

let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(() => client.close())

const [rows, columns] = [24, 80]

/** The output up to a seq, in a terminal of this test. */
const direct = async (child: ClientProcess, seq: number) => {
  const terminal = open(rows, columns)
  const decoder = new TextDecoder()
  const { chunks } = await child.read()
  for (const { chunk } of chunks.filter((one) => one.seq <= seq))
    await terminal.write(decoder.decode(chunk, { stream: true }))
  return terminal
}

/** Compares the pictures at every hundredth seq, and at the last one. */
const compare = async (child: ClientProcess) => {
  const { seq: last } = await child.screen()
  const seqs = [
    ...Array.from({ length: Math.floor((last - 1) / 100) }, (_, index) => (index + 1) * 100),
    last,
  ]
  for (const seq of seqs) {
    const picture = await child.screen({ seq, formats: ["ansi"], scrollback: 1000 })
    expect({ seq: picture.seq, fromSeq: picture.fromSeq }).toEqual({ seq, fromSeq: 1 })
    const painted = open(rows, columns)
    await painted.write(picture.ansi ?? "")
    expect(everything(painted), `at seq ${seq}`).toEqual(everything(await direct(child, seq)))
  }
}

/** Only a fault takes so long. */
const timeoutMs = 60_000

/** Runs a program until it has printed this, does what is asked, and gives it to the test. */
const showing = async (script: string, pattern: string, use: (child: ClientProcess) => Promise<void>) => {
  const child = await client.start({
    argv: ["/bin/sh", "-c", script],
    tty: true,
    env: { TERM: "xterm-256color", LC_ALL: "C.UTF-8", HOME: "/nonexistent" },
    inherit: "all",
  })
  try {
    expect((await child.wait({ until: [{ pattern, flags: "l" }], timeoutMs })).met).toBe(0)
    await use(child)
  } finally {
    await child.terminate()
    await child.closed
  }
}

describe("process/screen of real programs", () => {
  it.skipIf(!has("vim"))("vim, with colors, on the alternate screen", { tags: ["vim"] }, () =>
    showing("vim -u NONE -N --cmd 'syntax on' /etc/services; sleep 600", "/etc/services", async (child) => {
      await child.write("20Gitext in the middle\x1b:split\r:echo 'the ' . 'end'\r")
      expect((await child.wait({ until: [{ pattern: "the end", flags: "l" }], timeoutMs })).met).toBe(0)
      expect(await child.screen()).toMatchObject({ alternate: true, size: { rows, columns } })
      await compare(child)
      await child.write(":qa!\r")
      // It leaves the alternate screen at its end.
      expect((await child.wait({ until: [{ pattern: "\x1b[?1049l", flags: "l" }], timeoutMs })).met).toBe(0)
      expect(await child.screen()).toMatchObject({ alternate: false })
    }),
  )

  it.skipIf(!has("less"))("less, that scrolls back and forth", { tags: ["less"] }, () =>
    showing("seq 1 2000 | less", "23", async (child) => {
      await child.write("500g10k20j/1234\r")
      expect((await child.wait({ until: [{ pattern: "1234\x1b[", flags: "l" }], timeoutMs })).met).toBe(0)
      await compare(child)
    }),
  )

  it.skipIf(!has("htop"))("htop, that paints itself again and again", { tags: ["htop"] }, () =>
    showing("htop -d 1", "Load average", async (child) => {
      const { nextSeq } = await child.read()
      // Several pictures more.
      expect((await child.wait({ until: [{ bytes: 20_000 }], afterSeq: nextSeq - 1, timeoutMs })).met).toBe(0)
      await compare(child)
    }),
  )

  it("a progress bar, wide and combining characters, and true color", () =>
    showing(
      `i=0; while [ $i -le 300 ]; do printf '\\r\\033[2K\\033[38;2;%d;9;99m%3d%%\\033[m 日本 e\\314\\201 \\033[4m' $((i % 256)) $((i / 3)); i=$((i + 1)); done; printf ' all done'; sleep 600`,
      "all done",
      async (child) => {
        expect((await child.screen()).text).toBe("100% 日本 e\u0301  all done")
        await compare(child)
      },
    ))

  it("a shell whose terminal is resized", () =>
    showing(
      "printf '%100s' x; printf ready; read line; printf '%100s' y; printf done; sleep 600",
      "ready",
      async (child) => {
        expect((await child.screen()).text?.split("\n")).toHaveLength(2)
        await child.resize({ rows, columns: 120 })
        await child.write("\r")
        expect((await child.wait({ until: [{ pattern: "done", flags: "l" }], timeoutMs })).met).toBe(0)
        const { text, size } = await child.screen()
        expect(size).toEqual({ rows, columns: 120 })
        expect(text?.split("\n").at(-1)).toBe(`${" ".repeat(99)}ydone`)
      },
    ))
})
