/** The directory suite on a real PostgreSQL, and what a directory in it does while PostgreSQL is away. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { DirectorySuite } from "../../../conformance/directory/index.ts"
import type { DirectoryService } from "../../../core/directory/Directory.ts"
import * as PostgresDirectory from "./PostgresDirectory.ts"
import { ask, atLast, host, hour, patient, refusal, tellsOf, until } from "./testing/Asking.ts"
import { lacking, PostgresServer } from "./testing/PostgresServer.ts"

const title = lacking === undefined ? "on PostgreSQL" : `on PostgreSQL, skipped: ${lacking}`
describe.skipIf(lacking !== undefined)(title, { tags: ["postgresql"] }, () => {
  let server: PostgresServer
  let schemas = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.remove())

  const schema = () => `s${++schemas}`
  const open = async (options: Partial<PostgresDirectory.PostgresOptions>): Promise<DirectoryService> => {
    const scope = Effect.runSync(Scope.make())
    onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
    const made = PostgresDirectory.make({ url: server.url, connections: 4, ...patient, ...options })
    return Effect.runPromise(Scope.provide(made, scope))
  }
  DirectorySuite.suite("a directory in PostgreSQL", (options) =>
    Effect.succeed(PostgresDirectory.make({ url: server.url, connections: 4, ...options, schema: schema() })),
  )

  test("200 races of two for the last place of a quota: one is granted each time", async () => {
    const name = schema()
    const [one, other] = [await open({ schema: name }), await open({ schema: name })]
    await ask(one.announce(host("a")))
    for (let round = 0; round < 200; round++) {
      const claims = [one, other].map((directory, by) =>
        ask(Effect.result(directory.claim({ sessionId: `s-${round}-${by}`, tenant: `t${round}`, quota: 1 }))),
      )
      const got = await Promise.all(claims)
      const told = got.map((each) => (each._tag === "Success" ? "granted" : each.failure.reason))
      expect(told.sort()).toEqual(["QuotaExceeded", "granted"])
    }
    expect((await ask(one.list({ hostId: "a" }))).hosts[0]?.used).toBe(200)
  })

  test.skipIf("Bun" in globalThis || "Deno" in globalThis)(
    "a host that was frozen past its lease and thaws is refused, and its session has one owner (on Node)",
    async () => {
      const name = schema()
      const options = { ...patient, url: server.url, schema: name }
      const one = await open({ schema: name })
      const program = fileURLToPath(new URL("testing/frozen-host.mjs", import.meta.url))
      const child = spawn(process.execPath, [program, JSON.stringify(options)], {
        stdio: ["pipe", "pipe", "inherit"],
      })
      onTestFinished(() => void child.kill("SIGKILL"))
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toBe('"running"')
      child.kill("SIGSTOP")
      await until(one, (change) => change.kind === "host" && change.host.state === "gone")
      expect((await ask(one.lookup("s"))).session.ending).toBe("host gone")
      await ask(one.announce(host("b")))
      const session = await ask(one.claim({ sessionId: "s", tenant: "t" }))
      await ask(one.confirm(session))
      child.kill("SIGCONT")
      const told = JSON.parse((await lines.next()).value ?? "null")
      expect(told).toEqual({ refusals: ["Fenced", "Fenced", "Fenced", "Fenced"], over: ["s"] })
      const found = await ask(one.lookup("s"))
      expect([found.session.hostId, found.session.fence, found.session.state]).toEqual([
        "b",
        session.fence,
        "running",
      ])
      const ended = once(child, "exit")
      child.stdin.end()
      await ended
    },
  )

  test("while it is stopped, all is Unavailable at the deadline; then all goes on, and nobody is lost", async () => {
    const name = schema()
    // The half second of silence is more than the lease, of which each look counts a millisecond at most.
    const brief = { schema: name, stepMillis: 1, leaseMillis: 400 }
    const [one, other] = [await open({ ...brief, deadlineMillis: 500 }), await open(brief)]
    await atLast(one.announce(host("a")))
    server.freeze()
    const claim = one.claim({ sessionId: "s", tenant: "t", quota: 1 })
    const refusals = await Promise.all([claim, one.lookup("s"), one.list()].map((each) => refusal(each)))
    server.thaw()
    expect(refusals.map(({ reason }) => reason)).toEqual(["Unavailable", "Unavailable", "Unavailable"])
    expect(refusals[0]?.message).toBe("the directory in PostgreSQL has not answered within 500 ms")
    const session = await atLast(claim)
    expect((await ask(other.lookup("s"))).session.fence).toBe(session.fence)
    expect((await ask(other.list())).hosts.map(({ state, used }) => [state, used])).toEqual([["up", 1]])
  })

  test("killed and started again: what was decided is there, claims fail in between, and watches go on", async () => {
    const name = schema()
    const one = await open({ schema: name })
    await ask(one.announce(host("a")))
    const before = await ask(one.claim({ sessionId: "before", tenant: "t" }))
    const after = until(one, tellsOf("after"))
    await until(one, tellsOf("before"))
    await server.kill()
    const words = await refusal(one.claim({ sessionId: "meanwhile", tenant: "t" }))
    expect(words.reason).toBe("Unavailable")
    expect(words.message).toContain("the directory in PostgreSQL cannot be asked: ")
    await server.begin()
    expect((await atLast(one.confirm(before))).state).toBe("running")
    expect((await atLast(one.renew(host("a")))).draining).toBe(false)
    await atLast(one.claim({ sessionId: "after", tenant: "t" }))
    expect(await after).toMatchObject({ value: { session: { sessionId: "after" } } })
    const { sessions } = await ask(one.list())
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["after", "before"])
  })

  test("connections that are cut, those that listen as well, are made again, and watches miss nothing", async () => {
    const name = schema()
    const [one, other] = [await open({ schema: name }), await open({ schema: name })]
    await ask(one.announce(host("a")))
    for (const round of ["first", "second"]) {
      const told = until(one, tellsOf(round))
      await server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()",
      )
      await atLast(other.claim({ sessionId: round, tenant: "t" }))
      expect(await told).toMatchObject({ value: { session: { sessionId: round } } })
    }
    expect((await atLast(one.list())).sessions.length).toBe(2)
  })

  test("a watch is told by a message of the database, long before the next look", async () => {
    const name = schema()
    const quiet = { schema: name, tickMillis: hour }
    const [one, other] = [await open(quiet), await open(quiet)]
    await ask(other.announce(host("a")))
    const told = until(one, tellsOf("s"))
    await until(one, (change) => change.kind === "host")
    await ask(other.claim({ sessionId: "s", tenant: "t" }))
    expect(await told).toMatchObject({ value: { session: { sessionId: "s" } } })
  })

  test("a schema of a later version is refused, and one that is there needs no right to make one", async () => {
    const name = schema()
    await open({ schema: name })
    await server.query(`create role guest login; grant usage on schema ${name} to guest;
      grant select, insert, update, delete on all tables in schema ${name} to guest`)
    const guest = await open({ schema: name, url: server.url.replace("procwire@", "guest@") })
    await ask(guest.announce(host("a")))
    await server.query(`insert into ${name}.migrations (migration_id, name) values (7, 'of the future')`)
    const words = await refusal(Effect.scoped(PostgresDirectory.make({ url: server.url, schema: name })))
    expect(words.reason).toBe("WrongVersion")
    expect(words.message).toContain(`${name} has version 7, and this program knows versions up to 1`)
  })

  test("a database that cannot be reached is Unavailable", async () => {
    const url = server.url.replace("/postgres", "/none")
    const words = await refusal(Effect.scoped(PostgresDirectory.make({ url })))
    expect(words.reason).toBe("Unavailable")
  })
})
