import { describe, expect, it } from "vitest"
import type { ProcessEvent } from "../../../../core/client/ProcessEvent.ts"
import type { ScreenResult } from "../../../../core/features/screen/wire.ts"
import { Follower } from "./Follower.ts"
import { Intake } from "./Intake.ts"
import { PipeText, unmarked } from "./PipeText.ts"

const utf8 = new TextEncoder()

describe("Intake", () => {
  it("lets its writer wait until the terminal has worked off what waits", async () => {
    const done: Array<() => void> = []
    const intake = new Intake({ write: (_, ready) => done.push(ready) }, 10)
    intake.write("12345")
    await intake.room()
    intake.write("6789012345")
    let hasRoom = false
    const room = intake.room().then(() => (hasRoom = true))
    expect(intake.waiting).toBe(15)
    await Promise.resolve()
    expect(hasRoom).toBe(false)
    done[0]?.()
    await room
    expect(intake.waiting).toBe(10)
  })

  it("lets go of everybody when the terminal is gone", async () => {
    const intake = new Intake({ write: () => {} }, 1)
    intake.write("12")
    const room = intake.room()
    intake.release()
    await room
  })
})

describe("PipeText", () => {
  it("marks each line of stderr, also behind a carriage return, and keeps the streams apart", () => {
    const text = new PipeText()
    const take = (pipe: "stdout" | "stderr", bytes: string) => text.take(pipe, utf8.encode(bytes))
    const shown =
      take("stdout", "out\n") +
      take("stderr", "one\ntwo") +
      take("stdout", "more\n") +
      take("stderr", "1%\r2%\n")
    // oxlint-disable-next-line no-control-regex
    const plain = shown.replace(/\u001b\[[\d;]*m/g, "")
    expect(plain).toBe("out\n▏one\n▏two\nmore\n▏1%\r▏2%\n")
    expect(unmarked("▏one\nmore ▏\n▏two")).toBe("one\nmore ▏\ntwo")
  })

  it("gives each stream its own colors, characters and sequences, wherever chunks end", () => {
    const text = new PipeText()
    const [first, second] = [utf8.encode("é").slice(0, 1), utf8.encode("é").slice(1)]
    expect(text.take("stdout", utf8.encode("\u001b[32mgreen\n"))).toBe("\u001b[32mgreen\n")
    expect(text.take("stdout", first)).toBe("")
    expect(text.take("stderr", utf8.encode("\u001b[1"))).toBe("")
    expect(text.take("stderr", utf8.encode("mbold\n"))).toContain("\u001b[1mbold\n")
    expect(text.take("stdout", second)).toBe("\u001b[0m\u001b[32mé")
    expect(text.take("stderr", utf8.encode("x"))).toBe("\u001b[0m\n\u001b[1m\u001b[0;31m▏\u001b[0m\u001b[1mx")
  })
})

/** A follower whose events, pictures and time are given by hand. */
const makeStage = (looked = true, paints = true) => {
  const queue: Array<ProcessEvent> = []
  let wake = () => {}
  let over = false
  const events = {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = queue.shift()
        if (next !== undefined) yield next
        else if (over) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
  const shown: Array<string> = []
  const pictures: Array<(seq: number) => void> = []
  const refusals: Array<() => void> = []
  const timers = new Set<() => void>()
  const follower = new Follower({
    events,
    looked,
    display: {
      output: (_, bytes) => shown.push(new TextDecoder().decode(bytes)),
      room: () => Promise.resolve(),
      paint: ({ seq }) => shown.push(`picture ${seq}`),
      gap: (from, to) => shown.push(`gap ${from}-${to}`),
      exited: () => shown.push("exited"),
      closed: () => shown.push("closed"),
      failed: () => shown.push("failed"),
    },
    picture: paints
      ? () =>
          new Promise((resolve, reject) => {
            pictures.push((seq) => resolve({ seq } as ScreenResult))
            refusals.push(() => reject(new Error("refused")))
          })
      : undefined,
    later: (_, run) => {
      timers.add(run)
      return () => timers.delete(run)
    },
  })
  const running = follower.run()
  const settle = async () => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
  }
  const give = async (...given: ReadonlyArray<ProcessEvent>) => {
    queue.push(...given)
    wake()
    await settle()
  }
  const quiet = async () => {
    for (const run of Array.from(timers)) {
      timers.delete(run)
      run()
    }
    await settle()
  }
  const end = async () => {
    over = true
    wake()
    await running
  }
  return { follower, shown, pictures, refusals, give, quiet, settle, end }
}

const output = (seq: number, text = `o${seq}`): ProcessEvent => ({
  kind: "output",
  seq,
  stream: "pty",
  bytes: utf8.encode(text),
})
const gap = (from: number, seq: number): ProcessEvent => ({ kind: "gap", from, seq })

describe("Follower", () => {
  it("shows output and ends in order", async () => {
    const { shown, give, end } = makeStage()
    await give(
      output(1),
      output(2),
      { kind: "exited", seq: 3, exitCode: 0, sandboxDenied: false },
      { kind: "closed", seq: 4 },
    )
    await end()
    expect(shown).toEqual(["o1", "o2", "exited", "closed"])
  })

  it("shows the picture when the output rests after a gap, and goes on behind its seq", async () => {
    const { shown, pictures, give, quiet, settle, end } = makeStage()
    await give(output(1), gap(2, 8), output(9), gap(10, 11), output(12))
    expect(pictures).toHaveLength(0)
    await quiet()
    await give(output(13), output(14))
    expect(shown).toEqual(["o1", "o9", "o12"])
    pictures[0]?.(13)
    await settle()
    expect(shown).toEqual(["o1", "o9", "o12", "picture 13", "o14"])
    await give(gap(15, 16), output(17))
    await quiet()
    pictures[1]?.(20)
    await settle()
    await give(output(18), output(20), output(21))
    await end()
    expect(shown.slice(5)).toEqual(["o17", "picture 20", "o21"])
  })

  it("asks again for a picture that is older than what was dropped meanwhile", async () => {
    const { follower, shown, pictures, give, quiet, settle, end } = makeStage()
    await give(output(1))
    follower.repaint()
    await give(output(2, "x".repeat(2 ** 20 + 1)), output(3, "y"))
    pictures[0]?.(1)
    await settle()
    expect(shown).toEqual(["o1", "picture 1", "y"])
    await quiet()
    pictures[1]?.(3)
    await settle()
    await end()
    expect(shown.at(-1)).toBe("picture 3")
  })

  it("asks again when another picture is wanted before the first is there", async () => {
    const { follower, shown, pictures, give, settle, end } = makeStage()
    follower.repaint()
    follower.repaint()
    await give(output(1), output(2))
    pictures[0]?.(1)
    await settle()
    expect([shown, pictures.length]).toEqual([["picture 1", "o2"], 2])
    pictures[1]?.(2)
    await settle()
    await end()
    expect([shown.at(-1), pictures.length]).toEqual(["picture 2", 2])
  })

  it("shows the picture at once where it is far behind", async () => {
    const { follower, pictures, give, end } = makeStage()
    await give(output(1))
    follower.catchUp(9)
    expect(pictures).toHaveLength(0)
    follower.catchUp(10)
    expect(pictures).toHaveLength(1)
    await end()
  })

  it("takes nothing while nobody looks, and shows the picture when somebody does", async () => {
    const { follower, shown, pictures, give, settle, end } = makeStage()
    await give(output(1))
    follower.look(false)
    await give(output(2), gap(3, 90), output(91))
    expect([shown, follower.last]).toEqual([["o1"], 1])
    follower.look(true)
    await settle()
    pictures[0]?.(91)
    await settle()
    await end()
    expect(shown).toEqual(["o1", "picture 91"])
  })

  it("tells a gap where there are no pictures, or the server refuses one", async () => {
    const plain = makeStage(true, false)
    await plain.give(output(1), gap(2, 3), output(4))
    await plain.end()
    expect(plain.shown).toEqual(["o1", "gap 2-3", "o4"])
    const refused = makeStage()
    refused.follower.repaint()
    await refused.give(output(1))
    refused.refusals[0]?.()
    await refused.settle()
    await refused.end()
    expect(refused.shown).toEqual(["o1", "gap 1-1"])
  })

  it("asks for the picture at the end, if it is still owed", async () => {
    const { shown, pictures, give, settle, end } = makeStage()
    await give(gap(1, 5), output(6), { kind: "closed", seq: 7 })
    pictures[0]?.(6)
    await settle()
    await end()
    expect(shown).toEqual(["o6", "closed", "picture 6"])
  })
})
