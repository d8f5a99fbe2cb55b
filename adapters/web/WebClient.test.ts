import { expect, it } from "vitest"
import { connect } from "./WebClient.ts"

it("has the current dialect alone, and says so before it opens a connection", async () => {
  const older = { dialect: "v0" } as object
  await expect(connect({ url: "ws://127.0.0.1:1" }, older)).rejects.toMatchObject({
    reason: "InvalidOption",
    message: "there is no dialect 'v0': expected current",
  })
})
