/** Tests questions to clients on a server with a scripted spawner, in virtual time. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { type Client, handshake, make, ready, start } from "../../server/testing/Client.ts"
import type { Decision, Gate } from "../../spawn/Egress.ts"
import * as Asking from "./Asking.ts"
import { answerMillis } from "./Question.ts"
import * as Rules from "./Rules.ts"

const serverWith = (...texts: ReadonlyArray<string>) => {
  const rules = Result.getOrThrow(Rules.parse(texts))
  return {
    egress: { of: "the server", rules: () => rules },
    floor: { places: [{ path: "/", access: "write" }], network: false },
  } as const
}
const asking = serverWith("ask allow:x.org deny:no.org")
const able = { capabilities: { egress: true } }

const attempt = (host: string) => ({ protocol: "https_connect", host, port: 443 }) as const

/** Judges as a proxy does, and tells it: a fiber with the decision. */
const want = (gate: Gate, host: string): Effect.Effect<Fiber.Fiber<Decision>> =>
  Effect.promise(async () => {
    const decision = await gate.decide(attempt(host))
    gate.told(attempt(host), decision)
    return decision
  }).pipe(Effect.forkDetach({ startImmediately: true }), Effect.tap(settle))

const messageOf = (decision: Decision) =>
  decision.allowed ? `allowed by ${decision.rule}` : decision.message

/** A process whose client answers questions, and its gate. */
const asked = (
  client: Client,
  fake: { readonly next: Effect.Effect<Child> },
  change: object = { egressAsk: true },
) =>
  Effect.gen(function* () {
    client.send({ id: 1, method: "process/start", params: start("p", change) })
    const child = yield* fake.next
    yield* client.received
    return { child, gate: child.spec.egress! }
  })
type Child = Effect.Success<Effect.Success<ReturnType<typeof ready>>["fake"]["next"]>

const questions = (
  messages: ReadonlyArray<{ readonly method?: string; readonly id?: unknown; readonly params?: object }>,
) => messages.filter(({ method }) => method === "network/policyRequest")

