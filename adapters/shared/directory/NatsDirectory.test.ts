/** The directory suite on a real nats-server, and what a directory in it does while the server is away. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { connect } from "@nats-io/transport-node"
import { Kvm } from "@nats-io/kv"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { DirectorySuite } from "../../../conformance/directory/index.ts"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import * as NatsDirectory from "./NatsDirectory.ts"
import { ask, atLast, host, hour, patient, refusal, tellsOf, until } from "./testing/Asking.ts"
import { lacking, NatsServer } from "./testing/NatsServer.ts"

const title = lacking === undefined ? "on NATS" : `on NATS, skipped: ${lacking}`
describe.skipIf(lacking !== undefined)(title, { tags: ["nats-server"] }, () => {
  let server: NatsServer
  let buckets = 0
  beforeAll(async () => {
    server = await NatsServer.start()
  })
  afterAll(() => server.remove())

  const bucket = () => `b${++buckets}`
  const open = async (options: Partial<NatsDirectory.NatsOptions>): Promise<DirectoryService> => {
    const scope = Effect.runSync(Scope.make())
    onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const made = NatsDirectory.make({ url: server.url, ...patient, ...options })
    return Effect.runPromise(Scope.provide(made, scope))
  }
  DirectorySuite.suite("a directory in NATS", (options) =>
    Effect.succeed(NatsDirectory.make({ url: server.url, ...options, bucket: bucket() })),
  )

  test("100 races of two for the last place of a quota: one is granted each time", async () => {
    const name = bucket()
    const [one, other] = [await open({ bucket: name }), await open({ bucket: name })]
    await ask(one.announce(host("a")))
    for (let round = 0; round < 100; round++) {
      const claims = [one, other].map((directory, by) =>
        ask(Effect.result(directory.claim({ sessionId: `s-${round}-${by}`, tenant: `t${round}`, quota: 1 }))),
      )
      const got = await Promise.all(claims)
      const told = got.map((each) => (each._tag === "Success" ? "granted" : each.failure.reason))
      expect(told.sort()).toEqual(["QuotaExceeded", "granted"])
    }
    expect((await ask(one.list({ hostId: "a" }))).hosts[0]?.used).toBe(100)
  })

  test("while it is stopped, all is Unavailable at the deadline; then all goes on, and nobody is lost", async () => {
    const name = bucket()
    // The half second of silence is more than the lease, of which each look counts a millisecond at most.
    const brief = { bucket: name, stepMillis: 1, leaseMillis: 400 }
    const [one, other] = [await open({ ...brief, deadlineMillis: 500 }), await open(brief)]
    await atLast(one.announce(host("a")))
    server.freeze()
    const claim = one.claim({ sessionId: "s", tenant: "t", quota: 1 })
    const refusals = await Promise.all([claim, one.lookup("s"), one.list()].map((each) => refusal(each)))
    server.thaw()
    expect(refusals.map(({ reason }) => reason)).toEqual(["Unavailable", "Unavailable", "Unavailable"])
    const session = await atLast(claim)
    expect((await ask(other.lookup("s"))).session.fence).toBe(session.fence)
    expect((await ask(other.list())).hosts.map(({ state, used }) => [state, used])).toEqual([["up", 1]])
  })

  test("killed and started again: what was decided is there, claims fail in between, and watches go on", async () => {
    const one = await open({ bucket: bucket(), deadlineMillis: 1_000 })
    await atLast(one.announce(host("a")))
    const before = await atLast(one.claim({ sessionId: "before", tenant: "t" }))
    const after = until(one, tellsOf("after"))
    await until(one, tellsOf("before"))
    await server.kill()
    expect((await refusal(one.claim({ sessionId: "meanwhile", tenant: "t" }))).reason).toBe("Unavailable")
    await server.begin()
    expect((await atLast(one.confirm(before))).state).toBe("running")
    expect((await atLast(one.renew(host("a")))).draining).toBe(false)
    await atLast(one.claim({ sessionId: "after", tenant: "t" }))
    expect(await after).toMatchObject({ value: { session: { sessionId: "after" } } })
    const { sessions } = await atLast(one.list())
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining(["after", "before"]))
  })

  test("a watch is told by a message of the server, long before the next look", async () => {
    const quiet = { bucket: bucket(), tickMillis: hour }
    const [one, other] = [await open(quiet), await open(quiet)]
    await ask(other.announce(host("a")))
    const told = until(one, tellsOf("s"))
    await until(one, (change) => change.kind === "host")
    await ask(other.claim({ sessionId: "s", tenant: "t" }))
    expect(await told).toMatchObject({ value: { session: { sessionId: "s" } } })
  })

  test("a book of a later version is refused", async () => {
    const name = bucket()
    await ask((await open({ bucket: name, tickMillis: hour })).announce(host("a")))
    const connection = await connect({ servers: server.url })
    onTestFinished(() => connection.close())
    await (await new Kvm(connection).open(name)).put("book", JSON.stringify({ format: 7 }))
    const words = await refusal(Effect.scoped(NatsDirectory.make({ url: server.url, bucket: name })))
    expect(words.reason).toBe("WrongVersion")
    expect(words.message).toContain(`${name} has version 7, and this program knows versions up to 1`)
  })

  test("a server that cannot be reached is Unavailable, and a URL of something else is refused", async () => {
    const words = await refusal(Effect.scoped(NatsDirectory.make({ url: "nats://127.0.0.1:1" })))
    expect(words.reason).toBe("Unavailable")
    expect(words.message).toContain("the directory in NATS cannot be asked: ")
    const made = Effect.scoped(NatsDirectory.make({ url: "http://u:secret@127.0.0.1:1" }))
    const refused = Effect.runPromise(made).then(String, String)
    const message = await refused
    expect(message).toContain("nats://HOST:PORT")
    expect(message).not.toContain("secret")
  })
})
