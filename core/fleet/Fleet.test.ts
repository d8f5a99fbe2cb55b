/** Routers and hosts in one program: the real server, over a directory and transports in memory, in virtual time. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import * as Addresses from "../client/Addresses.ts"
import * as ExecClient from "../client/ExecClient.ts"
import type { DirectoryService } from "../directory/Directory.ts"
import { Directory } from "../directory/Directory.ts"
import { type DirectoryError, refused } from "../directory/DirectoryError.ts"
import * as MemoryDirectory from "../directory/Memory.ts"
import { SessionIds } from "../session/SessionIds.ts"
import { effect, elapse, settle } from "../testing/Effects.ts"
import { eventsOf } from "../testing/NetworkClient.ts"
import * as TestServer from "../testing/TestServer.ts"
import * as Memory from "../transport/Memory.ts"
import { type Transport, TransportError } from "../transport/Transport.ts"
import * as HostLink from "./HostLink.ts"
import * as Router from "./Router.ts"

const unreachable = new TransportError({ reason: "Open", message: "nobody is there" })

/** No logs: these tests lose connections on purpose. */
const quiet = Logger.withMinimumLogLevel(LogLevel.None)

/** A fleet, whose routers and hosts come and go. */
const makeFleet = Effect.gen(function* () {
  const real = yield* MemoryDirectory.make()
  let away = false
  const unavailable = Effect.fail(refused("Unavailable", "the directory is away"))
  const gated = <A>(asked: Effect.Effect<A, DirectoryError>) =>
    Effect.suspend(() => (away ? unavailable : asked))
  const directory: DirectoryService = {
    announce: (said) => gated(real.announce(said)),
    renew: (host) => gated(real.renew(host)),
    drain: (hostId, draining) => gated(real.drain(hostId, draining)),
    claim: (claim) => gated(real.claim(claim)),
    confirm: (session) => gated(real.confirm(session)),
    lookup: (sessionId) => gated(real.lookup(sessionId)),
    end: (session, ending) => gated(real.end(session, ending)),
    list: (query) => gated(real.list(query)),
    watch: real.watch,
  }
  let ids = 0
  const sessionIds = { next: Effect.sync(() => `id-${(ids += 1)}`) }
  const routers = new Map<string, { readonly router: Router.Router; readonly scope: Scope.CloseableScope }>()
  const outer = yield* Effect.scope

  /** A connection to a router, which `serve` serves. */
  const open = (
    name: string,
    serve: (router: Router.Router, transport: Transport) => ReturnType<Router.Router["serveHost"]>,
  ) =>
    Effect.gen(function* () {
      const found = routers.get(name)
      if (found === undefined) return yield* unreachable
      const ends = yield* Scope.fork(found.scope, { _tag: "Sequential" })
      const [near, far] = yield* Scope.extend(Memory.makePair(), ends)
      yield* Effect.addFinalizer(() => Scope.close(ends, Exit.void))
      yield* serve(found.router, far).pipe(
        quiet,
        Effect.ensuring(far.close),
        Effect.scoped,
        Effect.forkIn(ends),
      )
      return near
    })

  const startRouter = (name: string, quota?: number) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer, { _tag: "Sequential" })
      const router = yield* Router.make({
        address: name,
        quota,
        keyOf: (id) => `key-of-${id}`,
        openRouter: (address) => open(address, (other, far) => other.serveHop(far)),
      }).pipe(
        Effect.provideService(Directory, directory),
        Effect.provideService(SessionIds, sessionIds),
        Scope.extend(scope),
      )
      routers.set(name, { router, scope })
      return router
    })
  const killRouter = (name: string) =>
    Effect.suspend(() => {
      const { scope } = routers.get(name) ?? {}
      routers.delete(name)
      return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
    })

  const epochs = new Map<string, number>()
  const startHost = (hostId: string, doors: ReadonlyArray<string>, labels = {}) =>
    Effect.gen(function* () {
      const scope = yield* Scope.fork(outer, { _tag: "Sequential" })
      const server = yield* Scope.extend(TestServer.make(), scope)
      const options = {
        hostId,
        labels,
        capacity: 100,
        nextEpoch: (above: number) =>
          Effect.sync(() => {
            const epoch = Math.max(above, epochs.get(hostId) ?? 0) + 1
            epochs.set(hostId, epoch)
            return epoch
          }),
        doors: doors.map((name) => ({
          name,
          tunnel: open(name, (router, far) => router.serveHost(far)),
          dial: (connection: string) => open(name, (router, far) => router.serveDialled(far, connection)),
        })),
      }
      yield* HostLink.run(options, (transport) => server.serve(transport)).pipe(quiet, Effect.forkIn(scope))
      return { fake: server.fake, stop: Scope.close(scope, Exit.void) }
    })

  const connect = (
    names: readonly [string, ...ReadonlyArray<string>],
    wish: Partial<Router.Wish> = {},
    options: ExecClient.Options = {},
  ) => {
    const whole = { tenant: "t", labels: {}, ...wish }
    const [first, ...others] = names.map((name) =>
      open(name, (router, far) => router.serveClient(far, whole)),
    )
    return ExecClient.make(Addresses.inTurn([first!, ...others]), { reconnect: {}, ...options })
  }
  const setAway = (now: boolean) => {
    away = now
  }
  return { directory: real, startRouter, killRouter, startHost, connect, setAway, routers }
})