describe("A question to the client", () => {
  it(
    "is about what no rule names, and its answer holds for the process",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const { gate } = yield* asked(client, fake)
      expect(messageOf(yield* Fiber.join(yield* want(gate, "x.org")))).toBe("allowed by allow:x.org")
      expect(messageOf(yield* Fiber.join(yield* want(gate, "no.org")))).toContain("deny:no.org")
      expect(messageOf(yield* Fiber.join(yield* want(gate, "10.0.0.1")))).toContain("private")
      const told = yield* client.received
      expect(questions(told)).toEqual([])

      const first = yield* want(gate, "y.org")
      const second = yield* want(gate, "y.org")
      const other = yield* want(gate, "z.org")
      const open = questions(yield* client.received)
      expect(open.map(({ params }) => params)).toEqual([
        { processId: "p", request: { protocol: "https_connect", host: "y.org", port: 443 } },
        { processId: "p", request: { protocol: "https_connect", host: "z.org", port: 443 } },
      ])
      client.send(
        { id: open[1]?.id, result: { decision: { type: "deny", reason: "not\nneeded" } } },
        { id: open[0]?.id, result: { decision: { type: "allow" } } },
      )
      yield* settle
      expect(messageOf(yield* Fiber.join(first))).toBe("allowed by ask")
      expect(messageOf(yield* Fiber.join(second))).toBe("allowed by ask")
      expect(messageOf(yield* Fiber.join(other))).toBe(
        "z.org:443 is blocked: the rule ask of the server asks the client, which has denied it: not needed; " +
          "this is no fault of the network or the proxy, and the rule allow:z.org:443 would allow it",
      )
      expect((yield* Fiber.join(yield* want(gate, "y.org"))).allowed).toBe(true)
      expect((yield* Fiber.join(yield* want(gate, "z.org"))).allowed).toBe(false)
      const decisions = (yield* client.received).filter(({ method }) => method !== "process/egress")
      expect(questions(decisions)).toEqual([])
      const words = (host: string, decision: string, reason: string) => ({
        method: "network/policyDecision",
        params: {
          processId: "p",
          timestamp: "1970-01-01T00:00:00.000Z",
          scope: "domain",
          decision,
          source: "decider",
          reason,
          protocol: "https_connect",
          host,
          port: 443,
          method: "CONNECT",
          policyOverride: decision === "allow",
        },
      })
      const allowed = words("y.org", "allow", "not_allowed")
      const denied = words("z.org", "deny", "not needed")
      expect(decisions).toEqual([denied, allowed, allowed, allowed, denied])
      const rules = told.filter(({ method }) => method === "network/policyDecision")
      expect(rules.map(({ params }) => params)).toMatchObject([
        { host: "x.org", decision: "allow", source: "baseline_policy", reason: "allow" },
        { host: "no.org", decision: "deny", source: "baseline_policy", reason: "denied" },
        { host: "10.0.0.1", decision: "deny", source: "baseline_policy", reason: "not_allowed_local" },
      ])
    }),
  )

  it(
    "is put only to a client that has asked for it at the start",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const silent = yield* asked(client, fake, {})
      const decision = yield* Fiber.join(yield* want(silent.gate, "y.org"))
      expect(messageOf(decision)).toContain("the client of this process answers no questions")
      expect(yield* client.received).toEqual([])
      client.send({
        id: 2,
        method: "process/start",
        params: start("q", { egress: ["ask:*.y.org", "allow:x.org"] }),
      })
      const gate = (yield* fake.next).spec.egress!
      yield* client.received
      expect((yield* Fiber.join(yield* want(gate, "z.org"))).allowed).toBe(false)
      yield* want(gate, "a.y.org")
      expect(questions(yield* client.received).length).toBe(1)
    }),
  )

  it(
    "is denied with the reason where the answer is none",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const { gate } = yield* asked(client, fake)
      for (const [answer, why, reason] of [
        [{ result: { decision: { type: "deny" } } }, "which has denied it;", "not_allowed"],
        [{ result: { decision: { type: "deny", reason: "" } } }, "which has denied it;", "policy_denied"],
        [{ result: { decision: { type: "ask", reason: "later" } } }, "which has not decided: later", "later"],
        [{ result: { decision: "allow" } }, "malformed", "not_allowed"],
        [{ result: { decision: { type: "yes" } } }, "malformed", "not_allowed"],
        [{ result: {} }, "malformed", "not_allowed"],
        [{ error: { code: -32601, message: "no" } }, "does not answer such questions", "not_allowed"],
      ] as const) {
        const decision = yield* want(
          gate,
          `${reason.length}${why.length}${JSON.stringify(answer).length}.org`,
        )
        const [question] = questions(yield* client.received)
        client.send({ id: question?.id, ...answer })
        expect(messageOf(yield* Fiber.join(decision))).toContain(why)
        const told = (yield* client.received).find(({ method }) => method === "network/policyDecision")
        expect(told?.params).toMatchObject({ reason, source: "decider" })
      }
      // A target without a decision is asked about again.
      const again = yield* want(gate, "again.org")
      const [first] = questions(yield* client.received)
      client.send({ id: first?.id, result: { decision: { type: "ask" } } })
      expect((yield* Fiber.join(again)).allowed).toBe(false)
      yield* client.received
      yield* want(gate, "again.org")
      expect(questions(yield* client.received).length).toBe(1)
    }),
  )

  it(
    "is denied after 30 s, and a late answer is heard by nobody",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const { gate } = yield* asked(client, fake)
      const decision = yield* want(gate, "y.org")
      const [question] = questions(yield* client.received)
      yield* pass(answerMillis - 1)
      expect(decision.pollUnsafe()).toBe(undefined)
      yield* pass(1)
      expect(messageOf(yield* Fiber.join(decision))).toContain("has not answered within 30 s")
      client.send({ id: question?.id, result: { decision: { type: "allow" } } })
      yield* client.received
      expect(yield* client.ended).toBe(false)
      yield* want(gate, "y.org")
      expect(questions(yield* client.received).length).toBe(1)
    }),
  )

  it(
    "is denied at once above a number without an answer, whether their time is over or not",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const { gate } = yield* asked(client, fake)
      const half = Asking.mostUnanswered / 2
      for (let at = 0; at < half; at++) yield* Effect.sync(() => void gate.decide(attempt(`a${at}.org`)))
      const open = questions(yield* client.received)
      yield* pass(answerMillis)
      for (let at = 0; at < half; at++) yield* Effect.sync(() => void gate.decide(attempt(`b${at}.org`)))
      expect(open.length + questions(yield* client.received).length).toBe(Asking.mostUnanswered)
      const decision = yield* Fiber.join(yield* want(gate, "one.org"))
      expect(messageOf(decision)).toContain("256 questions without an answer")
      expect(questions(yield* client.received)).toEqual([])
      client.send({ id: open[0]?.id, result: { decision: { type: "deny" } } })
      yield* settle
      yield* want(gate, "two.org")
      expect(questions(yield* client.received).length).toBe(1)
    }),
  )

  it(
    "ends with the process, and goes on for those who outlive it",
    effect(function* () {
      const { client, fake } = yield* ready(able, asking)
      const { child, gate } = yield* asked(client, fake)
      const decision = yield* want(gate, "y.org")
      expect(questions(yield* client.received).length).toBe(1)
      child.exit(0)
      expect(messageOf(yield* Fiber.join(decision))).toContain("the process has ended before the answer")
      yield* client.received
      yield* want(gate, "y.org")
      expect(questions(yield* client.received).length).toBe(1)
    }),
  )

  it(
    "ends with the connection, is denied without one, and goes to the one that resumes the session",
    effect(function* () {
      const { fake, connect } = yield* make(able, asking)
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(connect, scope)
      const sessionId = yield* handshake(client)
      const { gate } = yield* asked(client, fake)
      const decision = yield* want(gate, "y.org")
      yield* Scope.close(scope, Exit.void)
      yield* settle
      expect(messageOf(yield* Fiber.join(decision))).toContain("has gone away without an answer")
      expect(messageOf(yield* Fiber.join(yield* want(gate, "y.org")))).toContain("which is not connected")
      const next = yield* connect
      yield* handshake(next, sessionId)
      yield* next.received
      const later = yield* want(gate, "y.org")
      const [question] = questions(yield* next.received)
      next.send({ id: question?.id, result: { decision: { type: "allow" } } })
      expect((yield* Fiber.join(later)).allowed).toBe(true)
    }),
  )

  it(
    "ends as another connection takes the session over, which is asked from then on",
    effect(function* () {
      const { client, fake, connect, sessionId } = yield* ready(able, asking)
      const { gate } = yield* asked(client, fake)
      const decision = yield* want(gate, "y.org")
      const taker = yield* connect
      const initialize = { clientName: "taker", resumeSessionId: sessionId, takeover: true }
      taker.send({ id: 1, method: "initialize", params: initialize }, { method: "initialized" })
      yield* taker.received
      expect(messageOf(yield* Fiber.join(decision))).toContain("has gone away without an answer")
      yield* want(gate, "y.org")
      expect(questions(yield* taker.received).length).toBe(1)
    }),
  )

  it(
    "lifts no rule that has come meanwhile",
    effect(function* () {
      let rules = asking.egress.rules()
      const { client, fake } = yield* ready(able, {
        ...asking,
        egress: { of: "the server", rules: () => rules },
      })
      const { gate } = yield* asked(client, fake)
      const decision = yield* want(gate, "y.org")
      const [question] = questions(yield* client.received)
      rules = Result.getOrThrow(Rules.parse(["ask deny:y.org"]))
      client.send({ id: question?.id, result: { decision: { type: "allow" } } })
      expect(messageOf(yield* Fiber.join(decision))).toContain("deny:y.org")
    }),
  )
})
