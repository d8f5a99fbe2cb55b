/** Routers and hosts in one program: the real server, over a directory and transports in memory, in virtual time. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as TestFleet from "./testing/TestFleet.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import { eventsOf } from "../testing/NetworkClient.ts"

describe("a fleet", () => {
  it(
    "starts a session on a host that has the labels, and carries its frames",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* TestFleet.make
      yield* startRouter("r1")
      yield* startHost("a", ["r1"], { os: "linux" })
      const { fake } = yield* startHost("b", ["r1"], { os: "plan9" })
      yield* settle
      const client = yield* connect(["r1"], { labels: { os: "plan9" } })
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      child.output("stdout", "hello")
      child.finish()
      expect((yield* eventsOf(process)).map(({ kind }) => kind)).toEqual(["output", "exited", "closed"])
      yield* settle
      const { hosts, sessions } = yield* directory.list()
      expect(hosts.map(({ hostId, used, address }) => [hostId, used, address])).toEqual([
        ["a", 0, "r1"],
        ["b", 1, "r1"],
      ])
      expect(sessions).toMatchObject([{ hostId: "b", state: "running", tenant: "t" }])
      expect(sessions[0]?.sessionId).toBe(`key-of-${client.sessionId}`)
      const refusal = yield* Effect.flip(connect(["r1"], { labels: { os: "vms" } }))
      expect(refusal.message).toContain("no session was started: no host")
      const malformed = yield* Effect.flip(connect(["r1"], { labels: undefined }))
      expect(malformed.message).toContain("no session was started: a label is asked for by ?label=K=V")
    }),
  )

  it(
    "brings clients back by another router when one dies, over one hop if need be",
    effect(function* () {
      const { startRouter, killRouter, startHost, connect, routers } = yield* TestFleet.make
      yield* startRouter("r1")
      yield* startRouter("r2")
      yield* startRouter("r3")
      const { fake } = yield* startHost("a", ["r1", "r2"])
      yield* settle
      const client = yield* connect(["r1", "r3"])
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const reading = yield* Effect.forkChild(eventsOf(process))
      for (let n = 0; n < 5; n++) child.output("stdout", `${n} `)
      yield* killRouter("r1")
      for (let n = 5; n < 10; n++) child.output("stdout", `${n} `)
      yield* pass(10_000)
      child.finish()
      const events = yield* Fiber.join(reading)
      const text = events
        .map((event) => (event.kind === "output" ? Buffer.from(event.bytes).toString() : ""))
        .join("")
      expect(text).toBe(Array.from({ length: 10 }, (_, n) => `${n} `).join(""))
      expect(routers.get("r3")?.router.metrics.connections()).toBe(1)
    }),
  )

  it(
    "announces a host anew when a tunnel is lost, and not with each attempt to make it again",
    effect(function* () {
      const { startRouter, killRouter, startHost, announcements, directory } = yield* TestFleet.make
      yield* startRouter("r1")
      yield* startRouter("r2")
      yield* startHost("a", ["r1", "r2"])
      yield* pass(1000)
      const before = announcements()
      yield* killRouter("r1")
      yield* pass(60_000)
      expect(announcements() - before).toBe(1)
      expect((yield* directory.list()).hosts).toMatchObject([{ hostId: "a", state: "up", address: "r2" }])
    }),
  )

  it(
    "goes on while the directory is away: sessions run, resumes work, starts are refused with words",
    effect(function* () {
      const { startRouter, startHost, connect, setAway, killRouter, directory } = yield* TestFleet.make
      yield* startRouter("r1")
      yield* startRouter("r2")
      const { fake } = yield* startHost("a", ["r1", "r2"])
      yield* settle
      const client = yield* connect(["r1", "r2"])
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      setAway(true)
      yield* pass(30_000)
      const refusal = yield* Effect.flip(connect(["r2"]))
      expect(refusal.message).toContain("no session can be started now: the directory is away")
      yield* killRouter("r1")
      yield* pass(3_000)
      child.output("stdout", "still here")
      child.finish()
      expect((yield* eventsOf(process)).map(({ kind }) => kind)).toEqual(["output", "exited", "closed"])
      setAway(false)
      yield* pass(20_000)
      const { hosts, sessions } = yield* directory.list()
      expect([hosts.length, sessions.length]).toEqual([1, 1])
      expect(hosts[0]).toMatchObject({ state: "up", epoch: 1, address: "r2" })
      yield* connect(["r2"])
    }),
  )

  it(
    "tells that a session has ended with its host, and never attaches it to the next start",
    effect(function* () {
      const { startRouter, startHost, connect } = yield* TestFleet.make
      yield* startRouter("r1")
      const first = yield* startHost("a", ["r1"])
      yield* settle
      const client = yield* connect(["r1"])
      yield* client.start({ argv: ["x"] })
      const ending = yield* Effect.forkChild(client.disconnected)
      yield* first.stop
      yield* pass(2_000)
      yield* startHost("a", ["r1"])
      yield* pass(20_000)
      expect((yield* Fiber.join(ending)).message).toMatch(/has ended: (host restarted|closed)/)
    }),
  )

  it(
    "tells a client that is connected when its session has ended for the fleet",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* TestFleet.make
      yield* startRouter("r1")
      const { fake } = yield* startHost("a", ["r1"])
      yield* settle
      const client = yield* connect(["r1"])
      const process = yield* client.start({ argv: ["x"] })
      yield* fake.next
      const ending = yield* Effect.forkChild(client.disconnected)
      yield* directory.announce({ hostId: "a", epoch: 9, labels: {}, capacity: 1 })
      yield* pass(20_000)
      expect((yield* Fiber.join(ending)).message).toContain("has ended: host restarted")
      expect((yield* Effect.flip(process.closed)).message).toContain("has ended: host restarted")
    }),
  )

  it(
    "waits for a lost host, and ends what was fenced when it comes back too late",
    effect(function* () {
      const { startRouter, killRouter, startHost, connect, directory } = yield* TestFleet.make
      yield* startRouter("r1")
      const { fake } = yield* startHost("a", ["r1"])
      yield* settle
      const client = yield* connect(["r1"], {}, { reconnect: { window: "1 hour" } })
      yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const ending = yield* Effect.forkChild(client.disconnected)
      yield* killRouter("r1")
      yield* pass(60_000)
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "lost" }])
      expect(child.signals).toEqual([])
      yield* pass(300_000)
      expect(child.signals).toEqual([])
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "gone" }])
      yield* startRouter("r1")
      yield* pass(20_000)
      expect((yield* Fiber.join(ending)).message).toMatch(/has ended: host gone|unknown session id/)
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "up", epoch: 2, used: 0 }])
    }),
  )

  // guards: tenants
  it(
    "counts the quota of a tenant, and shows nobody the sessions of another",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* TestFleet.make
      yield* startRouter("r1", 1)
      yield* startHost("a", ["r1"])
      yield* settle
      const mine = yield* connect(["r1"], { tenant: "me" })
      expect((yield* Effect.flip(connect(["r1"], { tenant: "me" }))).message).toContain(
        "no session was started",
      )
      const stolen = connect(["r1"], { tenant: "you" }, { resumeSessionId: mine.sessionId, takeover: true })
      expect((yield* Effect.flip(stolen)).message).toBe(`unknown session id ${mine.sessionId}`)
      yield* connect(["r1"], { tenant: "you" })
      expect((yield* directory.list()).sessions.length).toBe(2)
    }),
  )

  it(
    "frees the place of a session that has ended on its host",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* TestFleet.make
      yield* startRouter("r1", 1)
      yield* startHost("a", ["r1"])
      yield* settle
      const scope = yield* Scope.make()
      yield* Scope.provide(connect(["r1"]), scope)
      yield* settle
      expect((yield* directory.list()).sessions.length).toBe(1)
      yield* Scope.close(scope, Exit.void)
      yield* pass(90_000)
      expect((yield* directory.list()).sessions.length).toBe(0)
      yield* connect(["r1"])
    }),
  )
})
