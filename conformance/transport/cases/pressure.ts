/** Cases about back-pressure: write returns false while the peer does not read, and onDrain follows. */
import { utf8 } from "../../../core/protocol/Bytes.ts"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import * as Check from "../../suite/Check.ts"
import { table, type TransportContext } from "../TransportContext.ts"
import type { End } from "../End.ts"
import { sameList } from "./order.ts"

const PIECE = 16_384
/** More than the queue of a transport and the buffers of a kernel hold. */
const LIMIT = 4_096
/** 80 MiB in all. */
const SLOWLY = LIMIT + LIMIT / 4

/** 12 MiB in all, in pooled memory. */
const POOLED = 256
const POOLED_LENGTH = 49_152

const piece = (i: number): string => `"${`${i}:`.padEnd(PIECE, "x")}"`

/** Writes until write returns false and no onDrain follows while another pair runs from start to end. */
export const stall = async (t: TransportContext, from: End): Promise<number> => {
  let written = 0
  for (;;) {
    const drains = from.drains
    const others = t.others()
    let over = false
    const passed = others.then(() => (over = true))
    for (let told = from.drains; !over; told = from.drains) {
      while (from.write(piece(written++))) {
        if (written > LIMIT) Check.fail("64 MiB were accepted that nobody has taken")
        await new Promise((resolve) => setImmediate(resolve))
      }
      await Promise.race([from.drained(told), passed])
    }
    await passed
    if (from.drains === drains) return written
  }
}

export const pressure = table("transport/pressure", {
  "write-answers-false": {
    says: "While the peer does not read, write returns false before 64 MiB are queued, and onDrain is not called.",
    run: (t) =>
      t.both(async (from) => {
        const written = await stall(t, from)
        t.note(`${written} messages of 16 KiB were accepted`)
      }),
  },
  "drain-calls-back": {
    says: "When the peer reads again, onDrain is called, write returns true, and no message is lost.",
    run: (t) =>
      t.both(async (from, to) => {
        const written = await stall(t, from)
        const drains = from.drains
        const wanted = Array.from({ length: written }, (_, i) => piece(i))
        sameList(await to.take(written), wanted, "what arrived")
        await from.drained(drains)
        Check.equal(from.write('"again"'), true, "what write answers")
        Check.equal([...(await to.take(1))], ['"again"'], "the next message")
      }),
  },
  "writes-while-stalled-are-accepted": {
    says: "Messages written after write has returned false are accepted, too, and arrive in order.",
    run: (t) =>
      t.both(async (from, to) => {
        const written = await stall(t, from)
        for (let i = 0; i < 10; i++) from.write(`${i}`)
        const got = await to.take(written + 10)
        sameList(
          got.slice(written),
          Array.from({ length: 10 }, (_, i) => `${i}`),
          "the last ten",
        )
      }),
  },
  "drain-calls-back-though-others-write": {
    says: "onDrain is called for a writer that waits, even if a later write has returned true.",
    run: (t) =>
      t.both(async (from, to) => {
        const written = await stall(t, from)
        const drains = from.drains
        let others = 0
        let answered = false
        for (let taken = 0; taken < written; taken++) {
          await to.take(1)
          await new Promise((resolve) => setImmediate(resolve))
          if (from.drains > drains || answered) continue
          others++
          answered = from.write('"another"')
        }
        await to.take(others)
        await from.drained(drains)
        t.note(`${others} other messages, the last one answered with ${answered}`)
      }),
  },
  "stalls-again": {
    says: "After a drain, write returns false again when the peer stops reading again, and onDrain is called again.",
    run: async (t) => {
      const { left, right } = await t.open()
      for (let round = 0; round < 2; round++) {
        const written = await stall(t, left)
        const drains = left.drains
        await right.take(written)
        await left.drained(drains)
      }
    },
  },
  "other-direction-goes-on": {
    says: "While one direction is blocked, 500 messages pass in the other.",
    run: (t) =>
      t.both(async (from, to) => {
        await stall(t, from)
        const texts = Array.from({ length: 500 }, (_, i) => `${i}`)
        const [got] = await Promise.all([from.take(texts.length), to.send(texts)])
        sameList(got, texts, "the other way")
      }),
  },
  "a-reader-that-keeps-up": {
    says: "If the peer reads each message before the next is written, write returns true every time.",
    run: (t) =>
      t.both(async (from, to) => {
        for (let i = 0; i < 200; i++) {
          Check.equal(from.write(`${i}`), true, "what write answers")
          await to.take(1)
        }
      }),
  },
  "memory-is-used-again-when-sent": {
    says: "12 MiB in pooled memory arrive whole at a slow reader: none is given back before it has been sent.",
    run: (t) =>
      t.both(async (from, to) => {
        const pool = new MemoryPool(POOLED_LENGTH, 32)
        const wanted = Array.from({ length: POOLED }, (_, i) => `"${"".padEnd(POOLED_LENGTH - 2, `${i} `)}"`)
        const pooled = (text: string): Uint8Array => {
          const bytes = pool.take(text.length)
          utf8.encodeInto(text, bytes)
          return bytes
        }
        const sending = (async () => {
          for (const text of wanted) await from.send([pooled(text)])
        })()
        for (let taken = 0; taken < POOLED; taken += 64) {
          await new Promise((resolve) => setImmediate(resolve))
          sameList(await to.take(64), wanted.slice(taken, taken + 64), `messages from ${taken} on`)
        }
        await sending
      }),
  },
  "80-mib-to-a-slow-reader": {
    says: "80 MiB pass from a writer that waits for onDrain to a slow reader, with never more than 64 MiB queued.",
    run: (t) =>
      t.both(async (from, to) => {
        let sent = 0
        let taken = 0
        let ahead = 0
        const sending = (async () => {
          for (; sent < SLOWLY; sent++) await from.send([piece(0)])
        })()
        while (taken < SLOWLY) {
          await new Promise((resolve) => setImmediate(resolve))
          ahead = Math.max(ahead, sent - taken)
          taken += (await to.take(Math.min(64, SLOWLY - taken))).length
        }
        await sending
        t.note(`at most ${ahead} messages of 16 KiB ahead`)
        Check.isTrue(ahead <= LIMIT, `the writer was ${ahead} messages of 16 KiB ahead`)
      }),
  },
})
