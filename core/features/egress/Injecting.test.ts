/** Secrets that only some hosts get: their checks, and what a process and its proxy have of them. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { effect } from "../../testing/Effects.ts"
import { make as server, ready, start } from "../../server/testing/Client.ts"
import type { AuditLog } from "../../server/audit/AuditLog.ts"
import type { GivenSecret } from "../../spawn/Spawner.ts"
import { redactHost } from "../secrets/HostNames.ts"
import * as Injecting from "./Injecting.ts"
import * as Rules from "./Rules.ts"

const rules = Result.getOrThrow(Rules.parse(["allow:**.x.org"]))
const confined = {
  egress: { of: "the server", rules: () => rules },
  floor: { places: [{ path: "/", access: "write" }], network: false },
} as const
const able = { capabilities: { egress: true } }

const value = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
const secret = (more: Partial<GivenSecret> = {}): GivenSecret => ({
  name: "TOKEN",
  value,
  hosts: ["api.x.org"],
  ...more,
})

describe("A secret with hosts", () => {
  it(
    "is read again by each start, and a fault of its value is one of that start",
    effect(function* () {
      const values = ["ghp_second-value", "five5", "two\nlines", undefined, "ghp_third-value"]
      const own = secret()
      Injecting.renew(
        own,
        Effect.suspend(() => {
          const next = values.shift()
          return next === undefined
            ? Effect.fail({ message: "secret TOKEN: it is gone" })
            : Effect.succeed(next)
        }),
      )
      const { client, fake } = yield* ready(able, { ...confined, secrets: [own] })
      yield* client.ask("process/start", start("p", { env: { OLD: value, NEW: "ghp_second-value" } }))
      const child = yield* fake.next
      const { spec } = child
      const [injection] = spec.egress?.injections ?? []
      expect(injection).toMatchObject({
        value: "ghp_second-value",
        header: ["authorization", "Bearer ghp_second-value"],
      })
      const { placeholder } = injection!
      expect(spec.env).toMatchObject({ TOKEN: placeholder, OLD: placeholder, NEW: placeholder })
      // Both values are masked.
      child.output("stdout", `${value} ghp_second-value\n`)
      const printed = JSON.stringify(yield* client.received)
      expect(printed).toContain(btoa("***TOKEN*** ***TOKEN***\n"))
      for (const [id, message] of [
        ["q", "secret TOKEN has less than 6 bytes, which cannot be masked"],
        ["r", "secret TOKEN: its value has a character that no header may have"],
        ["s", "secret TOKEN: it is gone"],
      ] as const)
        expect((yield* client.ask("process/start", start(id))).error?.message).toBe(message)
      yield* client.ask("process/start", start("q"))
      expect((yield* fake.next).spec.egress?.injections).toMatchObject([{ value: "ghp_third-value" }])
    }),
  )

  it(
    "is a placeholder for its process, and a value for the proxy of that",
    effect(function* () {
      const { client, fake } = yield* ready(able, confined)
      const secrets = { TOKEN: { value, hosts: ["api.x.org", "*.y.org:443"], base: "API_URL" } }
      const others = {
        secrets,
        argv: ["/bin/x", `--token=${value}`],
        env: { TOKEN: "old", OTHER: `a ${value}` },
      }
      yield* client.ask("process/start", start("p", others))
      const { spec } = yield* fake.next
      const [injection] = spec.egress?.injections ?? []
      const { placeholder = "" } = injection ?? {}
      expect(placeholder).toMatch(/^ghp_[0-9A-Za-z]{36}$/)
      expect(spec.env).toEqual({ TOKEN: placeholder, OTHER: `a ${placeholder}` })
      expect(spec.argv).toEqual(["/bin/x", `--token=${placeholder}`])
      expect(JSON.stringify([spec.argv, spec.env])).not.toContain(value)
      expect(injection).toMatchObject({
        name: "TOKEN",
        value,
        header: ["authorization", `Bearer ${value}`],
        base: { host: "api.x.org", port: 443 },
        variable: "API_URL",
        http: false,
      })
      const goes = [
        ["api.x.org", 443],
        ["api.x.org", 80],
        ["a.y.org", 443],
        ["a.y.org", 80],
        ["y.org", 443],
        ["api.x.org.evil.org", 443],
      ] as const
      expect(goes.map(([host, port]) => injection?.mayGoTo(host, port))).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ])
      // Another process has another placeholder.
      yield* client.ask("process/start", start("q", { secrets }))
      expect((yield* fake.next).spec.env["TOKEN"]).not.toBe(placeholder)
    }),
  )

  it(
    "of the server is one, too, but where a start sets the variable itself, and the rest of its environment has no value",
    effect(function* () {
      const own = [secret(), { name: "PLAIN", value: "hunter22" }]
      const { client, fake } = yield* ready(able, { ...confined, secrets: own })
      const inherit = {
        inherit: "all",
        ignoreDefaultExcludes: true,
        exclude: [],
        set: { SAME: value },
        includeOnly: [],
      }
      yield* client.ask("process/start", start("p", { envPolicy: inherit }))
      const { spec } = yield* fake.next
      const placeholder = spec.egress?.injections?.[0]?.placeholder ?? ""
      expect(spec.env).toMatchObject({ TOKEN: placeholder, PLAIN: "hunter22", SAME: placeholder })
      yield* client.ask("process/start", start("q", { env: { TOKEN: "mine" } }))
      const second = (yield* fake.next).spec
      expect(second.env["TOKEN"]).toBe("mine")
      expect(second.egress?.injections?.length).toBe(1)
    }),
  )

  it(
    "is refused where no rules keep it, and where it makes no sense, without its value",
    effect(function* () {
      const open = yield* ready(able)
      const asked = { TOKEN: { value, hosts: ["api.x.org"] } }
      const { error } = yield* open.client.ask("process/start", start("p", { secrets: asked }))
      expect(error?.message).toContain("secret TOKEN has hosts, which needs rules for egress")
      expect(open.fake.children).toEqual([])
      const died = yield* Effect.exit(Effect.scoped(server(able, { secrets: [secret()] })))
      expect(String(Exit.isFailure(died) ? Cause.squash(died.cause) : died)).toContain(
        "needs rules for egress",
      )
      const { client, fake } = yield* ready(able, confined)
      for (const [more, why] of [
        [{ hosts: [] }, "hosts names none"],
        [{ hosts: ["*"] }, "allow:*"],
        [{ hosts: ["x.org,y.org"] }, '"x.org,y.org" is no host'],
        [{ hosts: ["deny:x.org"] }, '"deny:x.org" is no host'],
        [{ hosts: ["https://x.org"] }, "is a URL"],
        [{ header: "Host: ${value}" }, "header Host is not for a secret"],
        [{ header: "Proxy-Authorization: ${value}" }, "is not for a secret"],
        [{ header: "X-Token: abc" }, "header has no ${value}"],
        [{ header: "X: ${value}\r\nY: 1" }, "header is none"],
        [{ base: "1X" }, "base is not the name of a variable"],
        [{ base: "TOKEN" }, "the variable TOKEN is of a secret already"],
        [{ base: "API", hosts: ["*.x.org"] }, "base needs a host in hosts that is no pattern"],
        [{ value: "line one\nline two" }, "has a character that no header may have"],
        [{ hosts: null, base: "API" }, "base is for a secret with hosts"],
      ] as const) {
        const secrets = { TOKEN: { ...asked.TOKEN, ...more } }
        const answer = yield* client.ask("process/start", start("q", { secrets }))
        expect(answer.error?.message).toContain(why)
        expect(answer.error?.message).toContain("TOKEN")
        expect(answer.error?.message).not.toContain(secrets.TOKEN.value)
      }
      expect(fake.children).toEqual([])
    }),
  )

  it("has a placeholder of the kind of its value, and never a part of that", () => {
    const made = (text: string) =>
      Effect.runSync(
        Injecting.make(
          [{ ...secret({ value: text }), hosts: ["x.org"] }],
          Effect.sync(() => crypto.randomUUID()),
        ),
      )[0]?.placeholder ?? ""
    expect(made("github_pat_11ABCDEFG0abcdefghijkl_" + "x".repeat(59))).toMatch(
      /^github_pat_[0-9A-Za-z]{82}$/,
    )
    expect(made("sk-ant-api03-abc")).toMatch(/^sk-ant-api03-[0-9A-Za-z]{24}$/)
    expect(made("hunter22")).toMatch(/^[0-9A-Za-z]{32}$/)
    expect(made("ghp_" + "x".repeat(4000)).length).toBe(104)
    const all = Array.from({ length: 2000 }, () => made("hunter22"))
    expect(new Set(all).size).toBe(2000)
    // Each place has every character, about as often.
    for (let at = 0; at < 32; at++) {
      const counts = new Map<string, number>()
      for (const text of all) counts.set(text[at]!, (counts.get(text[at]!) ?? 0) + 1)
      expect(counts.size).toBe(62)
      expect(Math.max(...counts.values())).toBeLessThan(80)
    }
  })
})

describe("A host that has a secret in its name", () => {
  it(
    "is told and audited without it",
    effect(function* () {
      const events: Array<unknown> = []
      const auditLog: AuditLog = {
        admit: (event) => Effect.sync(() => void events.push(event)),
        note: (event) => void events.push(event),
      }
      const { client, fake } = yield* ready(able, { ...confined, auditLog })
      const secrets = { PIN: { value: "HunterTwo22" } }
      yield* client.ask("process/start", start("p", { secrets, egressEvents: true }))
      const gate = (yield* fake.next).spec.egress!
      for (const host of ["huntertwo22.evil.org", "x.huntertwo22.x.org"]) {
        const attempt = { protocol: "https_connect", host, port: 443 } as const
        gate.told(attempt, yield* Effect.promise(() => gate.decide(attempt)))
      }
      const told = yield* client.received
      expect(told[0]?.params).toMatchObject({
        host: "***PIN***.evil.org",
        message: expect.stringMatching(
          /^\*\*\*PIN\*\*\*\.evil\.org:443 is blocked.*allow:\*\*\*PIN\*\*\*\.evil\.org/,
        ),
      })
      const audited = events.filter((event) => JSON.stringify(event).includes('"egress"'))
      expect(audited).toMatchObject([
        { host: "***PIN***.evil.org" },
        { host: "x.***PIN***.x.org", allowed: true },
      ])
      expect(JSON.stringify([told, events]).toLowerCase()).not.toContain("huntertwo22")
    }),
  )

  it("has none of its first bytes where the text is cut", () => {
    const secrets = [{ name: "PIN", value: "HunterTwo22" }]
    expect(redactHost(secrets, 'the host "http://huntert…" is empty')).toBe(
      'the host "http://***PIN***…" is empty',
    )
    expect(redactHost(secrets, "a.huntertwo")).toBe("a.***PIN***")
    expect(redactHost(secrets, "a.hunte")).toBe("a.hunte")
    expect(redactHost(secrets, "HUNTERTWO22.huntertwo22.org")).toBe("***PIN***.***PIN***.org")
  })
})