describe("a fleet", () => {
  it(
    "starts a session on a host that has the labels, and carries its frames",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* makeFleet
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
    }),
  )

  it(
    "brings clients back by another router when one dies, over one hop if need be",
    effect(function* () {
      const { startRouter, killRouter, startHost, connect, routers } = yield* makeFleet
      yield* startRouter("r1")
      yield* startRouter("r2")
      yield* startRouter("r3")
      const { fake } = yield* startHost("a", ["r1", "r2"])
      yield* settle
      const client = yield* connect(["r1", "r3"])
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const reading = yield* Effect.fork(eventsOf(process))
      for (let n = 0; n < 5; n++) child.output("stdout", `${n} `)
      yield* killRouter("r1")
      for (let n = 5; n < 10; n++) child.output("stdout", `${n} `)
      yield* elapse(10_000)
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
    "goes on while the directory is away: sessions run, resumes work, starts are refused with words",
    effect(function* () {
      const { startRouter, startHost, connect, setAway, killRouter, directory } = yield* makeFleet
      yield* startRouter("r1")
      yield* startRouter("r2")
      const { fake } = yield* startHost("a", ["r1", "r2"])
      yield* settle
      const client = yield* connect(["r1", "r2"])
      const process = yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      setAway(true)
      yield* elapse(30_000)
      const refusal = yield* Effect.flip(connect(["r2"]))
      expect(refusal.message).toContain("no session can be started now: the directory is away")
      yield* killRouter("r1")
      yield* elapse(3_000)
      child.output("stdout", "still here")
      child.finish()
      expect((yield* eventsOf(process)).map(({ kind }) => kind)).toEqual(["output", "exited", "closed"])
      setAway(false)
      yield* elapse(20_000)
      const { hosts, sessions } = yield* directory.list()
      expect([hosts.length, sessions.length]).toEqual([1, 1])
      expect(hosts[0]).toMatchObject({ state: "up", epoch: 1, address: "r2" })
      yield* connect(["r2"])
    }),
  )

  it(
    "tells that a session has ended with its host, and never attaches it to the next start",
    effect(function* () {
      const { startRouter, startHost, connect } = yield* makeFleet
      yield* startRouter("r1")
      const first = yield* startHost("a", ["r1"])
      yield* settle
      const client = yield* connect(["r1"])
      yield* client.start({ argv: ["x"] })
      const ending = yield* Effect.fork(client.disconnected)
      yield* first.stop
      yield* elapse(2_000)
      yield* startHost("a", ["r1"])
      yield* elapse(20_000)
      expect((yield* Fiber.join(ending)).message).toMatch(/has ended: (host restarted|closed)/)
    }),
  )

  it(
    "waits for a lost host, and ends what was fenced when it comes back too late",
    effect(function* () {
      const { startRouter, killRouter, startHost, connect, directory } = yield* makeFleet
      yield* startRouter("r1")
      const { fake } = yield* startHost("a", ["r1"])
      yield* settle
      const client = yield* connect(["r1"], {}, { reconnect: { window: "1 hour" } })
      yield* client.start({ argv: ["x"] })
      const child = yield* fake.next
      const ending = yield* Effect.fork(client.disconnected)
      yield* killRouter("r1")
      yield* elapse(60_000)
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "lost" }])
      expect(child.signals).toEqual([])
      yield* elapse(300_000)
      expect(child.signals).toEqual([])
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "gone" }])
      yield* startRouter("r1")
      yield* elapse(20_000)
      expect((yield* Fiber.join(ending)).message).toMatch(/has ended: host gone|unknown session id/)
      expect((yield* directory.list()).hosts).toMatchObject([{ state: "up", epoch: 2, used: 0 }])
    }),
  )

  it(
    "counts the quota of a tenant, and shows nobody the sessions of another",
    effect(function* () {
      const { startRouter, startHost, connect, directory } = yield* makeFleet
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
      const { startRouter, startHost, connect, directory } = yield* makeFleet
      yield* startRouter("r1", 1)
      yield* startHost("a", ["r1"])
      yield* settle
      const scope = yield* Scope.make()
      yield* Scope.extend(connect(["r1"]), scope)
      yield* settle
      expect((yield* directory.list()).sessions.length).toBe(1)
      yield* Scope.close(scope, Exit.void)
      yield* elapse(90_000)
      expect((yield* directory.list()).sessions.length).toBe(0)
      yield* connect(["r1"])
    }),
  )
})
