/** Tests `networkProxy` of a start: its rules below those of the server, and the settings that are refused. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { effect } from "../../testing/Effects.ts"
import { ready, start } from "../../server/testing/Client.ts"
import * as Asking from "./Asking.ts"
import * as NetworkProxy from "./NetworkProxy.ts"
import * as Rules from "./Rules.ts"

const proxy = {
  enabled: true,
  enableSocks5: true,
  enableSocks5Udp: true,
  allowUpstreamProxy: true,
  dangerouslyAllowAllUnixSockets: false,
  mode: "full",
  allowLocalBinding: false,
}

const read = (change: object, more: object = {}) =>
  NetworkProxy.read({ proxy: { ...proxy, ...change }, ...more })
const fault = (...given: Parameters<typeof read>) =>
  Result.match(read(...given), { onFailure: (text) => text, onSuccess: () => "none" })

const floor = Result.getOrThrow(Rules.parse(["allow:**.x.org,10.0.0.5 deny:no.x.org"]))

/** The outcome of an attempt under the rules of the server and these domains. */
const judged = (domains: object, host: string, more?: object) => {
  const { rules } = Result.getOrThrow(read({ domains }, more))
  const policies = [
    { of: "the server", rules: () => floor },
    { of: "the start", rules: () => rules },
  ]
  const decision = Rules.judge(policies, { protocol: "http", host, port: 80 })
  return "ask" in decision ? "ask" : decision.allowed ? "allowed" : decision.reason
}

describe("networkProxy", () => {
  it("has less than the server allows, and never more", () => {
    const domains = {
      "a.x.org": "allow",
      "no.x.org": "allow",
      "y.org": "allow",
      "*.b.x.org": "deny",
      "c.x.org": "none",
    }
    for (const [host, outcome] of [
      ["a.x.org", "allowed"],
      ["b.x.org", "not_allowed"],
      ["no.x.org", "denied"],
      ["y.org", "not_allowed"],
      ["a.b.x.org", "denied"],
      ["c.x.org", "not_allowed"],
      ["10.0.0.5", "not_allowed_local"],
    ] as const)
      expect(judged(domains, host), host).toBe(outcome)
    expect(judged({ "*": "allow" }, "z.x.org")).toBe("allowed")
    expect(judged({ "*": "allow" }, "y.org")).toBe("not_allowed")
    expect(judged({ "*": "allow" }, "10.0.0.5")).toBe("not_allowed_local")
    expect(judged({ "10.0.0.5": "allow" }, "10.0.0.5")).toBe("allowed")
  })

  it("asks the client about the rest, where it names a time for the answer", () => {
    const asks = { policyDecisionTimeoutMs: 300 }
    expect(judged({ "a.x.org": "deny" }, "b.x.org", asks)).toBe("ask")
    expect(judged({ "a.x.org": "deny" }, "a.x.org", asks)).toBe("denied")
    expect(judged({ "a.x.org": "allow" }, "a.x.org", asks)).toBe("allowed")
    expect(judged({}, "y.org", asks)).toBe("not_allowed")
    expect(judged({}, "10.0.0.5", asks)).toBe("not_allowed_local")
    const settings = (millis: unknown) => Result.getOrThrow(read({}, { policyDecisionTimeoutMs: millis }))
    expect(settings(300).answerMillis).toBe(300)
    expect(settings(null).answerMillis).toBe(undefined)
    expect(settings(2 ** 52).answerMillis).toBe(Asking.longestMillis)
  })

  it("is refused where it would take more from the process than is carried out", () => {
    for (const [change, more, text] of [
      [{ enabled: false }, {}, "executor-local network proxy launch requires an enabled proxy"],
      [{ enabled: undefined }, {}, "missing field `enabled`"],
      [{ enableSocks5: 1 }, {}, "invalid type: number, expected a boolean"],
      [{ mode: "limited" }, {}, "the mode limited is not supported"],
      [{ mode: "zz" }, {}, "unknown variant `zz`, expected `limited` or `full`"],
      [{ domains: ["x"] }, {}, "invalid type: sequence, expected a map"],
      [{ domains: { x: "ask" } }, {}, "unknown variant `ask`, expected one of `none`, `allow`, `deny`"],
      [{ domains: { "*": "deny" } }, {}, "deny:*"],
      [{ domains: { "http://x/": "allow" } }, {}, "is a URL"],
      [{ transparentTcp: true }, {}, "`transparentTcp` is not supported"],
      [{ mitm: true }, {}, "`mitm` is not supported"],
      [{}, { reviewDomains: ["x.org"] }, "`reviewDomains` is not supported"],
      [{}, { policyDecisionTimeoutMs: 0 }, "network policy decision callback timeout must be nonzero"],
      [{}, { policyDecisionTimeoutMs: -1 }, "invalid number"],
      [{}, { policyDecisionTimeoutMs: "1" }, "expected u64"],
    ] as const)
      expect(fault(change, more), text).toContain(text)
    const without = { mitm: false, hooks: [], reviewDomains: null, unixSockets: { "/x": "allow" } }
    const logged = { auditMetadata: { model: "m" }, environmentId: "e", executionId: "x" }
    expect(fault(without, logged)).toBe("none")
    expect(Result.isFailure(NetworkProxy.read([]))).toBe(true)
  })

  it(
    "is announced and taken by a server with rules alone",
    effect(function* () {
      const rules = { of: "the server", rules: () => floor }
      const confined = {
        egress: rules,
        floor: { places: [{ path: "/", access: "write" }], network: false },
      } as const
      const networkProxy = {
        proxy: { ...proxy, domains: { "a.x.org": "allow" } },
        policyDecisionTimeoutMs: 1000,
      }
      const { client, fake } = yield* ready({ capabilities: { egress: true } }, confined)
      const { result } = yield* client.ask("environment/info")
      expect(result).toMatchObject({
        capabilities: { networkProxyLaunch: true, networkProxyReviewDomains: false },
      })
      client.send({ id: 1, method: "process/start", params: start("p", { networkProxy }) })
      const { spec } = yield* fake.next
      expect(spec.env).toMatchObject({
        CODEX_NETWORK_PROXY_ACTIVE: "1",
        CODEX_NETWORK_ALLOW_LOCAL_BINDING: "0",
      })
      yield* client.received
      const attempt = { protocol: "http", host: "b.x.org", port: 80, method: "GET" } as const
      const decision = spec.egress!.decide(attempt)
      const [question] = yield* client.received
      expect(question).toMatchObject({
        method: "network/policyRequest",
        params: { processId: "p", request: { protocol: "http", host: "b.x.org", port: 80 } },
      })
      client.send({ id: question?.id, result: { decision: { type: "allow" } } })
      expect(yield* Effect.promise(() => decision)).toEqual({ allowed: true, rule: "ask" })
      const refused = yield* client.ask("process/start", start("q", { networkProxy: { proxy: {} } }))
      expect(refused.error).toEqual({ code: -32602, message: "missing field `enabled`" })

      const plain = yield* ready()
      const info = yield* plain.client.ask("environment/info")
      expect(info.result).toMatchObject({ capabilities: { networkProxyLaunch: false } })
      const { error } = yield* plain.client.ask("process/start", start("p", { networkProxy }))
      expect(error?.message).toBe("`networkProxy` is not supported by this server")
    }),
  )
})
