import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Attempt } from "../../spawn/Egress.ts"
import * as Address from "./Address.ts"
import * as Host from "./Host.ts"
import * as Rules from "./Rules.ts"

const rulesOf = (...texts: ReadonlyArray<string>) => Result.getOrThrow(Rules.parse(texts))
const policy = (...texts: ReadonlyArray<string>): Rules.Policy => {
  const rules = rulesOf(...texts)
  return { of: "the server", rules: () => rules }
}
/** An attempt as a proxy makes it of a text: the host in its usual form. */
const attempt = (host: string, port = 443): Attempt => ({
  protocol: "https_connect",
  host: Result.getOrThrow(Host.parse(host)),
  port,
})
const short = (decision: ReturnType<typeof Rules.judge>) =>
  "ask" in decision ? decision.ask : decision.allowed ? decision.rule : decision.reason
const judged = (rules: string, host: string, port?: number) =>
  short(Rules.judge([policy(rules)], attempt(host, port)))
const dialled = (rules: string, address: string, host = "x.org", port = 443) =>
  short(
    Rules.judgeAddress([policy(rules)], attempt(host, port), address, { allowed: true, rule: "allow:x.org" }),
  )

describe("A host", () => {
  it("has one form, whatever form it is given in", () => {
    for (const [given, form] of [
      ["EXAMPLE.Org", "example.org"],
      ["example.org.", "example.org"],
      ["bücher.example", "xn--bcher-kva.example"],
      ["XN--BCHER-KVA.example", "xn--bcher-kva.example"],
      ["ex\u00adample.org", "example.org"],
      ["example。org", "example.org"],
      ["_dns.x.org", "_dns.x.org"],
      ["0x7f.1", "127.0.0.1"],
      ["2130706433", "127.0.0.1"],
      ["127.1", "127.0.0.1"],
      ["0177.0.0.1", "127.0.0.1"],
      ["127.0.0.1.", "127.0.0.1"],
      ["１２７.0.0.1", "127.0.0.1"],
      ["[::1]", "::1"],
      ["::1", "::1"],
      ["[0:0:0:0:0:0:0:1]", "::1"],
      ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
      ["::ffff:127.0.0.1", "127.0.0.1"],
      ["[::FFFF:7f00:1]", "127.0.0.1"],
    ] as const)
      expect(Host.parse(given), given).toEqual(Result.succeed(form))
  })

  it("is refused where a resolver could read it as another, with the value in the text", () => {
    for (const given of [
      "",
      "evil.org\0.google.com",
      "a b",
      "a\tb.org",
      "a\nb.org",
      "x%2eorg",
      "fe80::1%eth0",
      "x.org:443",
      "user@x.org",
      "x.org/path",
      "x.org\\path",
      "x.org?q",
      "x.org#f",
      "*.x.org",
      "a,b.org",
      "a..b",
      ".x.org",
      "..",
      ".",
      "-x.org",
      "x-.org",
      "[x.org]",
      "[::1",
      "::1]",
      "1:2",
      "::ffff:1.2.3.4.5",
      "1.2.3.256",
      "1.2.3.4.5",
      "x.0x7",
      `${"a".repeat(64)}.org`,
      `${"a.".repeat(127)}org`,
      "x".repeat(5000),
    ]) {
      const parsed = Host.parse(given)
      expect(Result.isFailure(parsed), JSON.stringify(given)).toBe(true)
      if (Result.isFailure(parsed)) expect(parsed.failure).toContain(Host.shown(given))
    }
  })
})

