import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as ErrorCode from "../protocol/ErrorCode.ts"
import * as Json from "../protocol/Json.ts"
import type * as Methods from "../protocol/Methods.ts"
import * as Router from "./Router.ts"

const context: Router.RequestContext = { afterReply: () => {}, onCancel: () => () => {} }
const seen: Array<unknown> = []
const info = { shell: { name: "sh", path: "/bin/sh" } }

const metadata = {
  isDirectory: false,
  isFile: true,
  isSymlink: false,
  size: 3,
  createdAtMs: 0,
  modifiedAtMs: -1,
}

const listed = {
  processId: "p",
  session: 1,
  attached: true,
  labels: {},
  argv: ["x"],
  cwd: "file:///",
  pid: null,
  tty: false,
  startedAtMs: 0,
  state: "running",
  exitCode: null,
  bytes: 0,
  nextSeq: 1,
} as const

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
      initialize: take({ sessionId: "s", environmentInfo: info }),
      "environment/info": take(info),
      "environment/status": take({ status: "ready" as const }),
      "process/start": take({ processId: "p", sandboxType: "none" as const }),
      "process/read": take({
        chunks: [{ seq: 1, stream: "stdout" as const, chunk: Uint8Array.of(104, 105, 10) }],
        nextSeq: 2,
        exited: false,
        exitCode: null,
        closed: false,
        failure: null,
        sandboxDenied: false,
      }),
      "process/write": take({ status: "accepted" as const }),
      "http/request": take({ status: 204, headers: [], bodyBase64: new Uint8Array() }),
      "process/signal": take({}),
      "process/terminate": take({ running: true }),
      "process/restart": take({}),
      "session/end": take({}),
      "process/resize": take({}),
      "process/closeStdin": take({}),
      "process/credit": take({}),
      "process/screen": take({
        seq: 0,
        fromSeq: 1,
        size: { rows: 24, columns: 80 },
        cursor: { row: 0, column: 0, visible: true, shape: "block" as const, blinks: true },
        title: "",
        alternate: false,
        scrollback: 0,
      }),
      "process/wait": take({
        met: null,
        evidence: null,
        nextSeq: 1,
        exited: false,
        exitCode: null,
        closed: false,
        head: [],
        tail: [],
        omittedBytes: 0,
      }),
      "process/history": take({ chunks: [], byte: 0, line: 1, nextByte: 0, eof: true, closed: true }),
      "process/grep": take({ matches: [], complete: true, nextByte: 0, closed: true }),
      "process/list": take({ processes: [], nextCursor: null }),
      "process/changes": take({
        changes: [{ seq: 1, kind: "started" as const, atMs: 0, process: listed }],
        nextSeq: 2,
      }),
      "session/list": take({ sessions: [], nextCursor: null }),
      "process/attach": take({ processId: "a", process: listed, firstSeq: 1, writer: false }),
      "process/detach": take({}),
      "fs/readFile": take({ dataBase64: Uint8Array.of(104, 105) }),
      "fs/writeFile": take({}),
      "fs/createDirectory": take({}),
      "fs/getMetadata": take(metadata),
      "fs/canonicalize": take({ path: "file:///a" }),
      "fs/readDirectory": take({ entries: [{ fileName: "a", isDirectory: false, isFile: true }] }),
      "fs/walk": take({ entries: [], errors: [], truncated: false }),
      "fs/remove": take({}),
      "fs/copy": take({}),
      "fs/rename": take({}),
      "fs/setMode": take({}),
      "fs/createSymlink": take({}),
      "fs/open": take({ handleId: "h" }),
      "fs/readBlock": take({ chunk: Uint8Array.of(104, 105), eof: true }),
      "fs/writeBlock": take({}),
      "fs/close": take({}),
      "fs/watchMissing": take({ watching: true }),
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
    const walkOptions = '{"maxDepth":1,"maxDirectories":1,"maxEntries":1,"followDirectorySymlinks":false}'
    const params: Record<Methods.RequestName, string> = {
      initialize: '{"clientName":""}',
      "environment/info": "null",
      "environment/status": "{}",
      "process/start": '{"processId":"p","argv":[],"cwd":"file:///","env":{},"tty":false}',
      "process/read": '{"processId":"p"}',
      "process/write": '{"processId":"p","chunk":"","writeId":"w"}',
      "process/signal": '{"processId":"p","signal":"interrupt"}',
      "process/terminate": '{"processId":"p"}',
      "process/restart": '{"processId":"p"}',
      "session/end": "{}",
      "process/resize": '{"processId":"p","rows":24,"columns":80}',
      "process/closeStdin": '{"processId":"p"}',
      "process/credit": '{"processId":"p","bytes":1}',
      "process/wait": '{"processId":"p","until":[]}',
      "process/history": '{"processId":"p"}',
      "process/grep": '{"processId":"p","pattern":"x"}',
      "process/list": "{}",
      "process/changes": "{}",
      "session/list": "{}",
      "process/attach":
        '{"session":1,"processId":"p","as":"a","role":"viewer","policy":"skip","credit":65536}',
      "process/detach": '{"processId":"a"}',
      "process/screen": '{"processId":"p"}',
      "http/request": '{"method":"GET","url":"","requestId":""}',
      "fs/readFile": '{"path":"file:///"}',
      "fs/writeFile": '{"path":"file:///","dataBase64":""}',
      "fs/createDirectory": '{"path":"file:///"}',
      "fs/getMetadata": '{"path":"file:///"}',
      "fs/canonicalize": '{"path":"file:///"}',
      "fs/readDirectory": '{"path":"file:///"}',
      "fs/walk": `{"path":"file:///","options":${walkOptions}}`,
      "fs/remove": '{"path":"file:///"}',
      "fs/copy": '{"sourcePath":"file:///","destinationPath":"file:///","recursive":false}',
      "fs/rename": '{"sourcePath":"file:///","destinationPath":"file:///"}',
      "fs/setMode": '{"path":"file:///","mode":0}',
      "fs/createSymlink": '{"target":"a","path":"file:///"}',
      "fs/open": '{"handleId":"h","path":"file:///"}',
      "fs/readBlock": '{"handleId":"h","offset":0,"len":1}',
      "fs/writeBlock": '{"handleId":"h","offset":0,"chunk":""}',
      "fs/close": '{"handleId":"h"}',
      "fs/watchMissing": '{"watchId":1,"missing":[]}',
    }
    for (const [method, text] of Object.entries(params)) expect(call(method, text)).toBeTypeOf("object")
  })
})
