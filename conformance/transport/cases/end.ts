/** Cases about the end of a transport, from either side. */
import * as Check from "../../suite/Check.ts"
import { pause } from "../../suite/Deadline.ts"
import { table } from "../TransportContext.ts"
import { sameList } from "./order.ts"
import { stall } from "./pressure.ts"

const numbers = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, i) => `${i}`)

export const end = table("transport/end", {
  "close-ends-both": {
    says: "close ends the incoming of both sides, without an error.",
    run: (t) =>
      t.both(async (from, to) => {
        await from.close()
        for (const { messages, error } of await Promise.all([from.rest(), to.rest()])) {
          Check.equal([[...messages], error?.message ?? ""], [[], ""], "what was read up to the end")
        }
      }),
  },
  "written-before-is-delivered": {
    says: "1,000 messages that were written right before close arrive at a peer that reads, and then the end.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = numbers(1_000)
        for (const text of texts) from.write(text)
        const [{ messages, error }] = await Promise.all([to.rest(), from.close()])
        sameList(messages, texts, "what arrived")
        Check.equal(error?.message ?? "", "", "the error")
      }),
  },
  "delivered-before-is-still-read": {
    says: "A reader that begins after the peer has closed still reads the 100 messages that were written before.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = numbers(100)
        for (const text of texts) from.write(text)
        await from.close()
        await t.others()
        sameList((await to.rest()).messages, texts, "what was read")
      }),
  },
  "close-again": {
    says: "close may be called again and from both sides at once; each call returns.",
    run: async (t) => {
      const { left, right } = await t.open()
      left.write("1")
      await Promise.all([left.close(), right.close(), left.close(), right.close()])
      await left.close()
      await right.close()
    },
  },
  "close-does-not-wait-for-a-peer-that-does-not-take": {
    says: "close returns although megabytes are queued that the peer does not read.",
    run: (t) =>
      t.both(async (from) => {
        await stall(t, from)
        await from.close()
      }),
  },
  "write-afterwards": {
    says: `A write after close, or after the peer has closed, does not throw and returns true, because no
      drain will follow.`,
    run: (t) =>
      t.both(async (from, to) => {
        await from.close()
        await to.rest()
        for (const { write } of [from.transport, to.transport]) {
          Check.equal([write("late"), write(Buffer.from("late"))], [true, true], "what write answers")
        }
        const left = await from.rest()
        Check.equal([...left.messages], [], "messages after the end")
      }),
  },
  "stalled-writer-is-let-go": {
    says: "When the peer closes, onDrain is called for a waiting writer, or write returns true again.",
    run: (t) =>
      t.both(async (from, to) => {
        await stall(t, from)
        const drains = from.drains
        await to.close()
        await from.drained(drains)
        Check.equal(from.write("late"), true, "what write answers")
      }),
  },
  "stalled-writer-that-closes-is-let-go": {
    says: "When its own side closes, onDrain is called for a waiting writer.",
    run: (t) =>
      t.both(async (from) => {
        await stall(t, from)
        const drains = from.drains
        await from.close()
        await from.drained(drains)
      }),
  },
  "scope-ends-both": {
    says: "The end of the scope ends the incoming of both sides, even if one is blocked.",
    run: async (t) => {
      const { left, right, closeScope } = await t.open()
      await stall(t, left)
      await closeScope()
      await Promise.all([left.rest(), right.rest()])
      Check.equal(left.write("late"), true, "what write answers")
    },
  },
  "no-end-without-a-reason": {
    says: "A pair that is idle for a while stays open.",
    run: async (t) => {
      const { left, right } = await t.open()
      await t.others()
      await pause(0)
      left.write("1")
      right.write("2")
      Check.equal([...(await right.take(1)), ...(await left.take(1))], ["1", "2"], "the messages")
    },
  },
})
