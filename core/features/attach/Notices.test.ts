import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect } from "../../testing/Effects.ts"
import * as Attachments from "./Attachments.ts"
import { type Client, handshake, ready, type Received, start } from "../../server/testing/Client.ts"
import * as SlowPeer from "../../server/testing/SlowPeer.ts"

const make = () => {
  const { sender, peer, sent } = SlowPeer.make()
  const notices = Attachments.makeNotices(sender)
  return { sender, peer, sent, tell: (id: string, text?: string) => notices.tell(id, () => text), notices }
}

describe("Notices", () => {
  it("tells what is newest of each id when its turn has come, in the order in which they changed first", () => {
    const { sender, peer, sent, tell } = make()
    tell("a", "a1")
    for (const text of ["2", "3"]) for (const id of ["b", "a"]) tell(id, id + text)
    tell("c", "c1")
    tell("c")
    expect(sent).toEqual(["a1"])
    peer.writable = true
    sender.drain()
    expect(sent).toEqual(["a1", "b3", "a3"])
    tell("c", "c2")
    expect(sent).toEqual(["a1", "b3", "a3", "c2"])
  })

  it("tells at once what is about to be answered for, once, and nothing on a connection that has been left", () => {
    const { sender, peer, sent, tell, notices } = make()
    tell("a", "a1")
    tell("b", "b1")
    tell("c", "c1")
    notices.now("c")
    notices.now("c")
    expect(sent).toEqual(["a1", "c1"])
    peer.writable = true
    sender.stop()
    notices.now("b")
    sender.drain()
    expect(sent).toEqual(["a1", "c1"])
  })
})

const takes = { session: 1, processId: "web", as: "p9", role: "writer", take: true }

/** An owner that does not read the flood of its process, and another client. */
const stalled = Effect.gen(function* () {
  const { client: owner, fake, connect } = yield* ready({}, { scope: "control" })
  yield* owner.ask("process/start", start("web"))
  const child = yield* fake.next
  const other = yield* connect
  yield* handshake(other)
  while (!child.paused) {
    child.output("stdout", new Uint8Array(65_536))
    yield* Effect.yieldNow
  }
  return { owner, other, child }
})

/** Received messages, in short: answers, roles, and output. */
const brief = ({ method, params, error, result }: Received) =>
  method === undefined
    ? (error?.message ?? JSON.stringify(result))
    : method === "process/writer"
      ? `writer ${JSON.stringify(params)}`
      : method

const without = (all: ReadonlyArray<Received>) => all.map(brief).filter((text) => text !== "process/output")

const role = (processId: string, writer: boolean) => `writer ${JSON.stringify({ processId, writer })}`

const write = (client: Client, text: string) =>
  client.send({
    id: text,
    method: "process/write",
    params: { processId: "web", chunk: btoa(text), writeId: text },
  })

describe("the role of a client", () => {
  it(
    "that takes its session over comes behind the answer, once, although the old connection leaves it before",
    effect(function* () {
      const { client: owner, connect, sessionId } = yield* ready({}, { scope: "control" })
      yield* owner.ask("process/start", start("web"))
      owner.send({ id: 1, method: "process/attach", params: { ...takes, session: null } })
      expect(without(yield* owner.received)).toContain(role("web", false))
      const next = yield* connect
      const params = { clientName: "x", resumeSessionId: sessionId, takeover: true }
      next.send({ id: 1, method: "initialize", params })
      const [answer, ...others] = yield* next.received
      expect([answer?.id, ...others.map(brief)]).toEqual([1, role("web", true)])
    }),
  )
})

describe("the role of a client that does not read", () => {
  it(
    "waits as one message however often it changes, and is the last one when it comes",
    effect(function* () {
      const { owner, other } = yield* stalled
      for (let round = 0; round < 3; round++) {
        for (let at = 0; at < 100; at++) {
          other.send({ id: at, method: "process/attach", params: takes })
          other.send({ id: at, method: "process/attach", params: { ...takes, role: "viewer", take: false } })
        }
        expect((yield* other.received).filter(({ error }) => error !== undefined)).toEqual([])
      }
      yield* other.ask("environment/status")
      expect(without(yield* owner.received)).toEqual([role("web", true)])
    }),
  )

  it(
    "comes before an answer that depends on it",
    effect(function* () {
      const { owner, other, child } = yield* stalled
      other.send({ id: 1, method: "process/attach", params: takes })
      yield* other.received
      write(owner, "refused")
      yield* other.ask("environment/status")
      other.send({ id: 1, method: "process/detach", params: { processId: "p9" } })
      yield* other.received
      write(owner, "accepted")
      yield* other.ask("environment/status")
      expect(child.written).toBe("accepted")
      expect(without(yield* owner.received)).toEqual([
        role("web", false),
        expect.stringContaining("is written to by another client"),
        role("web", true),
        '{"status":"accepted"}',
      ])
    }),
  )

  it(
    "is not told once the client has ended its session",
    effect(function* () {
      const { owner, other } = yield* stalled
      other.send({ id: 1, method: "process/attach", params: takes })
      yield* other.received
      owner.send({ id: 1, method: "session/end" })
      yield* other.received
      expect(without(yield* owner.received)).toEqual(["{}"])
    }),
  )
})
