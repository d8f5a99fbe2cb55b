import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as TextFile from "../host/TextFile.ts"
import * as AuthRule from "./AuthRule.ts"
import type { AuthOptions } from "./Options.ts"

const contents: Readonly<Record<string, string>> = {
  token: " open-sesame\n",
  blank: " \n",
  short: "s".repeat(31),
  // 31 characters, 32 bytes.
  enough: `${"s".repeat(30)}é\n`,
}
const inMemory = TextFile.layerMemory(contents)

const read = (auth: AuthOptions) =>
  Effect.provide(AuthRule.read({ options: { auth }, label: (path) => path }), inMemory)
const refusal = (values: AuthOptions) => Effect.runSync(Effect.flip(read(values))).message

const token = (tokenFile: string) => ({ mode: "capability-token", tokenFile }) as const
const secret = (sharedSecretFile: string) => ({ mode: "signed-bearer-token", sharedSecretFile }) as const

describe("AuthRule", () => {
  it("takes the token of a file without the white space around it", async () => {
    const rule = Effect.runSync(read(token("token")))
    expect(await rule?.("Bearer open-sesame")).toEqual({ credential: { kind: "token", name: "token" } })
    expect(await rule?.("Bearer sesame")).toEqual({ refusal: "invalid websocket bearer token" })
  })

  it("refuses an empty file", () => {
    for (const values of [token("blank"), secret("blank")]) {
      expect(refusal(values)).toBe("websocket auth secret blank must not be empty")
    }
  })

  it("refuses a secret of less than 32 bytes", async () => {
    expect(refusal(secret("short"))).toBe("signed websocket bearer secret short must be at least 32 bytes")
    const rule = await Effect.runPromise(read(secret("enough")))
    expect(await rule?.(undefined)).toEqual({ refusal: "missing websocket bearer token" })
  })

  it("asks for nothing without options, and refuses options without a mode", () => {
    expect(Effect.runSync(read({}))).toBeUndefined()
    expect(refusal({ issuer: "me" })).toContain("websocket auth flags require `auth.mode capability-token`")
  })
})
