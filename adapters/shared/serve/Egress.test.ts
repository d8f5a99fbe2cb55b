/** The option `--egress`: its words, its files, and the servers that refuse it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, describe, expect, it } from "vitest"
import * as Rules from "../../../core/features/egress/Rules.ts"
import { allCapabilities } from "../../../core/spawn/Fake.ts"
import * as Egress from "./Egress.ts"

const base = realpathSync(mkdtempSync(join(tmpdir(), "procwire-egress-")))
afterAll(() => rmSync(base, { recursive: true }))
mkdirSync(join(base, "work"))

const places = [
  { path: "/", access: "read" },
  { path: join(base, "work"), access: "write" },
] as const
const usual: Egress.Server = {
  host: { cwd: base },
  floor: { places, network: false },
  capabilities: { ...allCapabilities, egress: true },
}
const read = (egress: string | ReadonlyArray<string> | undefined, server: Partial<Egress.Server> = {}) =>
  Egress.policy(
    { options: egress === undefined ? {} : { egress }, label: (path) => `--${path}` },
    { ...usual, ...server },
  ).pipe(Effect.result, Effect.runPromise)
const refusal = async (...given: Parameters<typeof read>) =>
  Result.match(await read(...given), { onFailure: ({ message }) => message, onSuccess: () => "" })
const allows = (policy: Rules.Policy, host: string) =>
  Rules.judge([policy], { protocol: "http", host, port: 80 })

describe("--egress", () => {
  it("has rules from words and files, and none of its own", async () => {
    expect(await read(undefined)).toEqual(Result.succeed(undefined))
    writeFileSync(join(base, "some.rules"), "allow:y.org\n")
    const policy = Result.getOrThrow(await read(["allow:x.org", "./some.rules"]))!
    expect(allows(policy, "x.org")).toMatchObject({ rule: "allow:x.org" })
    expect(allows(policy, "y.org")).toMatchObject({ rule: "allow:y.org" })
    expect(allows(policy, "z.org")).toMatchObject({
      message: expect.stringContaining("the server (--egress)"),
    })
    expect(allows(Result.getOrThrow(await read(""))!, "x.org")).toMatchObject({ allowed: false })
  })

  it("reads a file again when it has changed, and keeps its rules while that is wrong", async () => {
    const file = join(base, "changing.json")
    writeFileSync(file, '{"allow":["x.org"]}')
    const policy = Result.getOrThrow(await read("./changing.json"))!
    writeFileSync(file, '{"allow":["y.org", "z.org"]}')
    await expect.poll(() => allows(policy, "y.org"), { timeout: 20_000 }).toMatchObject({ allowed: true })
    expect(allows(policy, "x.org")).toMatchObject({ allowed: false })
    writeFileSync(file, '{"allow":["*"]}')
    await new Promise((done) => setTimeout(done, 1100))
    expect(allows(policy, "y.org")).toMatchObject({ allowed: true })
    expect(allows(policy, "x.org")).toMatchObject({ allowed: false })
    rmSync(file)
    await new Promise((done) => setTimeout(done, 1100))
    expect(allows(policy, "y.org")).toMatchObject({ allowed: true })
  })

  it("asks a client where its rules say so", async () => {
    writeFileSync(join(base, "asks.rules"), "ask:y.org\n")
    const policy = Result.getOrThrow(await read(["allow:x.org", "./asks.rules"]))!
    expect(allows(policy, "y.org")).toMatchObject({ ask: "ask:y.org" })
    expect(allows(policy, "z.org")).toMatchObject({ reason: "not_allowed" })
    expect(allows(Result.getOrThrow(await read("ask"))!, "z.org")).toMatchObject({ ask: "ask" })
  })

  it("is refused where nothing would keep to it, or where it allows too much", async () => {
    const rule = "allow:x.org"
    expect(await refusal(rule, { floor: undefined })).toContain("add --confine")
    expect(await refusal(rule, { floor: { places, network: true } })).toContain("add --confine")
    expect(await refusal(rule, { capabilities: allCapabilities })).toContain(
      "cannot keep processes to these rules",
    )
    expect(await refusal("allow:*")).toContain("allow:*")
    expect(await refusal("allow:*.com")).toContain("allow:*.com")
    expect(await refusal("x.org")).toContain("x.org")
    expect(await refusal("ask:*")).toContain("the word ask alone")
    expect(await refusal("./none.rules")).toContain("cannot read it")
    writeFileSync(join(base, "work", "own.rules"), rule)
    expect(await refusal("./work/own.rules")).toContain("processes may write this file")
    writeFileSync(join(base, "wrong.rules"), "allow:*")
    expect(await refusal("./wrong.rules")).toContain("allow:*")
  })
})
