import { expect, test } from "vitest"
import * as ErrorText from "./ErrorText.ts"

test("a text has its values as they are, whatever is in them", () => {
  expect(ErrorText.of("emptyArgv")).toBe("argv must not be empty")
  expect(ErrorText.of("highWalk", { depth: 1, directories: 2, entries: 3 })).toBe(
    "filesystem walk limits exceed maximums: depth=1, directories=2, entries=3",
  )
  for (const processId of ["{processId}", "$&", "{x}", ""])
    expect(ErrorText.of("processExists", { processId })).toBe(`process ${processId} already exists`)
  expect(ErrorText.labelOf("ws", "$&:1")).toBe("websocket JSON-RPC message from exec-server websocket $&:1")
})

test("a refusal has the code of its text", () => {
  const { code, message } = ErrorText.refusal("attached", { sessionId: "s" })
  expect([code, message]).toEqual([-32010, "session s is already attached to another connection"])
})
