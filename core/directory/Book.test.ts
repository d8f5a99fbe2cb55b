import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import * as Book from "./Book.ts"
import * as DirectoryOptions from "./DirectoryOptions.ts"
import * as Ending from "./Ending.ts"
import * as Memory from "./Memory.ts"

const settings = DirectoryOptions.resolve()

describe("the time of a directory", () => {
  it("counts what passes between two looks, at most a step of it, and nothing if the clock is set back", () => {
    const book = Book.make()
    const timesAt = [1_000, 1_400, 1_400, 900, 1_000, 3_600_000].map((now) => {
      Book.look(book, now, settings)
      return book.time
    })
    expect(timesAt).toEqual([0, 400, 400, 400, 500, 2_500])
  })

  it("takes nobody for lost because the directory was away for an hour", async () => {
    const states = Effect.gen(function* () {
      const directory = yield* Memory.make({ leaseMillis: 10_000, tickMillis: 10_000_000, stepMillis: 2_000 })
      yield* directory.announce({ hostId: "a", epoch: 1, labels: {}, capacity: 1 })
      yield* TestClock.adjust(3_600_000)
      return yield* directory.claim({ sessionId: "s", tenant: "t" })
    })
    const run = states.pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    expect((await Effect.runPromise(run)).hostId).toBe("a")
  })

  it("takes a host for lost at its lease and for gone at its deadline, not a tick before", async () => {
    const states = Effect.gen(function* () {
      const directory = yield* Memory.make({ leaseMillis: 10_000, goneMillis: 20_000, tickMillis: 500 })
      yield* directory.announce({ hostId: "a", epoch: 1, labels: {}, capacity: 1 })
      const seen: Array<string> = []
      for (const millis of [10_000, 500, 9_500, 500]) {
        yield* TestClock.adjust(millis)
        seen.push((yield* directory.list()).hosts[0]?.state ?? "none")
      }
      return seen
    })
    const run = states.pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    expect(await Effect.runPromise(run)).toEqual(["up", "lost", "lost", "gone"])
  })
})

describe("the options of a directory", () => {
  it("name the first value that is out of its bounds", () => {
    expect(() => DirectoryOptions.resolve({ tickMillis: 0 })).toThrow(/tickMillis must be .* and is 0/)
    expect(() => DirectoryOptions.resolve({ leaseMillis: 9, goneMillis: 8 })).toThrow(/goneMillis \(8\)/)
    expect(DirectoryOptions.resolve({ failures: 5 }).failures).toBe(5)
  })
})

describe("the words for a session", () => {
  it("follow from its state and that of its host", () => {
    expect(Ending.words({ state: "claimed" }, "up")).toBe("starting")
    expect(Ending.words({ state: "running" }, "up")).toBe("running")
    expect(Ending.words({ state: "running" }, "lost")).toBe("lost")
    expect(Ending.words({ state: "ended", ending: "host restarted" }, "up")).toBe("ended: host restarted")
  })
})
