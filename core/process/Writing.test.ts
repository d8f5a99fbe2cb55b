// ProcessRegistry.write: Control.write and StdinQueue behind the registry.
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../testing/Effects.ts"
import { begin, bytes, noStdin, now, pipe } from "./testing/Registry.ts"

describe("ProcessRegistry.write", () => {
  it(
    "writes in order, and a known writeId once",
    effect(function* () {
      const { registry, child } = yield* begin()
      for (const [text, id] of [
        ["a", "1"],
        ["b", "2"],
        ["A", "1"],
        ["", "3"],
        ["c", undefined],
        ["c", undefined],
      ] as const) {
        expect(yield* registry.write("p", bytes(text), id)).toBe("accepted")
      }
      yield* settle
      expect(child.written).toBe("abcc")
    }),
  )

  it(
    "remembers the last 4,096 write ids and not one more",
    effect(function* () {
      const { registry, child } = yield* begin()
      for (let index = 0; index < 4200; index++) yield* registry.write("p", bytes("x"), `w${index}`)
      yield* registry.write("p", bytes("y"), "w104")
      yield* settle
      expect(child.written).not.toContain("y")
      yield* registry.write("p", bytes("z"), "w103")
      yield* settle
      expect(child.written).toContain("z")
    }),
  )

  it(
    "reports an unknown process and one without stdin, also after its end",
    effect(function* () {
      const { registry, child } = yield* begin({}, noStdin)
      expect(yield* registry.write("nope", bytes("x"), "w")).toBe("unknownProcess")
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("stdinClosed")
      child.finish()
      yield* settle
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("stdinClosed")
    }),
  )

  it(
    "has a stdin on a PTY",
    effect(function* () {
      const { registry, child } = yield* begin(
        {},
        { ...pipe, stdio: { kind: "pty", size: { rows: 24, columns: 80 } } },
      )
      expect(yield* registry.write("p", bytes("\u0004"), "w")).toBe("accepted")
      yield* settle
      expect(child.written).toBe("\u0004")
    }),
  )

  it(
    "accepts and drops what comes after a natural exit",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.finish()
      yield* settle
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
      expect(child.written).toBe("")
    }),
  )

  it(
    "accepts and drops what is written to a child that has closed its stdin",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.closeStdin()
      expect(yield* registry.write("p", bytes("x"), "w")).toBe("accepted")
      expect(yield* registry.write("p", bytes("x"), "v")).toBe("accepted")
    }),
  )

  it(
    "fails after terminate, except for a known writeId",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.mortal = false
      yield* registry.write("p", bytes("x"), "known")
      yield* registry.terminate("p")
      expect(yield* Effect.flip(registry.write("p", bytes("y"), "new"))).toMatchObject({
        reason: "StdinGone",
      })
      expect(yield* Effect.flip(registry.write("p", bytes("y"), undefined))).toMatchObject({
        reason: "StdinGone",
      })
      expect(yield* registry.write("p", bytes("y"), "known")).toBe("accepted")
      yield* settle
      expect(child.written).toBe("x")
    }),
  )

  it(
    "queues 128 writes to a child that does not read, then waits without delaying others",
    effect(function* () {
      const { registry, child } = yield* begin()
      child.stall()
      // One is on its way into the child, 128 wait behind it.
      for (let index = 0; index < 129; index++)
        expect(yield* registry.write("p", bytes("x"), `${index}`)).toBe("accepted")
      const blocked = yield* Effect.forkChild(registry.write("p", bytes("y"), "y"))
      const same = yield* Effect.forkChild(registry.write("p", bytes("y"), "y"))
      yield* pass(1000)
      expect(blocked.pollUnsafe()).toBeUndefined()
      expect((yield* registry.read("p", now)).nextSeq).toBe(1)
      child.read()
      expect(yield* Fiber.join(blocked)).toBe("accepted")
      expect(yield* Fiber.join(same)).toBe("accepted")
      yield* settle
      expect(child.written).toBe(`${"x".repeat(129)}y`)
    }),
  )

  it(
    "lets blocked writes go when the process ends or is terminated",
    effect(function* () {
      for (const end of ["finish", "terminate"] as const) {
        const { registry, child } = yield* begin()
        child.stall()
        for (let index = 0; index < 129; index++) yield* registry.write("p", bytes("x"), `${index}`)
        const blocked = yield* Effect.forkChild(registry.write("p", bytes("y"), "y"))
        yield* settle
        if (end === "finish") child.finish()
        else yield* registry.terminate("p")
        expect(yield* Fiber.join(blocked)).toBe("accepted")
      }
    }),
  )
})