describe("An address", () => {
  it("is written as it was read", () => {
    for (const text of [
      "0.0.0.0",
      "255.255.255.255",
      "::",
      "::1",
      "1::",
      "fe80::1:0:0:2",
      "1:2:3:4:5:6:7:8",
      "0:1::",
    ])
      expect(Address.toText(Address.parse(text)!), text).toBe(text === "0:1::" ? "0:1::" : text)
    for (const text of ["01.2.3.4", "1.2.3", ":::", "1::2::3", "1:2:3:4:5:6:7", "12345::", "", ":"])
      expect(Address.parse(text), text).toBe(undefined)
  })

  it("is public, or of a class", () => {
    for (const [text, kind] of [
      ["8.8.8.8", undefined],
      ["172.15.255.255", undefined],
      ["172.16.0.0", "private"],
      ["172.32.0.0", undefined],
      ["10.1.2.3", "private"],
      ["192.168.1.1", "private"],
      ["127.8.8.8", "loopback"],
      ["0.0.0.0", "unspecified"],
      ["0.1.2.3", "unspecified"],
      ["100.64.0.1", "shared (CGNAT)"],
      ["169.254.169.254", "metadata"],
      ["168.63.129.16", "metadata"],
      ["169.254.0.1", "link-local"],
      ["224.0.0.1", "multicast"],
      ["255.255.255.255", "reserved"],
      ["198.18.0.1", "reserved"],
      ["2606:4700::1", undefined],
      ["::", "unspecified"],
      ["::1", "loopback"],
      ["::ffff:127.0.0.1", "loopback"],
      ["::ffff:8.8.8.8", undefined],
      ["::127.0.0.1", "reserved"],
      ["fd00:ec2::254", "metadata"],
      ["fd12::1", "private"],
      ["fe80::1", "link-local"],
      ["ff02::1", "multicast"],
      ["64:ff9b::8.8.8.8", undefined],
      ["64:ff9b::a9fe:a9fe", "metadata"],
      ["64:ff9b:1::1", "reserved"],
      ["2002:7f00:1::", "loopback"],
      ["2002:808:808::1", undefined],
      ["2001::1", "reserved"],
      ["4000::1", "reserved"],
    ] as const)
      expect(Address.special(Address.parse(text)!), text).toBe(kind)
  })
})

