import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import * as SignedToken from "./SignedToken.ts"

const secret = "thirty-two bytes are the least.."
const now = () => Math.floor(Date.now() / 1000)
const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url")

interface Header {
  readonly alg?: string
  readonly [name: string]: unknown
}

/** A token whose signature is right, for HS256 and HS512. */
const sign = (payload: unknown, header: Header = { alg: "HS256" }, key = secret) => {
  const hash = header.alg === "HS512" ? "sha512" : "sha256"
  const body = `${part(header)}.${part(payload)}`
  return `Bearer ${body}.${createHmac(hash, key).update(body).digest("base64url")}`
}

/** The rule, answering with the text of its refusal. */
const make = async (options: Partial<SignedToken.Options> = {}) => {
  const rule = await SignedToken.make({ secret, skewSeconds: 30, ...options })
  return async (header: string) => (await rule(header)).refusal
}

describe("SignedToken", () => {
  it("admits a token that has not expired, whatever claims nobody asks for say", async () => {
    const rule = await make()
    for (const more of [{}, { iss: "any", aud: ["any"] }, { iat: "x", sub: 4 }, { nbf: null, iss: null }]) {
      expect(await rule(sign({ exp: now() + 60, ...more }))).toBeUndefined()
    }
    expect(await rule(sign('{"exp":9223372036854775807}'))).toBeUndefined()
    expect(await rule(sign({ exp: now() + 60 }, { alg: "HS256", typ: "JWT", kid: "a" }))).toBeUndefined()
  })

  it("names whom it admits by the subject and the issuer", async () => {
    const rule = await SignedToken.make({ secret, skewSeconds: 30 })
    const credential = async (claims: object) => await rule(sign({ exp: now() + 60, ...claims }))
    expect(await credential({ sub: "me", iss: "them" })).toEqual({
      credential: { kind: "jwt", name: "me", issuer: "them" },
      until: expect.any(Number),
    })
    expect(await credential({ tenant: "acme" })).toMatchObject({ credential: { tenant: "acme" } })
    expect(await credential({ tenant: ["acme"] })).not.toHaveProperty("credential.tenant")
    expect(await credential({ sub: 4, exp: 9_999_999_999 })).toEqual({
      credential: { kind: "jwt" },
      until: (9_999_999_999 + 30) * 1000,
    })
  })

  it.each([
    ["no exp", {}],
    ["a text for exp", { exp: "9999999999" }],
    ["a fraction", '{"exp":9999999999.0}'],
    ["an integer of more than 64 bits", '{"exp":9223372036854775808}'],
    ["a claim twice", '{"exp":1,"exp":9999999999}'],
    ["a text for nbf", { exp: 9_999_999_999, nbf: "x" }],
    ["a number for iss", { exp: 9_999_999_999, iss: 5 }],
    ["a number in aud", { exp: 9_999_999_999, aud: ["a", 1] }],
    ["no object", [1]],
    ["no JSON", "exp"],
  ])("refuses %s", async (_, payload) => {
    const rule = await make()
    expect(await rule(sign(payload))).toBe("invalid websocket jwt")
  })

  // guards: wrong-token
  it("refuses another key, other algorithms, and parameters that must be understood", async () => {
    const rule = await make()
    const claims = { exp: now() + 60 }
    expect(await rule(sign(claims, undefined, `${secret}x`))).toBe("invalid websocket jwt")
    for (const header of [
      { alg: "none" },
      { alg: "HS512" },
      { alg: "hs256" },
      {},
      { alg: "HS256", crit: ["x"], x: 1 },
    ]) {
      expect(await rule(sign(claims, header))).toBe("invalid websocket jwt")
    }
    expect(await rule(`Bearer ${part({ alg: "none" })}.${part(claims)}.`)).toBe("invalid websocket jwt")
    for (const text of ["x", "a.b.c", "a.b", "..", secret]) {
      expect(await rule(`Bearer ${text}`)).toBe("invalid websocket jwt")
    }
  })

  it("allows for clocks that differ, and no more", async () => {
    const rule = await make({ skewSeconds: 1000 })
    expect(await rule(sign({ exp: now() - 900 }))).toBeUndefined()
    expect(await rule(sign({ exp: now() - 1100 }))).toBe("expired websocket jwt")
    expect(await rule(sign({ exp: now() + 5000, nbf: now() + 900 }))).toBeUndefined()
    expect(await rule(sign({ exp: now() + 5000, nbf: now() + 1100 }))).toBe("websocket jwt is not valid yet")
  })

  it("wants the issuer and the audience that were named", async () => {
    const rule = await make({ issuer: "me", audience: "here" })
    const ask = (claims: object) => rule(sign({ exp: now() + 60, ...claims }))
    expect(await ask({ iss: "me", aud: "here" })).toBeUndefined()
    expect(await ask({ iss: "me", aud: ["there", "here"] })).toBeUndefined()
    for (const iss of ["you", "", null]) {
      expect(await ask({ iss, aud: "here" })).toBe("websocket jwt issuer mismatch")
    }
    for (const aud of ["there", [], null, ["her"]]) {
      expect(await ask({ iss: "me", aud })).toBe("websocket jwt audience mismatch")
    }
  })
})
