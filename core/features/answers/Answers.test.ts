import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { describe, expect, it } from "vitest"
import * as Fake from "../../spawn/Fake.ts"
import { Spawner, type SpawnSpec } from "../../spawn/Spawner.ts"
import { effect, settle } from "../../testing/Effects.ts"
import * as ProcessRegistry from "../../process/ProcessRegistry.ts"
import * as Features from "../Features.ts"
import * as Pictures from "../screen/Pictures.ts"
import { none, ScreenError, Terminals } from "../screen/Terminals.ts"
import { mostOffered } from "../../process/StdinQueue.ts"
import { pipe } from "../../process/testing/Registry.ts"
import * as Scroll from "../testing/Scroll.ts"
import { Writers } from "../attach/Writers.ts"
import { linux } from "../testing/Linux.ts"
import { mostWaiting } from "./Answers.ts"
import { answers as feature } from "./feature.ts"

const pty: SpawnSpec = { ...pipe, stdio: { kind: "pty", size: { rows: 4, columns: 60 } } }
const asks = { answers: true, tty: true }
const [attributes, status, corner] = ["\x1b[?1;2c", "\x1b[0n", "\x1b[1;1R"]

/** A process that asks its terminal, on a server with such terminals. */
const make = ({
  answers = true,
  paints = true,
  around = undefined as ProcessRegistry.AroundSpawn | undefined,
} = {}) =>
  Effect.gen(function* () {
    const fake = yield* Fake.make({})
    const spawner = yield* Effect.provide(Spawner, fake.layer)
    const { how, service, opened } = Scroll.make()
    const { limits } = ProcessRegistry.defaultOptions
    yield* Features.loaded
    const pictures = yield* Effect.provideService(Pictures.make, Terminals, paints ? service : none)
    const { extend } = yield* feature({ limits, pictures })
    const registry = yield* ProcessRegistry.make(spawner, ProcessRegistry.defaultOptions)
    const process = yield* registry.start("p", pty, {
      extend: answers ? extend?.(asks, linux) : undefined,
      around,
    })
    process.release()
    return { registry, process, how, opened, child: yield* fake.next }
  })

describe("Answers", () => {
  it(
    "writes an answer for each question, in their order, with the place of the cursor",
    effect(function* () {
      const { child, registry } = yield* make()
      child.output("pty", "$ \x1b[c")
      yield* settle
      expect(child.written).toBe(attributes)
      child.output("pty", "\x1b[5n\x1b[6n\x1b[0c")
      yield* settle
      // The terminal of the test counts every character.
      expect(child.written).toBe(`${attributes}${status}\x1b[1;18R${attributes}`)
      yield* registry.write("p", Uint8Array.of(0x78), undefined)
      yield* settle
      expect(child.written.endsWith("cx")).toBe(true)
    }),
  )

  it(
    "answers what comes in pieces once, when its last byte has come",
    effect(function* () {
      const { child } = yield* make()
      for (const piece of ["\x1b", "[", "0"]) child.output("pty", piece)
      yield* settle
      expect(child.written).toBe("")
      child.output("pty", "c$ ")
      child.output("pty", "c")
      yield* settle
      expect(child.written).toBe(attributes)
    }),
  )

  it(
    "answers nothing where the start has not asked for that, and opens no terminal before it is asked for the cursor",
    effect(function* () {
      const silent = yield* make({ answers: false })
      silent.child.output("pty", "\x1b[c\x1b[6n")
      const { child, opened } = yield* make()
      child.output("pty", "\x1b[c\x1b[5n")
      yield* settle
      expect(silent.child.written).toBe("")
      expect([...silent.opened, ...opened]).toEqual([])
    }),
  )

  it(
    "says the corner where nothing is painted",
    effect(function* () {
      const { child } = yield* make({ paints: false })
      child.output("pty", "some text\x1b[6n")
      yield* settle
      expect(child.written).toBe(corner)
    }),
  )

  it(
    "says the corner when a terminal fails while it paints, and goes on",
    effect(function* () {
      const { child, how } = yield* make()
      how.work = Effect.die(new ScreenError({ reason: "Unavailable", message: "broken" }))
      child.output("pty", "text\x1b[6n")
      yield* settle
      child.output("pty", "\x1b[5n")
      yield* settle
      expect(child.written).toBe(`${corner}${status}`)
    }),
  )

  it(
    "is silent while somebody else than the owner writes, and answers nothing of that time later",
    effect(function* () {
      const { child, process } = yield* make()
      const [owner, guest] = [{ told: () => {} }, { told: () => {} }]
      const writers = new Writers(process, owner)
      writers.take(guest)
      child.output("pty", "\x1b[c\x1b[6n")
      yield* settle
      expect(child.written).toBe("")
      writers.leave(guest)
      yield* settle
      expect(child.written).toBe("")
      child.output("pty", "\x1b[5n")
      yield* settle
      expect(child.written).toBe(status)
    }),
  )

  it(
    "answers what was asked before the child was known to be there",
    effect(function* () {
      const around: ProcessRegistry.AroundSpawn = (process, spawn) =>
        Effect.tap(spawn, () =>
          Effect.andThen(
            Effect.sync(() => process.events.output("pty", new TextEncoder().encode("early "))),
            Effect.yieldNow,
          ),
        )
      const { child } = yield* make({ around })
      child.output("pty", "\x1b[c")
      yield* settle
      expect(child.written).toBe(attributes)
    }),
  )

  it(
    "bounds what a flood of questions makes, and leaves room for the writes of clients",
    effect(function* () {
      const { child, registry, how, process } = yield* make()
      child.stall()
      for (let n = 0; n < 50; n++) child.output("pty", "\x1b[5n".repeat(1000))
      expect(process.stdin?.hasRoom()).toBe(false)
      // This one finds its place, although nothing is read.
      expect(yield* registry.write("p", Uint8Array.of(0x78), undefined)).toBe("accepted")
      child.read()
      yield* settle
      const flood = child.written
      expect(flood.length / status.length).toBeLessThanOrEqual(mostOffered + 2)
      expect(flood.endsWith(`${status}x`)).toBe(true)
      // Questions wait for the picture of the terminal, too.
      const paint = yield* Latch.make(false)
      how.work = paint.await
      for (let n = 0; n < 5; n++) child.output("pty", "\x1b[6n".repeat(1000))
      yield* settle
      yield* paint.open
      yield* settle
      const answers = child.written.slice(flood.length).split("R").length - 1
      expect(answers).toBeGreaterThan(0)
      expect(answers).toBeLessThanOrEqual(2 * mostWaiting)
    }),
  )

  it(
    "does not answer a child that is gone",
    effect(function* () {
      const { child, how, process } = yield* make()
      const paint = yield* Latch.make(false)
      how.work = paint.await
      child.output("pty", "\x1b[6n")
      process.child = { ...process.child, pid: 4711 } as never
      yield* paint.open
      yield* settle
      expect(child.written).toBe("")
      child.output("pty", "\x1b[5n")
      yield* settle
      expect(child.written).toBe(status)
    }),
  )
})
