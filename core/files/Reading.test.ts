import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { none } from "./Files.ts"
import * as Reading from "./Reading.ts"

/** Reads a folder with so many files. */
const read = (count: number) => {
  const entries = Array.from({ length: count }, (_, index) => ({ name: `${index}`, kind: "file" as const }))
  return Effect.runSync(
    Effect.result(Reading.readDirectory({ ...none, list: () => Effect.succeed(entries) }, "/d")),
  )
}

describe("readDirectory", () => {
  it("gives 50,000 entries", () => {
    const right = Result.getOrThrow(read(50_000))
    expect(right.length).toBe(50_000)
    expect(right.at(-1)).toEqual({ fileName: "49999", isDirectory: false, isFile: true })
  })

  it("refuses one more, and says how many there are and may be", () => {
    const message = "fs/readDirectory returned 50001 entries; limit is 50000"
    expect(read(50_001)).toMatchObject({ failure: { reason: "TooMany", message } })
  })
})
