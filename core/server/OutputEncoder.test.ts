import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { notificationText } from "../protocol/Message.ts"
import { OutputParams } from "../protocol/Process.ts"
import * as OutputEncoder from "./OutputEncoder.ts"

describe("OutputEncoder", () => {
  it("writes what the schema writes, byte for byte", () => {
    const encode = Schema.encodeSync(OutputParams)
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.array(fc.record({ seq: fc.maxSafeNat(), stream: fc.constantFrom("stdout", "stderr", "pty"), chunk: fc.uint8Array({ maxLength: 100 }) })),
        (processId, events) => {
          const output = OutputEncoder.make(processId)
          for (const { seq, stream, chunk } of events) {
            const params = encode({ processId, seq, stream: stream as "pty", chunk })
            const text = new TextDecoder().decode(output(seq, stream as "pty", chunk))
            expect(text).toBe(notificationText("process/output", params))
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it("gives away bytes that no later output changes", () => {
    const output = OutputEncoder.make("p")
    const first = output(1, "stdout", Uint8Array.of(1))
    const copy = first.slice()
    output(2, "stdout", Uint8Array.of(2))
    expect(first).toEqual(copy)
  })
})
