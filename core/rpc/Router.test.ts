import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { current } from "../protocol/document/Wire.ts"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Json from "../protocol/Json.ts"
import * as Methods from "../protocol/Methods.ts"
import * as Shape from "../protocol/shape/index.ts"
import * as Router from "./Router.ts"

const context: Router.RequestContext = { afterReply: () => {}, onCancel: () => () => {} }
const documented = current.methods
const seen: Array<unknown> = []
const info = { shell: { name: "sh", path: "/bin/sh" } }

/** Handlers that answer with the examples of the documents. */
const examples = (take: (result: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(Methods.requests).map(([name, { result }]) => {
      const { example } = documented.find((method) => method.name === name) ?? {}
      return [name, take(Result.getOrThrow(Shape.decode<unknown, unknown>(result, example?.result?.[0])))]
    }),
  ) as Router.Handlers<string>

const make = (open: boolean, change: Partial<Router.Handlers<string>> = {}) => {
  const take =
    <A>(result: A) =>
    (params: unknown) => {
      seen.push(params)
      return Effect.succeed(result)
    }
  const router = Router.make<string>({
    gate: (family) => (open ? Effect.void : Effect.fail(`closed for ${family}`)),
    toRpcError: (message) => new ErrorCode.RpcError({ code: 1, message }),
    handlers: {
      ...examples(take),
      initialize: take({ sessionId: "s", environmentInfo: info }),
      "environment/info": take(info),
      "process/read": take({
        chunks: [{ seq: 1, stream: "stdout" as const, chunk: Uint8Array.of(104, 105, 10) }],
        nextSeq: 2,
        exited: false,
        exitCode: null,
        closed: false,
        failure: null,
        sandboxDenied: false,
      }),
      "fs/readFile": take({ dataBase64: Uint8Array.of(104, 105) }),
      "fs/readBlock": take({ chunk: Uint8Array.of(104, 105), eof: true }),
      ...change,
    },
  })
  return (method: string, params: string) => {
    seen.length = 0
    return Effect.runSync(
      Effect.match(router.handle(method, Json.parse(params), context), {
        onSuccess: (text): unknown => JSON.parse(text),
        onFailure: ({ code, message }) => `${code} ${message}`,
      }),
    )
  }
}

describe("Router", () => {
  const call = make(true)
  const refused = make(false)

  it("checks the method, then the params, then the state, then asks the handler", () => {
    expect(refused("nope/method", '{"x":1}')).toBe(
      "-32601 exec-server stub does not implement `nope/method` yet",
    )
    expect(refused("process/read", "{}")).toBe("-32602 missing field `processId`")
    expect(refused("process/read", '{"processId":"p"}')).toBe("1 closed for exec")
    expect(refused("environment/info", "null")).toBe("1 closed for environment info")
    expect(refused("environment/status", "null")).toBe("1 closed for environment status")
    expect(seen).toEqual([])
    expect(refused("initialize", '{"clientName":"c"}')).toEqual({ sessionId: "s", environmentInfo: info })
  })

  it("does not know what objects inherit, notifications and methods of other versions", () => {
    for (const method of [
      "toString",
      "__proto__",
      "constructor",
      "",
      "initialized",
      "process/output",
      "process/kill",
      "command/exec",
    ]) {
      expect(call(method, "null")).toBe(`-32601 exec-server stub does not implement \`${method}\` yet`)
    }
  })

  it("runs no part of a handler that the gate has refused", () => {
    let called = 0
    const read = () => {
      called += 1
      return Effect.never
    }
    expect(make(false, { "process/read": read })("process/read", '{"processId":"p"}')).toBe(
      "1 closed for exec",
    )
    expect(called).toBe(0)
  })

  it("takes params by position if every field is given", () => {
    call("process/read", '["x",5,null,null]')
    expect(seen).toEqual([{ processId: "x", afterSeq: 5, maxBytes: null, waitMs: null }])
    expect(call("process/read", '["x"]')).toBe(
      "-32602 invalid length 1, expected struct ReadParams with 4 elements",
    )
    const start = (tty: string) =>
      `["p",null,["a"],"file:///",null,null,{},${tty},false,null,null,false,null,null]`
    call("process/start", start("true"))
    expect(seen).toMatchObject([{ processId: "p", argv: ["a"], tty: true }])
    expect(seen[0]).not.toHaveProperty("terminalSize")
    expect(call("process/start", '["p"]')).toBe(
      "-32602 invalid length 1, expected struct WireExecParams with 14 elements",
    )
    expect(call("process/start", start("null"))).toBe(
      "-32602 invalid type: null, expected a boolean (field `tty`)",
    )
  })

  it("encodes results by the table", () => {
    expect(call("process/read", '{"processId":"p"}')).toMatchObject({
      chunks: [{ seq: 1, stream: "stdout", chunk: "aGkK" }],
    })
  })

  it("encodes the content of files by hand as the schemas do", () => {
    expect(call("fs/readFile", '{"path":"file:///"}')).toEqual({ dataBase64: "aGk=" })
    expect(call("fs/readBlock", '{"handleId":"h","offset":0,"len":1}')).toEqual({ chunk: "aGk=", eof: true })
  })

  it("answers a failure of a handler with its code", () => {
    expect(
      make(true, { "process/signal": () => Effect.fail("no") })(
        "process/signal",
        '{"processId":"p","signal":"interrupt"}',
      ),
    ).toBe("1 no")
  })

  it("has an answer for every row of the table", () => {
    for (const { name, example } of documented.filter(({ kind }) => kind === "request"))
      expect(call(name, JSON.stringify(example.params?.[0]))).toBeTypeOf("object")
  })
})
