/** Cases about single messages: any text of any size arrives as it was written. */
import * as Check from "../../suite/Check.ts"
import { table } from "../TransportContext.ts"
import { sameList } from "./order.ts"

const encoder = new TextEncoder()

/** Sizes just below, at and above those at which framing or buffering changes. */
const sizes = [
  2, 125, 126, 127, 128, 255, 256, 1024, 4096, 8192, 16_384, 32_768, 65_535, 65_536, 131_072, 1_048_576,
]

/** Bytes: above 16 MiB, at which 24-bit lengths end. */
const HUGE = 17_000_000

export const message = table("transport/message", {
  "text-and-bytes-equal": {
    says: "The same message written as text and as UTF-8 bytes arrives twice the same.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = Array.from({ length: 200 }, (_, i) => `{"id":${i},"text":"aé✓😀"}`)
        for (const [i, text] of texts.entries()) from.write(i % 2 === 0 ? text : encoder.encode(text))
        sameList(await to.take(texts.length), texts, "what arrived")
      }),
  },
  smallest: {
    says: "The smallest JSON texts arrive: 0, an empty string, object and array, null, and a string of one space.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = ["0", '""', "{}", "[]", "null", '" "', "-1", "true", '{"":""}']
        for (const text of texts) from.write(text)
        for (const text of texts) from.write(encoder.encode(text))
        sameList(await to.take(2 * texts.length), [...texts, ...texts], "what arrived")
      }),
  },
  "blanks-kept": {
    says: "Spaces and tabs inside and before a JSON text arrive unchanged.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = ['{ "a" :\t[ 1 , 2 ] }', " {}", '\t{"a":"  "}', '"a  b"']
        for (const text of texts) from.write(text)
        sameList(await to.take(texts.length), texts, "what arrived")
      }),
  },
  "of-every-size": {
    says: "Messages of sizes around 2 bytes, 125 bytes and every power of two up to 1 MiB arrive whole.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts = sizes.flatMap((size) => [-1, 0, 1].map((off) => `"${"x".repeat(size + off)}"`))
        const [got] = await Promise.all([to.take(texts.length), from.send(texts)])
        sameList(got, texts, "what arrived")
      }),
  },
  "every-character": {
    says: "Every character of Unicode, control characters as JSON escapes them, arrives as it was written.",
    run: (t) =>
      t.both(async (from, to) => {
        const texts: Array<string> = []
        for (let first = 0; first < 0x110000; first += 0x2000) {
          const points = Array.from({ length: 0x2000 }, (_, i) => first + i)
          texts.push(JSON.stringify(points.map((point) => String.fromCodePoint(point)).join("")))
        }
        const [got] = await Promise.all([to.take(texts.length), from.send(texts)])
        sameList(got, texts, "what arrived")
      }),
  },
  "characters-across-any-border": {
    says: `A message of 400 kB of four-byte characters arrives whole at each of four offsets, wherever
      buffers split it.`,
    run: (t) =>
      t.both(async (from, to) => {
        const texts = [0, 1, 2, 3].map((offset) => `"${"x".repeat(offset)}${"😀".repeat(100_000)}"`)
        const [got] = await Promise.all([to.take(texts.length), from.send(texts)])
        sameList(got, texts, "what arrived")
      }),
  },
  huge: {
    says: "A message of 17 MB, as text and as bytes, arrives whole between small ones.",
    run: (t) =>
      t.both(async (from, to) => {
        const text = `"${"é".repeat(HUGE / 2)}"`
        const sent = ["1", text, "2", encoder.encode(text), "3"]
        const [got] = await Promise.all([to.take(5), from.send(sent)])
        sameList(got, ["1", text, "2", text, "3"], "what arrived")
      }),
  },
  "label-says-what-carries-it": {
    says: "The label of each end, which error messages use, names JSON-RPC.",
    level: "should",
    run: async (t) => {
      const { left, right } = await t.open()
      for (const { transport } of [left, right]) Check.contains(transport.label, "JSON-RPC", "the label")
    },
  },
})
