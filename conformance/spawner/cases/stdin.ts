/** Cases about the stdin of a child on pipes. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Check from "../../suite/Check.ts"
import { table, type SpawnerContext } from "../SpawnerContext.ts"
import { sh, type SpawnedChild } from "../SpawnedChild.ts"

const PIECE = Buffer.alloc(65_536, "p")
const PIECES = 64

/** Writes 4 MiB to a child and counts what was accepted. */
export const fill = (child: SpawnedChild) => {
  const state = { taken: 0, settled: false }
  const writes = Effect.forEach(Array.from({ length: PIECES }), () =>
    Effect.map(child.handle.write(PIECE), () => (state.taken += 1)),
  )
  const done = Effect.runPromiseExit(writes).finally(() => (state.settled = true))
  return { state, done }
}

/** Waits while other children read the same 4 MiB, three times. */
export const filled = async (t: SpawnerContext, count = 3): Promise<void> => {
  for (let i = 0; i < count; i++) {
    const reader = await t.start({ argv: sh("exec cat >/dev/null"), stdin: true })
    const { done } = fill(reader)
    Check.equal(Exit.isSuccess(await done), true, "a child that reads takes 4 MiB")
    await reader.effect(reader.handle.endStdin, "endStdin")
    await reader.finished()
  }
}

export const refusal = async (child: SpawnedChild, rounds = 1): Promise<string> => {
  const write = child.handle.write(Buffer.from("x"))
  const writes = Effect.forEach(Array.from({ length: rounds }), () => write)
  const error = await child.effect(Effect.result(writes), "a write that must fail")
  return error._tag === "Failure" ? error.failure.reason : "no failure"
}

const piped = { requires: ["pipeStdin"] } as const

export const stdin = table("spawner/stdin", piped, {
  "null-unless-asked-for": {
    requires: [],
    says: "A pipe child without stdin reads EOF at once, and a write to it is refused: NotOpen.",
    run: async (t) => {
      const child = await t.start({ argv: ["cat"] })
      Check.equal(await refusal(child), "NotOpen", "the reason")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal([child.text(), child.status?.kind ?? ""], ["", "exited"], "stdout and the exit")
    },
  },
  "writes-exact-and-in-order": {
    says: `200 writes of all byte values and uneven sizes, all begun at once, arrive whole and in call
      order; an empty write succeeds.`,
    run: async (t) => {
      const child = await t.start({ argv: ["cat"], stdin: true })
      const pieces = Array.from({ length: 200 }, (_, i) => Buffer.alloc((i * 37) % 9_001, i))
      const writes = Effect.forEach(pieces, (piece) => child.handle.write(piece), {
        concurrency: "unbounded",
      })
      await child.effect(writes, "all writes")
      await child.write("")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal(child.bytes("stdout").equals(Buffer.concat(pieces)), true, "cat prints what was written")
    },
  },
  "memory-is-free-after-a-write": {
    says: "64 writes of 64 KiB from the same memory, which is filled anew after each, arrive whole and in order.",
    run: async (t) => {
      const child = await t.start({ argv: ["cat"], stdin: true })
      const memory = Buffer.alloc(PIECE.length)
      const fillings = Array.from({ length: PIECES }, (_, i) =>
        Buffer.alloc(PIECE.length, `${i} of ${PIECES};`),
      )
      const writes = Effect.forEach(fillings, (filling) =>
        Effect.suspend(() => {
          memory.set(filling)
          return Effect.andThen(
            child.handle.write(memory),
            Effect.sync(() => void memory.fill("!")),
          )
        }),
      )
      await child.effect(writes, "all writes")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal(child.bytes("stdout").equals(Buffer.concat(fillings)), true, "cat prints what was written")
    },
  },
  "end-is-the-end-of-the-file": {
    says: "endStdin causes EOF after what was written; it may be repeated, and a write after it is refused: Closed.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`cat; echo end; ${t.waitFor("go")}`), stdin: true })
      await child.write("in\n")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.effect(child.handle.endStdin, "endStdin once more")
      await child.seen("in\nend\n")
      Check.equal(await refusal(child), "Closed", "the reason of a write after the end")
      t.put("go")
      await child.finished()
    },
  },
  "stays-open": {
    says: "Stdin stays open until endStdin: a child that reads does not see EOF before.",
    run: async (t) => {
      const child = await t.start({ argv: sh("cat; echo end"), stdin: true })
      await child.write("a")
      await child.seen("a")
      await t.others()
      Check.equal(child.text(), "a", "stdout")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal(child.text(), "aend\n", "stdout")
    },
  },
  "write-waits-for-the-reader": {
    says: "Writes of 4 MiB wait while the child does not read, and go on when it reads.",
    run: async (t) => {
      const child = await t.start({ argv: sh(`${t.waitFor("go")}; exec wc -c`), stdin: true })
      const { state, done } = fill(child)
      await filled(t)
      Check.isTrue(state.taken < PIECES, "4 MiB were taken although the child does not read")
      t.note(`${state.taken} of ${PIECES} writes were taken before the child read`)
      t.put("go")
      Check.equal(Exit.isSuccess(await done), true, "the writes have succeeded")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal(Number(child.text()), PIECES * PIECE.length, "the bytes that the child has read")
    },
  },
  "write-that-waits-ends-with-the-child": {
    says: "A waiting write fails when the child is killed: Closed.",
    run: async (t) => {
      const child = await t.start({ argv: sh(t.idle), stdin: true })
      const { state, done } = fill(child)
      await filled(t, 1)
      Check.isTrue(!state.settled, "4 MiB were taken although the child does not read")
      await child.effect(child.handle.kill, "kill")
      await child.exit()
      await t.until(() => state.settled, "the write to fail")
      Check.isTrue(Exit.isFailure(await done), "the write has not failed")
    },
  },
  "closed-by-the-child": {
    says: "Writes to a child that has closed its stdin fail: Closed; the child runs on, and its output arrives.",
    run: async (t) => {
      const child = await t.start({
        argv: sh(`exec <&-; echo closed; ${t.waitFor("go")}; echo on`),
        stdin: true,
      })
      await child.seen("closed")
      Check.equal(await refusal(child, 2), "Closed", "the reason")
      t.put("go")
      await child.finished()
      Check.equal([child.text(), child.status?.kind ?? ""], ["closed\non\n", "exited"], "stdout and the exit")
    },
  },
  "closed-by-the-exit": {
    says: "A write to a child that has exited is refused: Closed; endStdin succeeds.",
    run: async (t) => {
      const child = await t.start({ argv: sh("exit 0"), stdin: true })
      await child.finished()
      Check.equal(await refusal(child, 2), "Closed", "the reason")
      await child.effect(child.handle.endStdin, "endStdin")
    },
  },
  "both-ways-at-once": {
    says: "4 MiB written to cat come back whole while they are still being written.",
    run: async (t) => {
      const child = await t.start({ argv: ["cat"], stdin: true, onOutput: () => {} })
      const { done } = fill(child)
      Check.equal(Exit.isSuccess(await done), true, "the writes have succeeded")
      await child.effect(child.handle.endStdin, "endStdin")
      await child.finished()
      Check.equal(child.count, PIECES * PIECE.length, "the bytes that came back")
    },
  },
})
