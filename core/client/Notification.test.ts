import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { toBase64, utf8 } from "../protocol/Bytes.ts"
import { cutNotification } from "../protocol/CutText.ts"
import * as Message from "../protocol/Message.ts"
import * as EventRecovery from "./EventRecovery.ts"

const bytes = Uint8Array.from({ length: 9000 }, (_, i) => (i * 31) & 255)

/** The event that a client makes of output, as a text and without its base64. */
const both = (params: object) => {
  const text = JSON.stringify({ method: "process/output", params: { ...params, chunk: toBase64(bytes) } })
  return [text, cutNotification(utf8.encode(text))].map((message) => {
    if (message === undefined) return expect.fail("nothing was cut out")
    const read = Result.getOrThrow(Message.fromText(message))
    return EventRecovery.decode("process/output", "params" in read ? read.params : null)
  })
}

it("output that comes without its base64 is what it is as a text", () => {
  const [text, cut] = both({ processId: "p", seq: 3, stream: "pty" })
  expect(cut).toEqual(
    Result.succeed({ processId: "p", event: { kind: "output", seq: 3, stream: "pty", bytes } }),
  )
  expect(text).toEqual(cut)
})

it.each([
  { processId: 5, seq: 3, stream: "pty" },
  { processId: "p", seq: -1.5, stream: "pty" },
  { processId: "p", seq: 3, stream: "stdin" },
  { seq: 3, stream: "pty" },
])("says the same of malformed output, %j", (params) => {
  const [text, cut] = both(params)
  expect(Result.isFailure(text!)).toBe(true)
  expect(cut).toEqual(text)
})
