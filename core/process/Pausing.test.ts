// Process.attach: how readers that lag pause the child, and what is kept for them.
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Fake from "../spawn/Fake.ts"
import { effect } from "../testing/Effects.ts"
import { pauseAbove, resumeBelow } from "./Process.ts"
import { begin, pipes } from "./testing/Supervised.ts"

describe("Process.attach", () => {
  it(
    "pauses the child above one lag and lets it go on below another",
    effect(function* () {
      const { child, process } = yield* begin()
      const attachment = process.attach(0)
      const part = resumeBelow / 4
      let printed = 0
      while (!child.paused) {
        child.output("stdout", new Uint8Array(part))
        printed += part
      }
      expect(printed).toBe(pauseAbove + part)
      let delivered = 0
      while (child.paused && delivered < printed) {
        attachment.advance(attachment.next()?.seq ?? 0)
        delivered += part
      }
      expect(printed - delivered).toBe(resumeBelow)
      expect(child.pauses).toBe(1)
    }),
  )

  it(
    "pauses for the slowest of several readers",
    effect(function* () {
      const { child, process } = yield* begin()
      const [fast, slow] = [process.attach(0), process.attach(0)]
      for (let index = 0; index < 5; index++) {
        child.output("stdout", new Uint8Array(64 * 1024))
        fast.advance(index + 1)
      }
      expect(child.paused).toBe(true)
      slow.detach()
      expect(child.paused).toBe(false)
      fast.detach()
    }),
  )

  it(
    "reads a child to its end that was terminated while it was paused, and no other",
    effect(function* () {
      for (const terminated of [true, false]) {
        const { child, process } = yield* begin()
        const attachment = process.attach(0)
        while (!child.paused) child.output("stdout", new Uint8Array(64 * 1024))
        if (terminated) process.terminate()
        expect(child.paused).toBe(true)
        child.exit(137)
        expect(child.paused).toBe(!terminated)
        attachment.detach()
        child.finish()
      }
    }),
  )

  it(
    "never pauses a child that nobody follows",
    effect(function* () {
      const { child, process } = yield* begin()
      for (let index = 0; index < 1000; index++) child.output("stdout", new Uint8Array(8192))
      expect(child.pauses).toBe(0)
      expect(process.log.size().bytes).toBe(1024 * 1024)
    }),
  )

  it(
    "bounds what it keeps for a reader of a child that cannot be paused",
    effect(function* () {
      const { child, process } = yield* begin(pipes, { ...Fake.allCapabilities, pause: false })
      const attachment = process.attach(0)
      for (let index = 0; index < 500; index++) child.output("stdout", new Uint8Array(64 * 1024))
      expect(process.log.size().bytes).toBe(16 * 1024 * 1024)
      expect(attachment.next()?.seq).toBe(500 - 255)
    }),
  )

  it(
    "keeps undelivered output above the capacity",
    effect(function* () {
      const { child, process } = yield* begin(pipes, Fake.allCapabilities, { bytes: 1000, chunks: 10 })
      const attachment = process.attach(0)
      for (let index = 0; index < 100; index++) child.output("stdout", new Uint8Array(500))
      expect(attachment.next()?.seq).toBe(1)
      attachment.detach()
      expect(process.log.size()).toMatchObject({ bytes: 1000, chunks: 2 })
    }),
  )

  it("delivers every event once and in order to a reader of any pace", () => {
    const step = fc.oneof(
      fc.record({ print: fc.integer({ min: 1, max: 300_000 }), stream: fc.constantFrom("stdout", "stderr") }),
      fc.record({ take: fc.integer({ min: 1, max: 5 }) }),
      fc.constant({ exit: true }),
    )
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
        effect(function* () {
          const { child, process } = yield* begin()
          const attachment = process.attach(0)
          let [printed, taken, last] = [0, 0, 0]
          const take = (): boolean => {
            const event = attachment.next()
            if (event === undefined) return false
            expect(event.seq).toBe(last + 1)
            last = event.seq
            if (event.kind === "output") taken += event.bytes.length
            attachment.advance(event.seq)
            return true
          }
          for (const step of steps) {
            if ("print" in step && !child.paused) {
              printed += step.print
              child.output(step.stream as "stdout", new Uint8Array(step.print))
            } else if ("take" in step) for (let index = 0; index < step.take; index++) take()
            else if ("exit" in step) child.exit(0)
          }
          child.finish(0)
          while (take());
          expect(taken).toBe(printed)
          expect(process.closed?.seq).toBe(last)
        })(),
      ),
      { numRuns: 60 },
    )
  })
})
