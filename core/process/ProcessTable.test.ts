import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import * as OutputLog from "./OutputLog.ts"
import { Process } from "./Process.ts"
import { ProcessError } from "./ProcessError.ts"
import { ProcessTable } from "./ProcessTable.ts"

const aProcess = (id = "p") =>
  new Process(id, { stdio: { kind: "pipe", stdin: false } }, OutputLog.defaultCapacity)
const facts = { argv: ["a"] as const, cwd: "/", startedAtMs: 0 }
const failure = Exit.fail(new ProcessError({ reason: "StartCancelled", processId: "p" }))

describe("ProcessTable", () => {
  it(
    "lets requests wait for the start, and runs them in the order of their arrival",
    effect(function* () {
      const table = new ProcessTable()
      const entry = table.reserve(aProcess(), facts)
      const order: Array<string> = []
      const fibers = yield* Effect.forEach(["a", "b", "c"], (name) =>
        Effect.forkChild(
          table.use("p", (process) => Effect.sync(() => order.push(`${name} ${process?.id}`))),
        ),
      )
      table.each((process, fresh) => order.push(`each ${process.id} ${fresh}`))
      yield* settle
      expect(order).toEqual([])
      yield* Fiber.interrupt(fibers[1]!)
      table.decide(entry, Exit.succeed(entry.process))
      yield* Fiber.joinAll([fibers[0]!, fibers[2]!])
      table.each((process, fresh) => order.push(`each ${process.id} ${fresh}`))
      expect(order).toEqual(["each p true", "a p", "c p", "each p false"])
    }),
  )

  it(
    "invariant 6: frees the id of a failed start before the requests that waited for it run",
    effect(function* () {
      const table = new ProcessTable()
      const entry = table.reserve(aProcess(), facts)
      const waiting = yield* Effect.forkChild(
        table.use("p", (process) => Effect.sync(() => [process, table.get("p")])),
      )
      yield* settle
      table.decide(entry, failure)
      expect(yield* Fiber.join(waiting)).toEqual([undefined, undefined])
      expect(yield* Effect.exit(Deferred.await(entry.decided))).toEqual(failure)
    }),
  )

  it("decides a start once", () => {
    const table = new ProcessTable()
    const entry = table.reserve(aProcess(), facts)
    table.decide(entry, failure)
    table.decide(entry, Exit.succeed(entry.process))
    expect(entry.outcome).toBe(failure)
  })

  it("forgets the entry that it was asked to forget, and no later one of the same id", () => {
    const table = new ProcessTable()
    const first = table.reserve(aProcess(), facts)
    table.forget(first)
    const second = table.reserve(aProcess(), facts)
    table.forget(first)
    expect(table.get("p")).toBe(second)
    expect(table.processes()).toEqual([second.process])
  })
})
