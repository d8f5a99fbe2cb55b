/**
 * The invariants of core/README.md that no single folder holds alone. The others are tested in the folder that holds
 * them; `grep "invariant N"` finds each.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as TestServer from "../testing/TestServer.ts"
import { closeMillis } from "../process/ChildScope.ts"
import * as ProcessRegistry from "../process/ProcessRegistry.ts"
import * as Fake from "../spawn/Fake.ts"
import { Spawner, type SpawnSpec } from "../spawn/Spawner.ts"
import { effect, pass, settle } from "../testing/Effects.ts"
import type { Transport } from "../transport/Transport.ts"

const spec: SpawnSpec = { argv: ["a"], cwd: "/", env: {}, stdio: { kind: "pipe", stdin: true } }

interface Received {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly processId: string; readonly seq: number }
}

const send = (transport: Transport, ...messages: ReadonlyArray<object>) => {
  for (const message of messages) transport.write(JSON.stringify(message))
}

const received = (transport: Transport) =>
  Effect.gen(function* () {
    yield* settle
    if ((transport.incoming.size() ?? 0) === 0) return []
    return (yield* Effect.orDie(transport.incoming.takeAll))[0].map((text) => JSON.parse(text) as Received)
  })

const handshake = [{ id: 0, method: "initialize", params: { clientName: "x" } }, { method: "initialized" }]
const startOf = (id: number, processId: string, argv = ["a"]) => ({
  id,
  method: "process/start",
  params: { processId, argv, cwd: "file:///tmp", env: {}, tty: false, pipeStdin: true },
})

describe("Invariants", () => {
  // guards: one-buffer
  it(
    "invariant 1: one buffer, on which notifier, long poll, resumed client and agent are cursors",
    effect(function* () {
      const fake = yield* Fake.make()
      const registry = yield* ProcessRegistry.make(
        yield* Effect.provide(Spawner, fake.layer),
        ProcessRegistry.defaultOptions,
      )
      const process = yield* registry.start("p", spec)
      const readers = Array.from({ length: 50 }, () => process.attach(0))
      process.release()
      for (let index = 0; index < 16; index++)
        fake.children[0]?.output("stdout", new Uint8Array(8192).fill(index))
      const { bytes, reserved } = process.log.size()
      expect(bytes).toBe(16 * 8192)
      expect(reserved).toBeLessThan(3 * bytes)
      const buffers = new Set<unknown>()
      for (const reader of readers) {
        const event = reader.next()
        if (event?.kind === "output") buffers.add(event.bytes.buffer)
      }
      expect(buffers.size).toBe(1)
      expect(
        (yield* registry.read("p", { afterSeq: 0, maxBytes: Infinity, waitMillis: 0 })).chunks.length,
      ).toBe(16)
    }),
  )

  // guards: order
  it("invariant 2: on one connection notifications leave in seq order, behind the start, output before exited", () => {
    const step = fc.record({
      process: fc.nat(2),
      what: fc.constantFrom("stdout", "stderr", "exit", "end", "yield", "quiet"),
    })
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) =>
        effect(function* () {
          const { fake, connect } = yield* TestServer.make()
          const transport = yield* connect
          send(transport, ...handshake, ...[1, 2, 3].map((id) => startOf(id, `p${id}`)))
          const messages = [...(yield* received(transport))]
          const quiet = new Set<number>()
          for (const { process, what } of steps) {
            const child = fake.children[process]
            if (what === "stdout" || what === "stderr") child?.output(what, "x")
            else if (what === "exit") child?.exit(0)
            else if (what === "end") child?.end("stdout")
            else if (what === "yield") yield* Effect.yieldNow
            else yield* pass(30)
            if (what === "quiet") [0, 1, 2].forEach((index) => quiet.add(index))
          }
          for (const child of fake.children) child.finish(0)
          messages.push(...(yield* received(transport)))
          for (const [index, processId] of ["p1", "p2", "p3"].entries()) {
            const begun = messages.findIndex(({ id }) => id === index + 1)
            const events = messages.filter(({ params }) => params?.processId === processId)
            expect(events.map(({ params }) => params?.seq)).toEqual(events.map((_, position) => position + 1))
            expect(messages.findIndex(({ params }) => params?.processId === processId)).toBeGreaterThan(begun)
            const methods = events.map(({ method }) => method)
            expect(methods.at(-1)).toBe("process/closed")
            if (quiet.size === 0) expect(methods.at(-2)).toBe("process/exited")
          }
        })(),
      ),
      { numRuns: 60 },
    )
  })

  // guards: scopes
  it(
    "invariant 9: closing a scope is idempotent and has a deadline, even over a child that does not go",
    effect(function* () {
      const hanging = Layer.succeed(Spawner, {
        capabilities: Fake.allCapabilities,
        spawn: (spec, events) =>
          Effect.as(
            Effect.addFinalizer(() => Effect.never),
            new Fake.FakeChild(1, spec, events).handle(Fake.allCapabilities),
          ),
      })
      const scope = yield* Scope.make()
      const registry = yield* Scope.provide(
        ProcessRegistry.make(yield* Effect.provide(Spawner, hanging), ProcessRegistry.defaultOptions),
        scope,
      )
      yield* registry.start("p", spec)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* pass(closeMillis - 1)
      expect(closing.pollUnsafe()).toBeUndefined()
      yield* pass(1)
      expect(closing.pollUnsafe()).toBeDefined()
      yield* Scope.close(scope, Exit.void)
    }),
  )

  // guards: clean-stdout
  it(
    "invariant 10: no payload bytes above debug level in logs",
    effect(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message, cause }) => void logged.push(JSON.stringify([message, cause])))
      const secret = "hunter2"
      yield* Effect.gen(function* () {
        const { fake, connect } = yield* TestServer.make()
        const transport = yield* connect
        send(transport, ...handshake, startOf(1, secret, [secret]))
        yield* settle
        fake.children[0]?.output("stdout", secret)
        const chunk = btoa(secret)
        send(transport, {
          id: 2,
          method: "process/write",
          params: { processId: secret, chunk, writeId: secret },
        })
        send(transport, { id: 3, method: secret }, { id: secret }, { method: secret })
        yield* received(transport)
        yield* pass(100_000)
      }).pipe(
        Effect.scoped,
        Effect.provideService(References.MinimumLogLevel, "Info"),
        Effect.provide(Logger.layer([logger])),
      )
      expect(logged.filter((line) => line.includes(secret) || line.includes(btoa(secret)))).toEqual([])
    }),
  )
})
