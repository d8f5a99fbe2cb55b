/** Cases about order: every message once, in the order in which it was written. */
import * as Check from "../../suite/Check.ts"
import { table } from "../TransportContext.ts"

const numbered = (count: number, name: string): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, i) => JSON.stringify({ from: name, id: i, text: "é✓😀" }))

/** Fails at the first difference of two lists, instead of printing both. */
export const sameList = (got: ReadonlyArray<string>, wanted: ReadonlyArray<string>, what: string): void => {
  const at = wanted.findIndex((text, i) => got[i] !== text)
  if (at >= 0) Check.fail(`${what}: message ${at} should be ${clip(wanted[at])}, and is ${clip(got[at])}`)
  Check.equal(got.length, wanted.length, `${what}: how many there are`)
}

const clip = (text: string | undefined): string =>
  text === undefined ? "missing" : text.length > 80 ? `${text.slice(0, 80)}… (${text.length})` : text

export const order = table("transport/order", {
  "10000-messages-both-ways": {
    says: "Each side writes 10,000 messages while it reads those of the other: all arrive once and in order.",
    run: async (t) => {
      const { left, right } = await t.open()
      const texts = [numbered(10_000, "left"), numbered(10_000, "right")] as const
      const [toRight, toLeft] = await Promise.all([
        right.take(10_000),
        left.take(10_000),
        left.send(texts[0]),
        right.send(texts[1]),
      ])
      sameList(toRight, texts[0], "left to right")
      sameList(toLeft, texts[1], "right to left")
    },
  },
  "kept-by-a-hasty-writer": {
    says: "5,000 messages that are written at once, whatever write returns, all arrive once and in order.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = numbered(5_000, "hasty")
        for (const text of texts) from.write(text)
        sameList(await to.take(texts.length), texts, "what arrived")
      }),
  },
  "kept-among-small-and-large": {
    says: "Small and large messages in turn arrive in the order in which they were written.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = numbered(300, "mixed").map((text, i) => (i % 10 === 0 ? text.repeat(3_000) : text))
        const [got] = await Promise.all([to.take(texts.length), from.send(texts)])
        sameList(got, texts, "what arrived")
      }),
  },
  "request-and-answer": {
    says: "200 messages are answered one after the other: a message is delivered before the next is written.",
    run: async (t) => {
      const { left, right } = await t.open()
      for (let i = 0; i < 200; i++) {
        left.write(`{"id":${i}}`)
        Check.equal([...(await right.take(1))], [`{"id":${i}}`], "the request")
        right.write(`{"answer":${i}}`)
        Check.equal([...(await left.take(1))], [`{"answer":${i}}`], "the answer")
      }
    },
  },
})
