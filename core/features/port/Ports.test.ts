/** Tests `process/port` on a server whose evidence and listeners are scripted: sharing, ends, refusals. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { error, handshake, ready, start } from "../../server/testing/Client.ts"
import * as Evidence from "../../spawn/ProcessEvidence.ts"
import * as Ports from "../../spawn/ProcessPorts.ts"
import { effect, settle } from "../../testing/Effects.ts"
import { mostPorts } from "./Forwards.ts"

/** A server whose processes listen on all ports but those that `answer` knows; listeners count from 4001. */
const serve = (answer: (port: number) => Evidence.Port | undefined = () => undefined, fails?: string) =>
  Effect.gen(function* () {
    const open = new Map<number, Deferred.Deferred<void>>()
    const asked: Array<readonly [pid: number, port: number]> = []
    let made = 4000
    const evidence: Evidence.ProcessEvidenceService = {
      ...Evidence.unknown,
      tells: { input: false, port: true },
      port: ({ pid }, port) => {
        asked.push([pid, port])
        return Effect.succeed(answer(port) ?? { kind: "yes", pid, host: "127.0.0.1", port })
      },
    }
    const ports: Ports.ProcessPortsService = {
      available: true,
      open: (look) =>
        Effect.gen(function* () {
          if (fails !== undefined) return yield* new Ports.PortError({ message: fails })
          expect((yield* look).kind).toBe("yes")
          const port = (made += 1)
          const idle = Deferred.makeUnsafe<void>()
          yield* Effect.acquireRelease(
            Effect.sync(() => open.set(port, idle)),
            () => Effect.sync(() => open.delete(port)),
          )
          return { host: "127.0.0.1", port, idle: Deferred.await(idle) }
        }),
    }
    const server = yield* ready({}, { scope: "control" }).pipe(
      Effect.provideService(Evidence.ProcessEvidence, evidence),
      Effect.provideService(Ports.ProcessPorts, ports),
    )
    const ask = (port: number, processId = "p", client = server.client) =>
      client.ask("process/port", { processId, port })
    return { ...server, ask, open, asked }
  })

const at = (port: number) => expect.objectContaining({ result: { host: "127.0.0.1", port } })

describe("process/port", () => {
  it(
    "opens one listener for a port of a process, whoever asks, and closes it with the process",
    effect(function* () {
      const { client, connect, fake, ask, open, asked } = yield* serve()
      yield* client.ask("process/start", start("p"))
      yield* client.ask("process/start", start("q"))
      const [p, q] = [yield* fake.next, yield* fake.next]
      expect(yield* ask(80)).toEqual(at(4001))
      expect(yield* ask(80)).toEqual(at(4001))
      expect(yield* ask(81)).toEqual(at(4002))
      expect(yield* ask(80, "q")).toEqual(at(4003))
      expect(asked.map(([pid]) => pid)).toEqual([p.pid, p.pid, p.pid, p.pid, p.pid, q.pid, q.pid])
      const other = yield* connect
      yield* handshake(other)
      const taken = { session: 1, processId: "p", as: "a", role: "writer", take: true }
      other.send({ id: 1, method: "process/attach", params: taken })
      yield* other.received
      yield* client.received
      expect(yield* ask(80, "a", other)).toEqual(at(4001))
      expect((yield* ask(80)).error?.message).toContain("is written to by another client")
      p.finish(0)
      yield* settle
      expect([...open.keys()]).toEqual([4003])
      yield* other.received
      expect(yield* ask(80, "a", other)).toMatchObject(
        error(-32600, "nothing listens on port 80 within the process"),
      )
    }),
  )

  it(
    "is refused to a viewer",
    effect(function* () {
      const { client, connect, ask, open } = yield* serve()
      yield* client.ask("process/start", start("p"))
      const viewer = yield* connect
      yield* handshake(viewer)
      yield* viewer.ask("process/attach", { session: 1, processId: "p", as: "v" })
      expect((yield* ask(80, "v", viewer)).error?.message).toContain("is attached as a viewer")
      expect(open.size).toBe(0)
    }),
  )

  it(
    "opens another listener when the one before has had nobody for a while",
    effect(function* () {
      const { client, ask, open } = yield* serve()
      yield* client.ask("process/start", start("p"))
      yield* ask(80)
      yield* Deferred.succeed(open.get(4001)!, undefined)
      yield* settle
      expect(open.size).toBe(0)
      expect(yield* ask(80)).toEqual(at(4002))
    }),
  )

  it(
    "says why there is no way",
    effect(function* () {
      const answers = new Map<number, Evidence.Port>([
        [1, { kind: "no" }],
        [2, { kind: "unknown", why: "it is dark" }],
      ])
      const { client, ask } = yield* serve((port) => answers.get(port))
      yield* client.ask("process/start", start("p"))
      for (const [port, code, message] of [
        [0, -32602, "port must not be 0"],
        [1, -32600, "nothing listens on port 1 within the process"],
        [2, -32600, "nothing is known of port 2 of the process: it is dark"],
      ] as const)
        expect(yield* ask(port)).toMatchObject(error(code, message))
      expect((yield* ask(80, "none")).error?.message).toBe("unknown process id none")
      const without = yield* serve(undefined, "nsenter is missing")
      yield* without.client.ask("process/start", start("p"))
      expect(yield* without.ask(80)).toMatchObject(
        error(-32600, "port 80 of the process cannot be reached: nsenter is missing"),
      )
    }),
  )

  it(
    "has a bound on the ports of a process",
    effect(function* () {
      const { client, ask, open } = yield* serve()
      yield* client.ask("process/start", start("p"))
      for (let port = 1; port <= mostPorts; port++) yield* ask(port)
      expect((yield* ask(mostPorts + 1)).error?.message).toContain("which is the limit")
      expect(yield* ask(mostPorts)).toEqual(at(4000 + mostPorts))
      expect(open.size).toBe(mostPorts)
    }),
  )
})
