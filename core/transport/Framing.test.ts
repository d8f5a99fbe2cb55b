import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Bytes from "../protocol/Bytes.ts"
import { CutText, smallest, toText } from "../protocol/CutText.ts"
import { MemoryPool } from "../protocol/MemoryPool.ts"
import * as Framing from "./Framing.ts"

const bytesOf = (text: string) => new TextEncoder().encode(text)

const decodeAll = (chunks: ReadonlyArray<Uint8Array>, decoder = new Framing.LineDecoder()) =>
  chunks.flatMap((chunk) => decoder.push(chunk))

const split = (bytes: Uint8Array, cuts: ReadonlyArray<number>) => {
  const at = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b)
  return at.slice(1).map((end, i) => bytes.slice(at[i]!, end))
}

const line = fc.oneof(
  fc.json(),
  fc.string({ unit: "grapheme", minLength: 1 }).map((text) => JSON.stringify(text)),
  fc.integer({ min: 1, max: 20_000 }).map((n) => `"${"é".repeat(n)}"`),
)

describe("Framing", () => {
  it("gives back the same lines however the bytes are split", () => {
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(), { maxLength: 40 }), (lines, cuts) => {
        const encoded = lines.map(Framing.encodeLine)
        const bytes = new Uint8Array(encoded.reduce((n, one) => n + one.length, 0))
        let at = 0
        for (const one of encoded) {
          bytes.set(one, at)
          at += one.length
        }
        expect(decodeAll(split(bytes, cuts))).toEqual(lines)
      }),
    )
  })

  it("cuts the same messages wherever the bytes are split, and gives their texts back", () => {
    const write = (length: number, end = "") =>
      `{"id":"é","params":{"chunk":"${Bytes.toBase64(new Uint8Array(length).fill(length))}"}}${end}`
    const pool = new MemoryPool()
    const cut = (line: Uint8Array) => CutText.fromBytes(line, pool)
    const long = (smallest / 4) * 3
    const lines = [write(9), write(long), write(3), write(long, "\r")]
    const bytes = bytesOf(lines.map((line) => `${line}\n`).join(""))
    const texts = lines.map((line) => line.replace("\r", ""))
    const expected = texts.join("\n")
    // Each byte around the borders of messages and of what is cut out of them, and some of what is alike within it.
    const isBorder = (at: number) =>
      bytes.subarray(Math.max(0, at - 3), at + 3).some((byte) => '\n\r"'.includes(String.fromCharCode(byte)))
    for (let at = 0; at <= bytes.length; at++) {
      if (at % 29 !== 0 && !isBorder(at)) continue
      const pieces = [bytes.slice(0, at), bytes.slice(at)]
      const decoder = new Framing.LineDecoder(undefined, cut)
      const messages = pieces.flatMap((piece) => {
        const found = decoder.push(piece)
        piece.fill(0) // the memory of a chunk may be used again
        return found
      })
      if (messages.map(toText).join("\n") !== expected) expect([at, ...messages]).toEqual([at, ...texts])
    }
    const whole = new Framing.LineDecoder(undefined, cut).push(bytesOf(`${lines[1]}\n`))
    expect(whole[0]).toBeInstanceOf(CutText)
  })

  it("puts a character together again that came byte by byte", () => {
    const bytes = bytesOf('{"a":"é€😀"}\n')
    expect(decodeAll([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(['{"a":"é€😀"}'])
  })

  it("drops a trailing carriage return and skips blank lines", () => {
    expect(decodeAll([bytesOf("\r\n\n  \t\r\n1\r\n\u00a0\u2003\n2\n")])).toEqual(["1", "2"])
  })

  it("keeps a byte order mark in the text", () => {
    expect(decodeAll([bytesOf("\ufeff1\n\ufeff\n\ufeff2\n")])).toEqual(["\ufeff1", "\ufeff", "\ufeff2"])
  })

  it("never delivers an unterminated last line", () => {
    expect(decodeAll([bytesOf('1\n{"cut":')])).toEqual(["1"])
  })

  it("copies what it keeps, so that the chunk may be reused", () => {
    const decoder = new Framing.LineDecoder()
    const chunk = bytesOf("ab")
    decoder.push(chunk)
    chunk.fill(120)
    expect(decoder.push(bytesOf("c\n"))).toEqual(["abc"])
  })

  it("delivers the lines before broken UTF-8 and nothing after", () => {
    const decoder = new Framing.LineDecoder()
    const chunk = new Uint8Array([49, 10, 34, 0xff, 34, 10, 50, 10])
    expect(decoder.push(chunk)).toEqual(["1"])
    expect(decoder.failure?.reason).toBe("InvalidUtf8")
    expect(decoder.push(bytesOf("3\n"))).toEqual([])
  })

  it("takes a character cut off by the end of a line for broken UTF-8", () => {
    const decoder = new Framing.LineDecoder()
    expect(decoder.push(new Uint8Array([34, 0xc3, 10]))).toEqual([])
    expect(decoder.failure?.reason).toBe("InvalidUtf8")
  })

  it("takes a line of the limit and refuses one byte more, in one chunk or many", () => {
    for (const size of [1, 3, 100]) {
      for (const [length, reason] of [
        [16, undefined],
        [17, "MessageTooLarge"],
      ] as const) {
        const decoder = new Framing.LineDecoder(16)
        const bytes = bytesOf(`1\n${"x".repeat(length)}\n`)
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.slice(i * size, (i + 1) * size),
        )
        expect(decodeAll(chunks, decoder)).toEqual(reason === undefined ? ["1", "x".repeat(16)] : ["1"])
        expect(decoder.failure?.reason).toBe(reason)
      }
    }
  })

  // guards: malformed-messages
  it("refuses a line over the limit before its end came", () => {
    const decoder = new Framing.LineDecoder(16)
    decoder.push(bytesOf("x".repeat(17)))
    expect(decoder.failure?.reason).toBe("MessageTooLarge")
  })

  it("accepts a line of exactly the limit after another one, and refuses a longer one", () => {
    const chunk = new Uint8Array(1 << 14).fill(97)
    const decoder = new Framing.LineDecoder(1 << 20)
    for (let i = 0; i < 64; i++) expect(decoder.push(chunk)).toEqual([])
    expect(decoder.push(bytesOf("\n"))[0]?.length).toBe(1 << 20)
    for (let i = 0; i < 64; i++) expect(decoder.push(chunk)).toEqual([])
    expect(decoder.failure).toBeUndefined()
    decoder.push(bytesOf("a"))
    expect(decoder.failure?.reason).toBe("MessageTooLarge")
  })

  it("has a limit of 64 MiB if it is not told another one", () => {
    const decoder = new Framing.LineDecoder()
    expect(decoder.push(new Uint8Array(1 << 26).fill(97))).toEqual([])
    expect(decoder.failure).toBeUndefined()
    decoder.push(bytesOf("a"))
    expect(decoder.failure?.reason).toBe("MessageTooLarge")
  })

  it("encodes any text and any bytes as one terminated line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const expected = bytesOf(`${text}\n`)
        expect(Framing.encodeLine(text)).toEqual(expected)
        expect(Framing.encodeLine(bytesOf(text))).toEqual(expected)
        expect(Framing.encodeText(text)).toEqual(bytesOf(text))
      }),
    )
  })
})
