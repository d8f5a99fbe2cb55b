import { describe, expect, it } from "vitest"
import { Numbered } from "./Numbered.ts"

const numbersAfter = (numbered: Numbered<{ readonly number: number }>, number: number) =>
  Array.from(numbered.after(number), (item) => item.number)

describe("Numbered", () => {
  it("gives what has a greater number, in its order, whatever is gone meanwhile", () => {
    const numbered = new Numbered<{ readonly number: number }>()
    const items = [1, 2, 3, 5, 8].map((number) => ({ number }))
    for (const item of items) numbered.add(item)
    expect(numbersAfter(numbered, 0)).toEqual([1, 2, 3, 5, 8])
    expect(numbersAfter(numbered, 4)).toEqual([5, 8])
    for (const item of items.slice(1, 3)) numbered.remove(item)
    numbered.remove({ number: 5 })
    expect(numbersAfter(numbered, 2)).toEqual([5, 8])
    numbered.add({ number: 9 })
    expect(numbersAfter(numbered, 5)).toEqual([8, 9])
    expect(numbersAfter(numbered, 9)).toEqual([])
  })

  it("looks at a few of 10,000 to find where a page begins", () => {
    const numbered = new Numbered<{ readonly number: number }>()
    let looks = 0
    for (let at = 1; at <= 10_000; at++) {
      numbered.add({
        get number() {
          looks += 1
          return at
        },
      })
    }
    for (const behind of [0, 1, 5000, 9999]) {
      looks = 0
      const first = numbered.after(behind).next()
      expect(first.done).toBe(false)
      expect(looks).toBeLessThanOrEqual(14)
    }
  })
})
