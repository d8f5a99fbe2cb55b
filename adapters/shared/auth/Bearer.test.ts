import { describe, expect, it } from "vitest"
import * as Bearer from "./Bearer.ts"

const rule = Bearer.fromDigests([{ digest: Bearer.sha256("open sesame"), name: "door" }])

describe("Bearer", () => {
  it.each(["Bearer open sesame", "bearer open sesame", "BEARER  open sesame ", "Bearer \topen sesame\t"])(
    "admits %j",
    async (header) => expect(await rule(header)).toEqual({ credential: { kind: "token", name: "door" } }),
  )

  it.each([
    [undefined, "missing websocket bearer token"],
    ["", "invalid authorization header"],
    ["Bearer", "invalid authorization header"],
    ["Bearer ", "invalid authorization header"],
    ["Bearer\topen sesame", "invalid authorization header"],
    ["Basic open sesame", "invalid authorization header"],
    ["open sesame", "invalid authorization header"],
    ["Bearer \u00e9", "invalid authorization header"],
    ["Bearer open", "invalid websocket bearer token"],
    ["Bearer open sesamE", "invalid websocket bearer token"],
    [`Bearer ${Bearer.sha256("open sesame").toString("hex")}`, "invalid websocket bearer token"],
  ])("answers %j with the text %j", async (header, text) =>
    expect(await rule(header)).toEqual({ refusal: text }),
  )
})
