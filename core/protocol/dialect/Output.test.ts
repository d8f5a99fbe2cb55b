import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyText } from "../../testing/Texts.ts"
import { notificationText, readResultText } from "../Message.ts"
import { OutputParams, ReadResult } from "../Process.ts"
import * as Shape from "../shape/index.ts"
import { makeOutput } from "./current.ts"
import * as V0 from "./v0.ts"

describe("output as text", () => {
  it("writes what the shape writes, byte for byte", () => {
    fc.assert(
      fc.property(
        anyText(),
        fc.array(
          fc.record({
            seq: fc.maxSafeNat(),
            stream: fc.constantFrom("stdout", "stderr", "pty"),
            chunk: fc.uint8Array({ maxLength: 100 }),
          }),
        ),
        (processId, events) => {
          const output = makeOutput(processId)
          for (const { seq, stream, chunk } of events) {
            const params = Shape.encode(OutputParams, { processId, seq, stream: stream as "pty", chunk })
            const text = new TextDecoder().decode(
              output({ kind: "output", seq, stream: stream as "pty", bytes: chunk }),
            )
            expect(text).toBe(notificationText("process/output", params))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it("writes a delta of v0 as its shape does, and a terminal as stdout", () => {
    const streams = fc.constantFrom("stdout" as const, "stderr" as const, "pty" as const)
    fc.assert(
      fc.property(anyText(), streams, fc.uint8Array({ maxLength: 100 }), (processId, stream, chunk) => {
        const text = new TextDecoder().decode(
          V0.makeDelta(processId)({ kind: "output", seq: 1, stream, bytes: chunk }),
        )
        const params = Shape.encode(V0.OutputDeltaParams, {
          processId,
          stream: stream === "pty" ? "stdout" : stream,
          chunk,
        })
        expect(text).toBe(notificationText("command/exec/outputDelta", params))
      }),
    )
  })

  it("gives away bytes that no later output changes", () => {
    const output = makeOutput("p")
    const first = output({ kind: "output", seq: 1, stream: "stdout", bytes: Uint8Array.of(1) })
    const copy = first.slice()
    output({ kind: "output", seq: 2, stream: "stdout", bytes: Uint8Array.of(2) })
    expect(first).toEqual(copy)
  })

  it("writes a read result as the shape does", () => {
    const chunk = fc.record({
      seq: fc.maxSafeNat(),
      stream: fc.constantFrom("stdout" as const, "stderr" as const, "pty" as const),
      chunk: fc.uint8Array({ maxLength: 20 }),
    })
    const result = fc.record({
      chunks: fc.array(chunk, { maxLength: 5 }),
      nextSeq: fc.maxSafeNat(),
      exited: fc.boolean(),
      exitCode: fc.option(fc.integer()),
      closed: fc.boolean(),
      failure: fc.option(fc.string()),
      sandboxDenied: fc.boolean(),
    })
    fc.assert(
      fc.property(result, (result) => {
        expect(JSON.parse(readResultText(result))).toEqual(Shape.encode(ReadResult, result))
      }),
    )
  })
})
