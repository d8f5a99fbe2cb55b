/** Questions of a server about connections, as a program decides them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Rules from "../features/egress/Rules.ts"
import { effect, settle } from "../testing/Effects.ts"
import { connected } from "../testing/NetworkClient.ts"
import * as ScriptedPeer from "../testing/ScriptedPeer.ts"
import * as ExecClient from "./ExecClient.ts"
import type { OnPolicyRequest, PolicyRequest } from "./Policy.ts"

const rules = Result.getOrThrow(Rules.parse(["ask"]))
const server = [
  { capabilities: { egress: true } },
  {
    egress: { of: "the server", rules: () => rules },
    floor: { places: [{ path: "/", access: "write" }], network: false },
  },
] as const

/** The end of an attempt to reach `x.org`, with a client that decides like this. */
const decided = (onPolicyRequest: OnPolicyRequest | undefined, start: object = {}) =>
  Effect.gen(function* () {
    const options = onPolicyRequest === undefined ? {} : { onPolicyRequest }
    const { client, fake } = yield* connected(options, ...server)
    yield* client.start({ argv: ["a"], processId: "p", ...start })
    const { spec } = yield* fake.next
    const attempt = { protocol: "https_connect", host: "x.org", port: 443 } as const
    const decision = spec.egress!.decide(attempt)
    yield* settle
    const found = yield* Effect.promise(() => decision)
    return found.allowed ? "allowed" : found.message
  })

describe("A client that decides", () => {
  it(
    "is asked about the connections of all its processes, and allows by true or a promise",
    effect(function* () {
      const asked: Array<PolicyRequest> = []
      const reply = (request: PolicyRequest) => (asked.push(request), true)
      expect(yield* decided(reply)).toBe("allowed")
      expect(asked).toEqual([{ processId: "p", protocol: "https_connect", host: "x.org", port: 443 }])
      expect(yield* decided(async (request) => reply(request))).toBe("allowed")
      expect(yield* decided(() => ({ type: "allow" }))).toBe("allowed")
      expect(yield* decided(reply, { egressAsk: false })).toContain("answers no questions")
      expect(asked.length).toBe(2)
    }),
  )

  it(
    "denies with its reason, and where it fails",
    effect(function* () {
      expect(yield* decided(() => false)).toContain("which has denied it: the client has denied it")
      expect(yield* decided(() => ({ type: "deny", reason: "not today" }))).toContain("not today")
      expect(yield* decided(() => ({ type: "ask" }))).toContain("which has not decided")
      const failed = "which has denied it: the client could not decide"
      expect(yield* decided(() => Promise.reject(new Error("x")))).toContain(failed)
      expect(
        yield* decided(() => {
          throw new Error("x")
        }),
      ).toContain(failed)
    }),
  )

  it(
    "denies without a function, also what a start has asked for",
    effect(function* () {
      expect(yield* decided(undefined)).toContain("the client of this process answers no questions")
      expect(yield* decided(undefined, { egressAsk: true })).toContain("the client allows nothing")
    }),
  )

  it(
    "refuses a question that it cannot read, and asks no server without the capability to ask it",
    effect(function* () {
      const peer = yield* ScriptedPeer.make
      const making = ExecClient.make(peer.transport, { onPolicyRequest: () => true })
      const [client] = yield* Effect.all([making, peer.handshake], { concurrency: "unbounded" })
      peer.send(JSON.stringify({ id: 7, method: "network/policyRequest", params: { processId: "p" } }))
      expect(yield* peer.take).toMatchObject({ kind: "error", id: 7, code: -32602 })
      yield* Effect.forkChild(client.start({ argv: ["a"] }))
      const { params } = yield* peer.request("process/start")
      expect(params).not.toHaveProperty("egressAsk")
    }),
  )
})
