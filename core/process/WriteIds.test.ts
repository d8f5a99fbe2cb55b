import { describe, expect, it } from "vitest"
import { idCapacity, WriteIds } from "./StdinQueue.ts"

describe("WriteIds", () => {
  it("remembers as many ids as it has room for, and forgets the oldest first", () => {
    const ids = new WriteIds()
    for (let index = 0; index < idCapacity; index++) ids.add(`${index}`)
    expect(ids.has("0")).toBe(true)
    ids.add("one more")
    expect([ids.has("0"), ids.has("1"), ids.has("one more")]).toEqual([false, true, true])
  })

  it("knows no write without an id", () => {
    const ids = new WriteIds()
    ids.add(undefined)
    expect(ids.has(undefined)).toBe(false)
  })
})
