/** Cases about framing: a peer may split messages anywhere, or send invalid bytes. They need a raw end. */
import * as Check from "../../suite/Check.ts"
import { table } from "../TransportContext.ts"
import { sameList } from "./order.ts"

const texts: ReadonlyArray<string> = Array.from({ length: 120 }, (_, i) =>
  i % 7 === 0 ? `"${"é✓😀".repeat(i * 2)}"` : `{"id":${i},"text":"${"x".repeat(i % 31)}"}`,
)

/** Pseudo-random numbers, the same for each seed: a linear congruential generator. */
const numbersFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const onRawEnd = { requires: ["raw"] } as const

export const framing = table("transport/framing", onRawEnd, {
  "any-chunk-borders": {
    says: `120 messages arrive whole and in order when their bytes are sent in pieces of up to 7, 100 or
      5,000 bytes.`,
    run: async (t) => {
      for (const [seed, largest] of [
        [1, 7],
        [2, 100],
        [3, 5_000],
      ] as const) {
        const raw = await t.raw()
        const number = numbersFrom(seed)
        const bytes = Buffer.concat(texts.map((text) => raw.frame(text)))
        const sending = (async () => {
          for (let at = 0; at < bytes.length;) {
            const size = 1 + number(largest)
            await raw.send(bytes.subarray(at, at + size))
            at += size
          }
        })()
        const [got] = await Promise.all([raw.end.take(texts.length), sending])
        sameList(got, texts, `seed ${seed}`)
      }
    },
  },
  "many-in-one-chunk": {
    says: "120 messages that are sent in one piece, with a part of another, are delivered one by one.",
    run: async (t) => {
      const raw = await t.raw()
      const last = raw.frame('"last"')
      await raw.send(Buffer.concat([...texts.map((text) => raw.frame(text)), last.subarray(0, 3)]))
      sameList(await raw.end.take(texts.length), texts, "what arrived")
      Check.equal(raw.end.waits, false, "a message of which a part is missing")
      await raw.send(last.subarray(3))
      Check.equal([...(await raw.end.take(1))], ['"last"'], "the last message")
    },
  },
  "utf8-split-anywhere": {
    says: "A message with characters of one to four bytes arrives whole when it is split at any byte.",
    run: async (t) => {
      const raw = await t.raw()
      const text = '"aé✓😀\u0000\u007f\u2028\ufffd𐀀z"'.replace("\u0000", "\\u0000")
      const bytes = raw.frame(text)
      for (let at = 1; at < bytes.length; at++) {
        await raw.send(bytes.subarray(0, at))
        await raw.send(bytes.subarray(at))
        Check.equal([...(await raw.end.take(1))], [text], `cut at byte ${at}`)
      }
    },
  },
  "utf8-broken-fails": {
    says: "Bytes that are not UTF-8 fail incoming with InvalidUtf8, after the messages before them.",
    run: async (t) => {
      for (const broken of [
        [0x22, 0xff, 0x22],
        [0x22, 0xc3, 0x22],
        [0x22, 0xed, 0xa0, 0x80, 0x22],
      ]) {
        const raw = await t.raw()
        await raw.send(raw.frame('"fine"'))
        await raw.send(raw.frame(Uint8Array.from(broken)))
        const { messages, error } = await raw.end.rest()
        Check.equal([[...messages], error?.reason ?? "none"], [['"fine"'], "InvalidUtf8"], "what was read")
      }
    },
  },
  "cut-off-is-not-delivered": {
    says: "When the peer disconnects within a message, incoming ends and the incomplete message is not delivered.",
    run: async (t) => {
      const raw = await t.raw()
      const frame = raw.frame('"cut off"')
      await raw.send(Buffer.concat([raw.frame('"whole"'), frame.subarray(0, frame.length - 3)]))
      await raw.gone()
      const { messages } = await raw.end.rest()
      Check.equal([...messages], ['"whole"'], "what was read")
    },
  },
  "peer-gone-is-the-end": {
    says: `When the peer disconnects between messages, incoming ends without an error, and a write then
      returns true.`,
    run: async (t) => {
      const raw = await t.raw()
      await raw.send(raw.frame("1"))
      await raw.gone()
      const { messages, error } = await raw.end.rest()
      Check.equal([[...messages], error?.message ?? ""], [["1"], ""], "what was read")
      Check.equal(raw.end.write("late"), true, "what write answers")
    },
  },
})
