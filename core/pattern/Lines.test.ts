import { afterEach, expect, test, vi } from "vitest"
import * as LineCounter from "./LineCounter.ts"
import * as Lines from "./Lines.ts"

afterEach(() => vi.unstubAllGlobals())

/** Bytes of which every `step`th ends a line, and none else. */
const withEnds = (length: number, step: number) =>
  Uint8Array.from({ length }, (_, at) => (at % step === 0 ? Lines.lineEnd : at % 7 === 0 ? 0x8a : 0x0b))

const lengths = [0, 1, 15, 16, 17, 127, 128, 129, 4095, 65_535, 65_536, 65_537, 65_552, 200_003]

test.each(lengths)("all ends of lines in %i bytes are counted, wherever they begin", (length) => {
  for (const step of [1, 3, 61, 1000])
    for (const from of [0, 1, 3, 16]) {
      const bytes = withEnds(length + from, step).subarray(from)
      expect(Lines.count(bytes)).toBe(bytes.filter((byte) => byte === Lines.lineEnd).length)
    }
})

test("a part is not counted with what was counted before it", () => {
  const count = LineCounter.make()
  if (count === undefined) throw new Error("this runtime is without WebAssembly")
  expect(count(withEnds(65_536 + 16, 1))).toBe(65_552)
  expect(count(new Uint8Array(16))).toBe(0)
})

test("without WebAssembly lines are counted, too", async () => {
  vi.stubGlobal("WebAssembly", undefined)
  expect(LineCounter.make()).toBeUndefined()
  vi.resetModules()
  const alone = await import("./Lines.ts")
  expect(alone.count(withEnds(1000, 10))).toBe(100)
})

test("the place behind a line is found", () => {
  const bytes = withEnds(100, 10)
  expect(Lines.behind(bytes, 0)).toBe(0)
  expect(Lines.behind(bytes, 3)).toBe(21)
  expect(Lines.behind(bytes, 11)).toBeUndefined()
})
