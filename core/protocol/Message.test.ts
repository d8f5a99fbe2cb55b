import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toBase64 } from "./Bytes.ts"
import { smallest } from "./CutText.ts"
import { giveBack, MemoryPool } from "./MemoryPool.ts"
import * as Message from "./Message.ts"

const read = (text: string) => Result.getOrThrow(Message.fromText(text))
const badId = "data did not match any variant of untagged enum RequestId"

describe("Message", () => {
  it.each([
    ["{bad", "key must be a string at line 1 column 2"],
    ["42", "expected a JSON-RPC object"],
    ["null", "expected a JSON-RPC object"],
    ['"s"', "expected a JSON-RPC object"],
    ["1.5", "expected a JSON-RPC object"],
    ["[]", "expected a JSON-RPC object"],
    ['[{"id":1,"method":"x"}]', "expected a JSON-RPC object"],
    ["{}", "missing field `error`"],
    ['{"id":1}', "missing field `error`"],
    ['{"id":null,"method":"x"}', badId],
    ['{"id":1.5,"method":"x"}', badId],
    ['{"id":1.0,"method":"x"}', badId],
    ['{"id":1e2,"method":"x"}', badId],
    ['{"id":true,"method":"x"}', badId],
    ['{"id":{},"method":"x"}', badId],
    ['{"id":[],"method":"x"}', badId],
    ['{"id":9223372036854775808,"method":"x"}', badId],
    ['{"id":-9223372036854775809,"method":"x"}', badId],
    [`{"id":${"9".repeat(40)},"method":"x"}`, badId],
    ['{"id":null,"result":1}', badId],
    ['{"result":1}', "missing field `id`"],
    ['{"id":1,"error":5}', "invalid type: number, expected struct JSONRPCErrorError"],
    ['{"id":1,"error":{"message":"m"}}', "missing field `code`"],
    ['{"id":1,"error":{"code":1}}', "missing field `message`"],
    ['{"id":1,"method":5}', "invalid type: number, expected a string"],
    ['{"method":null}', "invalid type: null, expected a string"],
    ['{"id":1,"method":"x","trace":5}', "invalid type: number, expected struct W3cTraceContext"],
    ['{"id":1,"method":"x","trace":"t"}', 'invalid type: string "t", expected struct W3cTraceContext'],
    ['{"id":1,"method":"x","trace":[null,null,1]}', "invalid length 3, expected fewer elements in array"],
    ['{"id":1,"method":"x","trace":{"traceparent":5}}', "invalid type: number, expected a string"],
    ['{"id":1,"method":"x","trace":[1.5]}', "invalid type: number, expected a string"],
    ['{"trace":5,"id":1.5,"method":5}', "invalid type: number, expected struct W3cTraceContext"],
    ['{"id":1,"error":{"code":1.5,"message":"x"}}', "invalid number"],
    ['{"id":1,"error":[1,"x"]}', "invalid length 2, expected struct JSONRPCErrorError with 3 elements"],
    ['{"id":1,"id":2,"method":"x"}', "duplicate JSON object key `id` at line 1 column 12"],
    ['{"id":1,"method":"x","params":{"a":1,"a":2}}', "duplicate JSON object key `a` at line 1 column 40"],
    ["", "EOF while parsing a value at line 1 column 0"],
    ['{"method":"x"}\n{"method":"x"}', "trailing characters at line 2 column 1"],
  ])("refuses %s: %s", (text, expected) => {
    expect(Message.fromText(text)).toEqual(Result.fail(expected))
  })

  it("tells requests, notifications, responses and errors apart", () => {
    expect(read('{"id":1,"method":"m","params":[2]}')).toEqual({
      kind: "request",
      id: 1,
      method: "m",
      params: [2],
    })
    expect(read('{"method":"m"}')).toEqual({ kind: "notification", method: "m", params: null })
    expect(read('{"id":"a","result":{}}')).toEqual({ kind: "response", id: "a", result: {} })
    expect(read('{"id":1,"result":null}')).toEqual({ kind: "response", id: 1, result: null })
    expect(read('{"error":{"code":-32600,"message":"m"},"id":1}')).toEqual({
      kind: "error",
      id: 1,
      code: -32600,
      message: "m",
    })
  })

  it("takes a message with both method and result for a request", () => {
    expect(read('{"id":1,"method":"m","result":5}').kind).toBe("request")
  })

  it("takes absent params and null for the same", () => {
    expect(read('{"id":1,"method":"m"}')).toEqual(read('{"id":1,"method":"m","params":null}'))
  })

  it("ignores unknown members and any jsonrpc", () => {
    const expected = { kind: "request", id: 1, method: "m", params: null }
    for (const jsonrpc of ['"2.0"', "1", "null", "{}"]) {
      expect(read(`{"jsonrpc":${jsonrpc},"id":1,"method":"m","zzz":[1]}`)).toEqual(expected)
    }
    expect(read('{"id":1,"method":"m","__proto__":{"id":2,"method":"other"}}')).toEqual(expected)
  })

  it("carries a trace context and takes null for none", () => {
    expect(read('{"id":1,"method":"m","trace":{"traceparent":"t"}}')).toMatchObject({
      trace: { traceparent: "t" },
    })
    expect(read('{"id":1,"method":"m","trace":null}')).not.toHaveProperty("trace")
  })

  it("echoes every id exactly", () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
    const id = fc.oneof(
      integer,
      fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
    )
    fc.assert(
      fc.property(id, (id) => {
        const message = read(`{"id":${id},"method":"m"}`)
        if (message.kind !== "request") throw new Error("not a request")
        expect(Message.responseText(message.id, "{}")).toBe(`{"id":${id},"result":{}}`)
        expect(Message.errorText(message.id, 1, "m")).toBe(`{"error":{"code":1,"message":"m"},"id":${id}}`)
      }),
    )
    expect(read('{"id":-0,"method":"m"}')).toMatchObject({ id: 0 })
  })

  it("reads back what it writes", () => {
    expect(read(Message.requestText(7, "m", { a: "\u0000é" }))).toEqual({
      kind: "request",
      id: 7,
      method: "m",
      params: { a: "\u0000é" },
    })
    expect(read(Message.requestText("", "m", undefined))).toEqual({
      kind: "request",
      id: "",
      method: "m",
      params: null,
    })
    expect(read(Message.notificationText("n", { seq: 1 }))).toEqual({
      kind: "notification",
      method: "n",
      params: { seq: 1 },
    })
    expect(read(Message.responseText(2n ** 60n, "[1]"))).toEqual({
      kind: "response",
      id: 2n ** 60n,
      result: [1],
    })
    expect(read(Message.errorText(-1, -32600, 'a "b"'))).toEqual({
      kind: "error",
      id: -1,
      code: -32600,
      message: 'a "b"',
    })
  })

  it("writes the bytes of a chunk as base64, a long one as UTF-8 in memory that is used again", () => {
    const trace = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }
    const memory = new MemoryPool(90_000, 1)
    for (const length of [0, 1, smallest - 1, smallest, 64 * 1024, 100_000])
      for (const others of [{}, { processId: 'é "p"', writeId: "w" }]) {
        const chunk = Uint8Array.from({ length }, (_, i) => (i * 167) & 255)
        const sent = Message.request(7, "process/write", { ...others, chunk }, trace, memory)
        expect(typeof sent).toBe(length < smallest ? "string" : "object")
        const params = { ...others, chunk: toBase64(chunk) }
        expect(read(typeof sent === "string" ? sent : new TextDecoder().decode(sent))).toEqual(
          read(Message.requestText(7, "process/write", params, trace)),
        )
        if (typeof sent !== "string") giveBack(sent)
      }
    expect(Message.request(1, "m", { chunk: "AA==" })).toBe(Message.requestText(1, "m", { chunk: "AA==" }))
    expect(Message.request(1, "m", undefined)).toBe(Message.requestText(1, "m", undefined))
  })

  it("never writes a jsonrpc member", () => {
    for (const text of [
      Message.requestText(1, "m", {}),
      Message.notificationText("m", {}),
      Message.responseText(1, "1"),
      Message.errorText(1, 1, "m"),
    ]) {
      expect(JSON.parse(text)).not.toHaveProperty("jsonrpc")
    }
  })
})
