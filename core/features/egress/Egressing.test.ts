/** Tests the feature on a server with a scripted spawner: the gate in the spec, events, counts and refusals. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { effect } from "../../testing/Effects.ts"
import { ready, start } from "../../server/testing/Client.ts"
import type { Gate } from "../../spawn/Egress.ts"
import { mostTold } from "./Egressing.ts"
import * as Rules from "./Rules.ts"

const rules = Result.getOrThrow(Rules.parse(["allow:**.x.org", "deny:no.x.org"]))
const confined = {
  egress: { of: "the server", rules: () => rules },
  floor: { places: [{ path: "/", access: "write" }], network: false },
} as const
const able = { capabilities: { egress: true } }

const attempt = (host: string) => ({ protocol: "https_connect", host, port: 443 }) as const
/** Judges as a proxy does, and tells it. */
const ask = (gate: Gate, host: string) =>
  Effect.promise(async () => {
    const decision = await gate.decide(attempt(host))
    gate.told(attempt(host), decision)
    return decision.allowed
  })

describe("A process with egress rules", () => {
  it(
    "has their gate in its spec, and tells what they deny, in the order of its output",
    effect(function* () {
      const { client, fake } = yield* ready(able, confined)
      yield* client.ask("process/start", start("p", { egressEvents: true }))
      const child = yield* fake.next
      const gate = child.spec.egress!
      child.output("stdout", "a")
      expect(yield* ask(gate, "x.org")).toBe(true)
      expect(yield* ask(gate, "y.org")).toBe(false)
      child.output("stdout", "b")
      expect(yield* ask(gate, "no.x.org")).toBe(false)
      // The same target again is counted, and not told.
      expect(yield* ask(gate, "y.org")).toBe(false)
      child.finish(0)
      const messages = yield* client.received
      expect(messages.map(({ method, params }) => `${params?.seq} ${method}`)).toEqual([
        "1 process/output",
        "2 process/egress",
        "3 process/output",
        "4 process/egress",
        "5 process/exited",
        "6 process/closed",
      ])
      expect(messages[1]?.params).toEqual({
        processId: "p",
        seq: 2,
        protocol: "https_connect",
        host: "y.org",
        port: 443,
        reason: "not_allowed",
        rule: null,
        message: expect.stringContaining("y.org:443 is blocked: it is not in the allow list of the server"),
      })
      expect(messages[3]?.params).toMatchObject({ reason: "denied", rule: "deny:no.x.org" })
      expect(messages[5]?.params).toMatchObject({ egress: { allowed: 1, denied: 3 } })
      const { result } = yield* client.ask("process/read", { processId: "p", afterSeq: 2 })
      expect(result).toMatchObject({ blocked: [{ seq: 4, host: "no.x.org" }], egress: { denied: 3 } })
    }),
  )

  it(
    "takes no seq for a denial whose client has not asked to hear of it",
    effect(function* () {
      const { client, fake } = yield* ready(able, confined)
      yield* client.ask("process/start", start("p"))
      const child = yield* fake.next
      expect(yield* ask(child.spec.egress!, "y.org")).toBe(false)
      child.output("stdout", "a")
      expect(yield* ask(child.spec.egress!, "no.x.org")).toBe(false)
      child.finish(0)
      const messages = yield* client.received
      expect(messages.map(({ method, params }) => `${params?.seq} ${method}`)).toEqual([
        "1 process/output",
        "2 process/exited",
        "3 process/closed",
      ])
      expect(messages[2]?.params).toMatchObject({ egress: { allowed: 0, denied: 2 } })
      const { result } = yield* client.ask("process/read", { processId: "p", afterSeq: 0 })
      expect(result).toMatchObject({ blocked: [{ host: "y.org" }, { host: "no.x.org" }] })
      const later = yield* client.ask("process/read", { processId: "p", afterSeq: 1 })
      expect(later.result).toMatchObject({ blocked: [{ host: "no.x.org" }] })
    }),
  )

  it(
    "has fewer hosts by rules of its own, never more",
    effect(function* () {
      const { client, fake } = yield* ready(able, confined)
      yield* client.ask("process/start", start("p", { egress: ["allow:a.x.org,y.org,no.x.org"] }))
      const gate = (yield* fake.next).spec.egress!
      const hosts = ["a.x.org", "b.x.org", "y.org", "no.x.org"]
      expect(yield* Effect.forEach(hosts, (host) => ask(gate, host))).toEqual([true, false, false, false])
      yield* client.received
      yield* client.ask("process/start", start("q", { egress: [] }))
      expect(yield* ask((yield* fake.next).spec.egress!, "a.x.org")).toBe(false)
      yield* client.received
      const faulty = yield* client.ask("process/start", start("r", { egress: ["allow:*"] }))
      expect(faulty.error).toMatchObject({ message: expect.stringContaining("allow:*") })
    }),
  )

  it(
    "tells a bounded number of targets",
    effect(function* () {
      const { client, fake } = yield* ready(able, confined)
      yield* client.ask("process/start", start("p", { egressEvents: true }))
      const child = yield* fake.next
      for (let at = 0; at < 2 * mostTold; at++) yield* ask(child.spec.egress!, `h${at}.org`)
      child.finish(0)
      const messages = yield* client.received
      expect(messages.filter(({ method }) => method === "process/egress").length).toBe(mostTold)
      expect(messages.at(-1)?.params).toMatchObject({ egress: { allowed: 0, denied: 2 * mostTold } })
    }),
  )

  it(
    "is not started where nothing would keep to them",
    effect(function* () {
      for (const [fake, server, why] of [
        [{}, confined, "cannot keep processes to the rules"],
        [able, { egress: confined.egress }, "without a network"],
        [able, {}, "no capability processEgress"],
      ] as const) {
        const made = yield* ready(fake, server)
        const { error } = yield* made.client.ask("process/start", start("p", { egress: ["allow:a.x.org"] }))
        expect(error?.message).toContain(why)
        expect(made.fake.children).toEqual([])
      }
    }),
  )
})
