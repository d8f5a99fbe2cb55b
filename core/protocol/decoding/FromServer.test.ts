import { describe, expect, it } from "vitest"
import * as Result from "effect/Result"
import type { Json } from "../Json.ts"
import * as FromServer from "./FromServer.ts"

const read = {
  chunks: [{ seq: 1, stream: "stdout", chunk: "aGk=" }],
  nextSeq: 2,
  exited: false,
  exitCode: null,
  closed: false,
  failure: null,
}
const wrongRead = (change: object) => FromServer.result("process/read", { ...read, ...change } as Json)

describe("FromServer", () => {
  it("fills in what older servers leave out, and drops what it does not know", () => {
    expect(FromServer.result("process/read", { ...read, later: 1 })).toEqual(
      Result.succeed({
        ...read,
        chunks: [{ seq: 1, stream: "stdout", chunk: Uint8Array.of(104, 105) }],
        sandboxDenied: false,
      }),
    )
  })

  it.each([
    [{ nextSeq: -1 }, "invalid number (field `nextSeq`)"],
    [{ nextSeq: "x" }, 'invalid type: string "x", expected u64 (field `nextSeq`)'],
    [{ exitCode: Symbol("1.5") }, "invalid type: number, expected a number (field `exitCode`)"],
    [{ exitCode: 2 ** 53 }, "invalid type: number, expected Int (field `exitCode`)"],
    [{ exitCode: 2 ** 31 }, "invalid type: number, expected i32 (field `exitCode`)"],
    [{ limit: "disk" }, "unknown variant `disk`, expected one of `mem`, `pids`, `time` (field `limit`)"],
    [{ limit: { mem: null } }, "invalid type: map, expected one of `mem`, `pids`, `time` (field `limit`)"],
    [{ chunks: [["x"]] }, "invalid type: sequence, expected struct ProcessOutputChunk (field `chunks.0`)"],
    [{ chunks: [{ seq: 1, stream: "pty" }] }, "missing field `chunk` of `chunks.0`"],
    [
      { chunks: [{ chunk: "a", stream: "x", seq: 1 }] },
      "unknown variant `x`, expected one of `stdout`, `stderr`, `pty` (field `chunks.0.stream`)",
    ],
    [
      { chunks: [{ seq: 1, stream: "pty", chunk: "a b=" }] },
      "Invalid symbol 32, offset 1. (field `chunks.0.chunk`)",
    ],
  ])(
    "takes one form of each value, and tells the first fault in the order of the fields: %j",
    (change, fault) => {
      expect(wrongRead(change)).toEqual(Result.fail(fault))
    },
  )

  it.each([
    [
      "process/write",
      { status: "gone" },
      "unknown variant `gone`, expected one of `accepted`, `unknownProcess`, `stdinClosed`, `starting` (field `status`)",
    ],
    ["environment/status", { status: 1 }, "invalid type: number, expected `ready` (field `status`)"],
    ["process/signal", null, "invalid type: null, expected struct SignalResponse"],
    ["process/screen", [], "invalid type: sequence, expected struct ScreenResponse"],
  ] as const)("says of a result of %s %j: %s", (method, json, fault) => {
    expect(FromServer.result(method, json)).toEqual(Result.fail(fault))
  })

  it("takes any result for one without members", () => {
    for (const json of [{}, { a: 1 }, 5, []])
      expect(FromServer.result("process/signal", json)).toEqual(Result.succeed(json))
  })

  it("says of a notification what is malformed", () => {
    expect(FromServer.notification("process/closed", { processId: "p" })).toEqual(
      Result.fail("missing field `seq`"),
    )
    expect(FromServer.notification("fs/missingChanged", { watchId: 2n ** 64n - 1n })).toEqual(
      Result.succeed({ watchId: 2n ** 64n - 1n }),
    )
  })

  it.each([
    ["process/read", {}, true],
    ["process/start", {}, false],
    ["process/write", { writeId: "1" }, true],
    ["process/write", {}, false],
    ["fs/remove", {}, true],
    ["fs/remove", { force: false }, false],
    ["fs/createDirectory", { recursive: true }, true],
    ["fs/createDirectory", { recursive: false }, false],
  ] as const)("knows whether %s with %j may be sent again: %s", (method, params, expected) => {
    expect(FromServer.isRepeatable(method, params)).toBe(expected)
  })
})