describe("Rules", () => {
  it("deny everything if they allow nothing", () => {
    for (const rules of ["", "allow:", ",", "deny:x.org"])
      expect(judged(rules, "y.org"), rules).toBe("not_allowed")
    expect(Rules.judge([], attempt("x.org"))).toMatchObject({ allowed: false, reason: "not_allowed" })
  })

  it("name one host, those below, or both", () => {
    const all = "allow:x.org,*.y.org,**.z.org"
    expect(judged(all, "x.org")).toBe("allow:x.org")
    expect(judged(all, "X.ORG.")).toBe("allow:x.org")
    expect(judged(all, "a.x.org")).toBe("not_allowed")
    expect(judged(all, "notx.org")).toBe("not_allowed")
    expect(judged(all, "y.org")).toBe("not_allowed")
    expect(judged(all, "a.y.org")).toBe("allow:*.y.org")
    expect(judged(all, "a.b.y.org")).toBe("allow:*.y.org")
    expect(judged(all, "eviy.org")).toBe("not_allowed")
    expect(judged(all, "evily.org")).toBe("not_allowed")
    expect(judged(all, "y.org.evil.com")).toBe("not_allowed")
    expect(judged(all, "z.org")).toBe("allow:**.z.org")
    expect(judged(all, "a.z.org")).toBe("allow:**.z.org")
    expect(judged(all, "az.org")).toBe("not_allowed")
    expect(judged("allow:Bücher.example", "xn--bcher-kva.example")).toBe("allow:Bücher.example")
  })

  it("name a port, or all", () => {
    expect(judged("allow:x.org:443", "x.org", 443)).toBe("allow:x.org:443")
    expect(judged("allow:x.org:443", "x.org", 80)).toBe("not_allowed")
    expect(judged("allow:x.org", "x.org", 22)).toBe("allow:x.org")
    expect(judged("allow:[fd00::1]:443", "fd00::1", 80)).toBe("not_allowed_local")
    expect(judged("allow:[fd00::1]:443", "fd00::1")).toBe("allow:[fd00::1]:443")
  })

  it("deny before they allow, and ask before they deny", () => {
    expect(judged("allow:**.x.org,deny:a.x.org", "a.x.org")).toBe("denied")
    expect(judged("deny:a.x.org,allow:**.x.org", "b.x.org")).toBe("allow:**.x.org")
    expect(judged("allow:**.x.org deny:a.x.org", "a.x.org")).toBe("denied")
    expect(judged("ask allow:x.org deny:y.org", "y.org")).toBe("denied")
    expect(judged("ask allow:x.org deny:y.org", "x.org")).toBe("allow:x.org")
    expect(judged("ask allow:x.org deny:y.org", "z.org")).toBe("ask")
    expect(judged("ask", "10.0.0.1")).toBe("not_allowed_local")
    expect(judged("ask", "8.8.8.8")).toBe("ask")
    expect(judged("ask:*.x.org deny:no.x.org allow:a.x.org", "b.x.org")).toBe("ask:*.x.org")
    expect(judged("ask:*.x.org deny:no.x.org allow:a.x.org", "no.x.org")).toBe("denied")
    expect(judged("ask:*.x.org deny:no.x.org allow:a.x.org", "a.x.org")).toBe("allow:a.x.org")
    expect(judged("ask:*.x.org:443", "a.x.org", 80)).toBe("not_allowed")
    expect(judged("ask:x.org ask", "x.org")).toBe("ask:x.org")
    // An address of the inside is asked about where a rule names it, and is reached by its name never.
    expect(judged("ask:10.0.0.0/8", "10.0.0.1")).toBe("ask:10.0.0.0/8")
    expect(dialled("ask:10.0.0.0/8", "10.0.0.1", "10.0.0.1")).toBe("allow:x.org")
    expect(dialled("allow:x.org ask:10.0.0.0/8 ask", "10.0.0.1")).toBe("not_allowed_local")
    expect(judged("deny:*.internal allow:x.org", "a.internal")).toBe("denied")
  })

  it("allow addresses only where an address or a network is named, whatever its form", () => {
    expect(judged("allow:x.org", "93.184.216.34")).toBe("not_allowed")
    expect(judged("allow:10.0.0.0/8:5432", "10.9.9.9", 5432)).toBe("allow:10.0.0.0/8:5432")
    expect(judged("allow:10.0.0.0/8:5432", "10.9.9.9", 80)).toBe("not_allowed_local")
    expect(judged("allow:127.0.0.1", "0x7f.1")).toBe("allow:127.0.0.1")
    expect(judged("allow:127.0.0.1", "::ffff:7f00:1")).toBe("allow:127.0.0.1")
    expect(judged("allow:x.org", "2001:db8::9")).toBe("not_allowed_local")
    expect(judged("allow:2001:db8::/32", "2001:db8::9")).toBe("allow:2001:db8::/32")
    expect(judged("allow:[2001:db8::/32]:443", "2001:db8::9")).toBe("allow:[2001:db8::/32]:443")
    expect(judged("deny:8.8.0.0/16 allow:64:ff9b::/96", "64:ff9b::808:808")).toBe("denied")
  })

  it("hold for the addresses of an allowed name", () => {
    expect(dialled("allow:x.org", "93.184.216.34")).toBe("allow:x.org")
    expect(dialled("allow:x.org", "2606:4700::1")).toBe("allow:x.org")
    for (const inside of [
      "127.0.0.1",
      "0.0.0.0",
      "::",
      "::1",
      "::ffff:127.0.0.1",
      "10.0.0.5",
      "169.254.169.254",
      "64:ff9b::10.0.0.1",
      "2002:a00:1::",
      "fe80::1%eth0",
      "nonsense",
    ])
      expect(dialled("allow:x.org", inside), inside).toBe("not_allowed_local")
    expect(dialled("allow:x.org,10.0.0.5", "10.0.0.5")).toBe("allow:x.org")
    expect(dialled("allow:x.org,10.0.0.5", "10.0.0.6")).toBe("not_allowed_local")
    expect(dialled("allow:x.org,10.0.0.5:80", "10.0.0.5")).toBe("not_allowed_local")
    expect(dialled("allow:x.org deny:93.0.0.0/8", "93.184.216.34")).toBe("denied")
    expect(dialled("allow:x.org deny:93.0.0.0/8", "::ffff:93.184.216.34")).toBe("denied")
    expect(dialled("allow:x.org deny:93.0.0.0/8", "64:ff9b::93.184.216.34")).toBe("denied")
    expect(dialled("allow:x.org,10.0.0.0/8 deny:10.0.0.5", "10.0.0.5")).toBe("denied")
  })

  it("of several hold all at once", () => {
    const floor = policy("allow:**.x.org,10.0.0.0/8 deny:secret.x.org")
    const own = { ...policy("allow:a.x.org,b.org,secret.x.org deny:c.x.org"), of: "this start" }
    const both = (host: string) => short(Rules.judge([floor, own], attempt(host)))
    expect(both("a.x.org")).toBe("allow:**.x.org")
    expect(both("b.org")).toBe("not_allowed")
    expect(both("secret.x.org")).toBe("denied")
    expect(both("c.x.org")).toBe("denied")
    expect(both("d.x.org")).toBe("not_allowed")
    expect(both("10.0.0.1")).toBe("not_allowed_local")
    expect(short(Rules.judge([floor, policy("ask")], attempt("d.x.org")))).toBe("ask")
    expect(short(Rules.judge([policy("ask"), own], attempt("d.x.org")))).toBe("not_allowed")
    expect(Rules.judge([floor, own], attempt("d.x.org"))).toMatchObject({
      message: expect.stringMatching(/^d\.x\.org:443 is blocked: .*of this start;.*allow:d\.x\.org:443/),
    })
  })

  it("are refused at the start where they allow too much, or cannot be meant, with the rule in the text", () => {
    for (const rule of [
      "allow:*",
      "allow:**",
      "allow:*:443",
      "allow:*.*",
      "allow:*.com",
      "allow:**.com",
      "allow:*.com.",
      "allow:x.*.org",
      "allow:*x.org",
      "allow:*.10.0.0.1",
      "allow:0.0.0.0/0",
      "allow:::/0",
      "allow:10.0.0.5/8",
      "allow:10.0.0.0/33",
      "allow:x.org/8",
      "allow:443",
      "allow:0x7f.1",
      "allow:x.org:0",
      "allow:x.org:65536",
      "allow:x.org:http",
      "allow:x.org:",
      "allow:https://x.org",
      "allow:x.org%00",
      "deny:*",
      "deny:*.*",
    ]) {
      const parsed = Rules.parse([rule])
      expect(Result.isFailure(parsed), rule).toBe(true)
      if (Result.isFailure(parsed)) expect(parsed.failure).toContain(rule)
    }
    expect(Rules.parse(["x.org"])).toMatchObject({ failure: expect.stringContaining("x.org") })
    expect(Rules.parse(["allow:x.org", "y.org"])).toMatchObject({ failure: expect.stringContaining("y.org") })
    expect(Rules.parse([`allow:${"a.org,".repeat(Rules.mostRules + 1)}`])).toMatchObject({ _tag: "Failure" })
  })

  it("are read from a file, as lines or as JSON", () => {
    const rules = rulesOf("allow:x.org,*.y.org:443", "deny:z.org", "ask")
    const named = rulesOf("ask:**.x.org")
    expect(Rules.parseFile("ask:**.x.org")).toEqual(Result.succeed(named))
    expect(Rules.parseFile('{"ask":["**.x.org"]}')).toEqual(Result.succeed(named))
    expect(Rules.parseFile("# ours\nallow:x.org,*.y.org:443 # both\n\r\ndeny:z.org\nask\n")).toEqual(
      Result.succeed(rules),
    )
    const json = { allow: ["x.org", "*.y.org:443"], deny: ["z.org"], ask: true }
    expect(Rules.parseFile(JSON.stringify(json))).toEqual(Result.succeed(rules))
    expect(Rules.parseFile("")).toEqual(Result.succeed(Rules.nothing))
    for (const fault of [
      '{"allowed":[]}',
      '{"allow":"x"}',
      "{",
      '{"ask":1}',
      "ask,x.org",
      "allow:x.org,ask,y.org",
      "ask:*",
      "ask:*.org",
      "ask:0.0.0.0/0",
      '{"deny":[1]}',
      "x.org",
    ])
      expect(Result.isFailure(Rules.parseFile(fault)), fault).toBe(true)
  })
})
