/** Tests ExecServer.ts: `restart` of `process/start`, and `process/restart`. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { FakeChild } from "../../spawn/Fake.ts"
import { effect, pass, settle } from "../../testing/Effects.ts"
import { type Client, error, event, ready, type Received, start } from "../../server/testing/Client.ts"

const begin = (restart: object, params: object = {}) =>
  Effect.gen(function* () {
    const { client, fake } = yield* ready({}, { scope: "control" })
    yield* client.ask("process/start", start("p", { restart, ...params }))
    const first = yield* fake.next
    return { client, fake, first }
  })

const end = (child: FakeChild, code: number) => {
  child.end("stdout")
  child.end("stderr")
  child.exit({ kind: "exited", code })
}

const rowOf = (client: Client) =>
  Effect.map(
    client.ask("process/list", {}),
    ({ result }) => (result as { processes: Array<object> }).processes[0],
  )

const told = (all: ReadonlyArray<Received>) => all.map((one) => one.result ?? event(one))

const news = (client: Client) => Effect.map(client.received, (all) => all.map(event))

describe("a process that is restarted by its policy", () => {
  it(
    "goes on with another child, in one log, and exits with the last one",
    effect(function* () {
      const { client, fake, first } = yield* begin({ policy: "onFailure", most: 1 })
      first.output("stdout", "one")
      expect(yield* news(client)).toEqual(["output 1"])
      end(first, 3)
      yield* settle
      expect([yield* news(client), first.kills, first.released, fake.children.length]).toEqual([
        [],
        1,
        true,
        1,
      ])
      expect(yield* rowOf(client)).toMatchObject({ state: "running", pid: null, restarts: 0 })
      yield* pass(100)
      const second = yield* fake.next
      expect(second.spec).toEqual(first.spec)
      expect(yield* rowOf(client)).toMatchObject({ state: "running", pid: second.pid, restarts: 1 })
      second.output("stdout", "two")
      end(second, 4)
      expect(yield* news(client)).toEqual(["output 2", "exited 3", "closed 4"])
      expect(yield* rowOf(client)).toMatchObject({ state: "closed", exitCode: 4, restarts: 1 })
    }),
  )

  it(
    "waits longer each time, and as at first behind a child that has run for 10 seconds",
    effect(function* () {
      const { fake, first } = yield* begin({ policy: "always" })
      const pauses = []
      let child = first
      for (const ranMillis of [0, 0, 0, 9999, 10_000, 0]) {
        yield* pass(ranMillis)
        end(child, 0)
        yield* settle
        let pause = 0
        const before = fake.children.length
        for (; fake.children.length === before; pause += 100) yield* pass(100)
        pauses.push(pause)
        child = yield* fake.next
      }
      expect(pauses).toEqual([100, 200, 400, 800, 100, 200])
    }),
  )

  it(
    "ends for good by SIGTERM, by a kill, and between two children, but not by other signals",
    effect(function* () {
      for (const [method, params] of [
        ["process/signal", { signal: "terminate" }],
        ["process/terminate", {}],
        ["process/terminate", { graceMs: 1000 }],
      ] as const) {
        const { client, fake, first } = yield* begin({ policy: "always" })
        client.send({ id: 9, method, params: { processId: "p", ...params } })
        yield* settle
        if (first.kills === 0) end(first, 143)
        expect(told(yield* client.received)).toEqual(expect.arrayContaining(["exited 1", "closed 2"]))
        yield* pass(60_000)
        expect(fake.children).toHaveLength(1)
      }
      const { client, fake, first } = yield* begin({ policy: "always" })
      end(first, 1)
      yield* settle
      client.send({ id: 9, method: "process/terminate", params: { processId: "p" } })
      expect(told(yield* client.received)).toEqual(
        expect.arrayContaining(["exited 1", "closed 2", { running: true }]),
      )
      yield* pass(60_000)
      expect(fake.children).toHaveLength(1)
      const other = yield* begin({ policy: "onFailure" })
      yield* other.client.ask("process/signal", { processId: "p", signal: "SIGHUP" })
      other.first.end("stdout")
      other.first.end("stderr")
      other.first.exit({ kind: "signaled", signal: 1 })
      yield* pass(100)
      yield* other.fake.next
    }),
  )

  it(
    "takes what is written between two children to the next one, and its terminal keeps its size",
    effect(function* () {
      const { client, fake, first } = yield* begin({ policy: "always" }, { tty: true })
      yield* client.ask("process/resize", { processId: "p", rows: 9, columns: 99 })
      first.end("pty")
      first.exit({ kind: "exited", code: 0 })
      yield* settle
      yield* client.ask("process/write", { processId: "p", chunk: btoa("late"), writeId: "w" })
      yield* pass(100)
      const second = yield* fake.next
      yield* settle
      expect(second.writes.map((bytes) => new TextDecoder().decode(bytes))).toEqual(["late"])
      expect(second.spec.stdio).toEqual({ kind: "pty", size: { rows: 9, columns: 99 } })
    }),
  )
})

describe("process/restart", () => {
  it(
    "asks the child to end, kills it after the grace, and is answered when the next one runs",
    effect(function* () {
      const { client, fake, first } = yield* begin({ policy: "no" })
      client.send({ id: 7, method: "process/restart", params: { processId: "p", graceMs: 500 } })
      yield* settle
      expect(first.signals).toEqual(["SIGTERM", "SIGCONT"])
      yield* pass(499)
      expect([first.kills, yield* client.received]).toEqual([0, []])
      yield* pass(1)
      yield* settle
      const second = yield* fake.next
      expect(first.kills).toBeGreaterThan(0)
      expect(yield* client.received).toEqual([{ id: 7, result: {} }])
      expect(yield* rowOf(client)).toMatchObject({ pid: second.pid, restarts: 1 })
      end(second, 0)
      expect(yield* news(client)).toEqual(["exited 1", "closed 2"])
    }),
  )

  it(
    "replaces a process that is closed by one of the same id and names, which its session keeps",
    effect(function* () {
      const { client, fake, first } = yield* begin(
        { policy: "no" },
        { name: "web", labels: { k: "v" }, keep: true },
      )
      end(first, 1)
      expect(yield* news(client)).toEqual(["exited 1", "closed 2"])
      client.send({ id: 7, method: "process/restart", params: { processId: "p" } })
      const second = yield* fake.next
      yield* settle
      expect(yield* client.received).toEqual([{ id: 7, result: {} }])
      second.output("stdout", "new")
      expect(yield* rowOf(client)).toMatchObject({ name: "web", labels: { k: "v" }, nextSeq: 2, kept: true })
      expect(yield* client.ask("process/read", { processId: "p" })).toMatchObject({ result: { nextSeq: 2 } })
    }),
  )

  it(
    "is refused where it was not asked for, and while a process is ending",
    effect(function* () {
      const { client } = yield* ready()
      yield* client.ask("process/start", start("p"))
      expect(yield* client.ask("process/restart", { processId: "p" })).toMatchObject(
        error(-32600, "process p cannot be restarted: ask for that with `restart` of process/start"),
      )
      const other = yield* begin({ policy: "always" })
      yield* other.client.ask("process/signal", { processId: "p", signal: "terminate" })
      expect(yield* other.client.ask("process/restart", { processId: "p" })).toMatchObject(
        error(-32600, "process p is ending: wait until it is closed"),
      )
    }),
  )
})
