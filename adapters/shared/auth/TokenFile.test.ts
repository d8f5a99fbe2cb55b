import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Bearer from "./Bearer.ts"
import * as TokenFile from "./TokenFile.ts"

describe("TokenFile", () => {
  it.each([
    ["/etc/token", { file: "/etc/token", name: "/etc/token", scope: "own" }],
    ["ci:observe=/etc/token", { file: "/etc/token", name: "ci", scope: "observe" }],
    ["ops:observe,control=a=b:c", { file: "a=b:c", name: "ops", scope: "control" }],
    ["ops:control,observe=f", { file: "f", name: "ops", scope: "control" }],
    ["me:own=f", { file: "f", name: "me", scope: "own" }],
    // Any other text is a file.
    ["./ops:control=f", { file: "./ops:control=f", name: "./ops:control=f", scope: "own" }],
    ["C:\\tokens\\a", { file: "C:\\tokens\\a", name: "C:\\tokens\\a", scope: "own" }],
    ["a:b", { file: "a:b", name: "a:b", scope: "own" }],
  ] as const)("reads %s", (text, expected) => {
    expect(Result.getOrThrow(TokenFile.parse(text))).toEqual(expected)
  })

  it("names a scope that there is not", () => {
    expect(TokenFile.parse("ci:observe,admin=f")).toEqual(Result.fail("admin"))
  })

  it("takes the greatest scope of a claim, and nothing from what is no text", () => {
    expect(
      ["observe", "openid observe", "control observe email", "x", "", 7, null, ["control"]].map(
        TokenFile.scopeOf,
      ),
    ).toEqual(["observe", "observe", "control", "own", "own", "own", "own", "own"])
  })

  it("lets each token do what its scopes say", async () => {
    const known = (["own", "observe", "control"] as const).map((scope) => ({
      digest: Bearer.sha256(scope),
      name: `for ${scope}`,
      scope,
    }))
    const rule = Bearer.fromDigests(known)
    const credentials = await Promise.all(
      ["own", "observe", "control"].map((token) => rule(`Bearer ${token}`)),
    )
    expect(credentials).toEqual([
      { credential: { kind: "token", name: "for own" } },
      { credential: { kind: "token", name: "for observe", scope: "observe" } },
      { credential: { kind: "token", name: "for control", scope: "control" } },
    ])
    expect(await rule("Bearer other")).toEqual({ refusal: "invalid websocket bearer token" })
  })
})
