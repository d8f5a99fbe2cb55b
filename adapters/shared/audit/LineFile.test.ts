/** LineFile, LineWriter: what reaches the file when the disk fails, in part or for ever. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { effect, pass, settle } from "../../../core/testing/Effects.ts"
import * as LineFile from "./LineFile.ts"

/** A disk with room for so many bytes. */
const make = (torn = false) => {
  const disk = { text: "", room: Infinity, syncs: 0, broken: false, hangs: false }
  const told: Array<string> = []
  const descriptor: LineFile.Descriptor = {
    torn,
    write: (bytes) =>
      Effect.suspend(() => {
        if (disk.hangs) return Effect.never
        const taken = Math.min(bytes.length, disk.room)
        if (taken === 0) return Effect.fail("full")
        disk.room -= taken
        disk.text += Buffer.from(bytes.subarray(0, taken)).toString()
        return Effect.succeed(taken)
      }),
    sync: Effect.suspend(() => {
      disk.syncs += 1
      return disk.broken ? Effect.fail("broken") : Effect.void
    }),
  }
  const opened = LineFile.make(descriptor, {
    failed: ({ reason, cause }) => Effect.sync(() => void told.push(`${reason} ${String(cause)}`)),
    recovered: Effect.sync(() => void told.push("recovered")),
    lost: (lines) => void told.push(`lost ${lines}`),
  })
  return { disk, told, opened }
}

describe("LineFile", () => {
  it(
    "writes in order, syncs what is committed, and what came together only once",
    effect(function* () {
      const { disk, opened } = make()
      const file = yield* opened
      file.append("a")
      yield* settle
      expect(disk).toMatchObject({ text: "a\n", syncs: 0 })
      yield* Effect.all(
        ["b", "c", "d"].map((line) => file.commit(line)),
        { concurrency: "unbounded" },
      )
      expect(disk.text).toBe("a\nb\nc\nd\n")
      expect(disk.syncs).toBeLessThan(3)
    }),
  )

  it(
    "fails what is committed while the disk is full, keeps what is appended, and ends the line that is torn",
    effect(function* () {
      const { disk, told, opened } = make()
      const file = yield* opened
      disk.room = 8
      file.append("whole")
      file.append("torn")
      yield* settle
      expect(disk.text).toBe("whole\nto")
      for (const line of ["x", "y"])
        expect(yield* Effect.flip(file.commit(line))).toMatchObject({ reason: "Write", cause: "full" })
      expect(told).toEqual(["Write full"])
      disk.room = Infinity
      yield* file.commit("z")
      expect(disk.text).toBe("whole\nto\ntorn\nz\n")
      expect(told).toEqual(["Write full", "recovered"])
    }),
  )

  it(
    "fails what is committed when only the sync fails, and writes no line again",
    effect(function* () {
      const { disk, opened } = make(true)
      const file = yield* opened
      disk.broken = true
      file.append("a")
      expect(yield* Effect.flip(file.commit("b"))).toMatchObject({ reason: "Write", cause: "broken" })
      disk.broken = false
      yield* file.commit("c")
      expect(disk.text).toBe("\na\nb\nc\n")
    }),
  )

  it(
    "fails what is committed when the disk hangs, and does not hang at the end",
    effect(function* () {
      const { disk, told, opened } = make()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const file = yield* opened
          disk.hangs = true
          const one = yield* Effect.forkChild(Effect.flip(file.commit("a")))
          yield* pass(LineFile.deadlineMillis)
          expect(yield* Fiber.join(one)).toMatchObject({ reason: "Timeout" })
          file.append("b")
          expect(told).toEqual(["Timeout undefined"])
          yield* Effect.forkDetach(pass(LineFile.deadlineMillis))
        }),
      )
      expect(told).toEqual(["Timeout undefined", "lost 1"])
    }),
  )

  it(
    "loses the oldest lines when too many wait, and says how many",
    effect(function* () {
      const { disk, told, opened } = make()
      const file = yield* opened
      disk.room = 0
      const big = "x".repeat(LineFile.maxWaiting / 4)
      for (const mark of ["1", "2", "3", "4", "5"]) {
        file.append(mark + big)
        yield* pass(LineFile.retryMillis)
      }
      expect(told).toEqual(["Write full", "lost 1", "lost 1"])
      disk.room = Infinity
      file.append("end")
      yield* pass(LineFile.retryMillis)
      expect(disk.text.match(/^\w/gm)).toEqual(["3", "4", "5", "e"])
      expect(told.at(-1)).toBe("recovered")
    }),
  )
})
