/** Tests ExecServer.ts: `replayAfter` of `initialize`. */
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { error, event, make } from "./testing/Client.ts"
import { detached } from "./testing/Detached.ts"

describe("ExecServer replay", () => {
  it(
    "announces the capability",
    effect(function* () {
      const client = yield* (yield* make()).connect
      expect(yield* client.ask("initialize", { clientName: "x" })).toMatchObject({
        result: { environmentInfo: { capabilities: { sessionReplay: true } } },
      })
    }),
  )

  it(
    "sends missed events behind the answer, and then new ones, each once",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      for (const text of ["1", "2", "3"]) child.output("stdout", text)
      const { next, came } = yield* resume({ p: 1 })
      expect(came).toEqual(["answer", "output 2", "output 3"])
      child.output("stdout", "4")
      child.finish()
      expect((yield* next.received).map(event)).toEqual(["output 4", "exited 5", "closed 6"])
    }),
  )

  it(
    "sends missed exited and closed, and late output between them",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      child.output("stdout", "1")
      child.exit(3)
      yield* pass(1000)
      child.output("stdout", "late")
      child.end()
      expect((yield* resume({ p: 0 })).came).toEqual([
        "answer",
        "output 1",
        "exited 2",
        "output 3",
        "closed 4",
      ])
    }),
  )

  it(
    "sends the same again to each connection that asks for it, and nothing to one that has it all",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      child.output("stdout", "1")
      child.finish()
      for (const [after, expected] of [
        [0, ["output 1", "exited 2", "closed 3"]],
        [1, ["exited 2", "closed 3"]],
        [3, []],
      ] as const) {
        const { next, came } = yield* resume({ p: after })
        expect(came).toEqual(["answer", ...expected])
        yield* next.transport.close
        yield* settle
      }
    }),
  )

  it(
    "sends only new events for processes that are not named, and ignores unknown names",
    effect(function* () {
      const { child, others, resume } = yield* detached("p", "toString", "q")
      for (const one of [child, ...others]) one.output("stdout", "missed")
      const { next, came } = yield* resume({ nobody: 0, q: 0 })
      expect(came).toEqual(["answer", "output 1"])
      for (const one of [child, ...others]) one.output("stdout", "new")
      const pushed = yield* next.received
      expect(pushed.map(({ params }) => `${params?.processId} ${params?.seq}`)).toEqual([
        "p 2",
        "toString 2",
        "q 2",
      ])
    }),
  )

  it(
    "is ignored without a session to resume, and as null",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      child.output("stdout", "1")
      expect((yield* resume(null)).came).toEqual(["answer"])
      const client = yield* (yield* make()).connect
      expect(
        (yield* client.ask("initialize", { clientName: "x", replayAfter: { p: 3 } })).error,
      ).toBeUndefined()
    }),
  )

  it(
    "does not wait for a seq that does not exist yet",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      child.output("stdout", "1")
      const { next, came } = yield* resume({ p: 100 })
      expect(came).toEqual(["answer"])
      child.output("stdout", "2")
      expect((yield* next.received).map(event)).toEqual(["output 2"])
    }),
  )

  it(
    "shows by the first seq that the ring has evicted the beginning",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      for (let n = 0; n < 40; n++) child.output("stdout", new Uint8Array(64 * 1024))
      child.finish()
      const { came } = yield* resume({ p: 3 })
      expect(came).toEqual([
        "answer",
        ...Array.from({ length: 16 }, (_, n) => `output ${n + 25}`),
        "exited 41",
        "closed 42",
      ])
    }),
  )

  it(
    "replays no faster than the peer reads, and loses nothing while the child goes on",
    effect(function* () {
      const { child, resume } = yield* detached("p")
      for (let n = 0; n < 16; n++) child.output("stdout", new Uint8Array(64 * 1024))
      const { next, came } = yield* resume({ p: 0 })
      expect(came.length).toBe(17)
      let printed = 16
      while (!child.paused && printed < 10_000) {
        child.output("stdout", new Uint8Array(64 * 1024))
        printed += 1
      }
      expect(child.paused).toBe(true)
      const seqs = (yield* next.received).map(({ params }) => params?.seq)
      expect(seqs).toEqual(Array.from({ length: printed - 16 }, (_, n) => n + 17))
    }),
  )

  it.each([{ p: -1 }, { p: 1.5 }, { p: "1" }, { p: null }, [1], "p", 5])(
    "refuses %j and leaves the session where it is",
    (replayAfter) =>
      effect(function* () {
        const { connect, resume, sessionId } = yield* detached("p")
        const other = yield* connect
        expect(
          yield* other.ask("initialize", { clientName: "x", resumeSessionId: sessionId, replayAfter }),
        ).toMatchObject({ error: { code: -32602 } })
        expect((yield* resume({ p: 0 })).came).toEqual(["answer"])
      })(),
  )

  it(
    "still accepts params as an array of two",
    effect(function* () {
      const client = yield* (yield* make()).connect
      expect(yield* client.ask("initialize", ["x", null])).toHaveProperty("result.sessionId")
      const other = yield* (yield* make()).connect
      expect(yield* other.ask("initialize", ["x", null, {}])).toMatchObject(
        error(-32602, "invalid length 3, expected fewer elements in array"),
      )
      expect(yield* other.ask("initialize", ["x"])).toHaveProperty("result.sessionId")
    }),
  )
})
