import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Bytes from "./Bytes.ts"
import { cutNotification, CutText, toText } from "./CutText.ts"
import { table } from "./dialect/Dialects.ts"
import { MemoryPool } from "./MemoryPool.ts"
import * as Message from "./Message.ts"
import * as Methods from "./Methods.ts"
import * as Shape from "./shape/index.ts"

const cut = (text: string) => CutText.fromBytes(Bytes.utf8.encode(text), new MemoryPool())
const base64 = (length: number) =>
  Bytes.toBase64(Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255))
const long = base64(6000)
const write = (chunk: string, more = "") =>
  `{"id":1,"method":"process/write","params":{"processId":"p","chunk":"${chunk}","writeId":"w"${more}}}`

/** The decoding of a message: the request with decoded params, a notification with base64, or the fault. */
const taken = (text: string | CutText) =>
  Result.map(Message.fromText(text), (message) => {
    if (message.kind === "request")
      return [message.id, Shape.decode(Methods.requests["process/write"].params, message.params)]
    const params: unknown = message.kind === "notification" ? message.params : undefined
    return typeof params === "object" && params !== null && "chunk" in params && isBytes(params.chunk)
      ? { ...message, params: { ...params, chunk: Bytes.toBase64(params.chunk) } }
      : message
  })
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array

describe("CutText", () => {
  it("can cut on this runtime", () => expect(Bytes.decodesBytes).toBe(true))

  it("cuts a long chunk out of a write, and has the text back", () => {
    const found = cut(write(long))
    expect(found?.text).toBe(write(""))
    expect(found?.bytes).toEqual(Result.getOrThrow(Bytes.fromBase64(long)))
    expect(found?.whole()).toBe(write(long))
    expect(found).toHaveLength(write(long).length)
    expect(found && toText(found)).toBe(write(long))
    expect(found && taken(found)).toEqual(taken(write(long)))
  })

  it("cuts a notification where only those are cut, and leaves an answer alone", () => {
    const output = `{"method":"process/output","params":{"processId":"p","seq":1,"stream":"pty","chunk":"${long}"}}`
    const found = cutNotification(Bytes.utf8.encode(output))
    expect(found && Result.getOrThrow(Message.fromText(found))).toMatchObject({
      kind: "notification",
      params: { seq: 1, chunk: Result.getOrThrow(Bytes.fromBase64(long)) },
    })
    expect(found && taken(found)).toEqual(taken(output))
    const answer = `{"id":1,"result":{"chunks":[{"seq":1,"stream":"pty","chunk":"${long}"}]}}`
    expect(cut(answer)).toBeDefined()
    expect(cutNotification(Bytes.utf8.encode(answer))).toBeUndefined()
  })

  it("leaves a chunk that is not that of the params a string", () => {
    for (const id of ['"id":1,', ""]) {
      const text = `{${id}"method":"m","params":{"a":{"chunk":"${long}"}}}`
      const found = cut(text)
      expect(found && Message.fromText(found)).toEqual(Message.fromText(text))
    }
  })

  it("cuts nothing that is short, far behind, no strict base64, or not UTF-8", () => {
    expect(cut(write(base64(300)))).toBeUndefined()
    expect(cut(`{"x":"${"-".repeat(2000)}",${write(long).slice(1)}`)).toBeUndefined()
    for (const wrong of ["-", "_", "=", " ", "\n", "\\n", "é", "*", "\u0000"]) {
      expect(cut(write(wrong + long.slice(wrong.length)))).toBeUndefined()
      if (wrong !== "=") expect(cut(write(long.slice(0, -wrong.length) + wrong))).toBeUndefined()
      expect(cut(write(long + wrong))).toBeUndefined()
    }
    expect(cut(write(`${base64(6001).slice(0, -3)}R==`))).toBeUndefined()
    const bytes = Bytes.utf8.encode(write(long))
    bytes[bytes.length - 4] = 0xff
    expect(CutText.fromBytes(bytes, new MemoryPool())).toBeUndefined()
  })

  it("is read as the text it was, wherever the chunk is and whatever is wrong", () => {
    const piece = fc.constantFrom(
      `"chunk":"${long}"`,
      `"chunk":"${base64(6001)}"`,
      `"chunk":"${base64(30)}"`,
      `"chunk":"${long.slice(1)}"`,
      `"x\\"chunk":"${long}"`,
      `"env":{"chunk":"${long}"}`,
      `"params":{"processId":"p","chunk":"${long}","writeId":"w"}`,
      `"params":["p","${long}","w"]`,
      '"id":1',
      '"id":null',
      '"method":"process/write"',
      '"method":"initialized"',
      '"processId":"é"',
      '"writeId":5',
      '"trace":{}',
      ",",
      "{",
      "}",
      '"a":1.5e',
      '"\\ud800":"\t"',
      " \r\n",
    )
    const text = fc.oneof(
      fc.array(piece, { maxLength: 5 }).map((pieces) => `{${pieces.join()}}`),
      fc.array(piece, { maxLength: 5 }).map((pieces) => write(long, `,${pieces.join()}`)),
    )
    fc.assert(
      fc.property(text, (text) => {
        const found = cut(text)
        if (found === undefined) return
        expect(found.whole()).toBe(text)
        expect(taken(found)).toEqual(taken(text))
      }),
    )
  })
})

it("bytes are taken wherever a request of the tables has a chunk", () => {
  const rows = Object.values(table).flatMap(({ routes }) => Object.values(routes))
  const chunks = rows.flatMap(({ row: { params } }) =>
    "fields" in params && Object.hasOwn(Object(params.fields), "chunk") ? [Object(params.fields).chunk] : [],
  )
  expect(chunks.length).toBeGreaterThanOrEqual(3)
  expect(chunks.every((shape) => shape === Shape.bytes)).toBe(true)
})
