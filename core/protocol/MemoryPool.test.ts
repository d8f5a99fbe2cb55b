import { describe, expect, it } from "vitest"
import { giveBack, MemoryPool } from "./MemoryPool.ts"

describe("MemoryPool", () => {
  it("gives out memory again that was given back, and no other", () => {
    const pool = new MemoryPool()
    const [first, second] = [pool.take(40_000), pool.take(65_536)]
    expect([first.length, second.length]).toEqual([40_000, 65_536])
    expect(second.buffer).not.toBe(first.buffer)
    giveBack(first)
    expect(pool.take(65_536).buffer).toBe(first.buffer)
    expect(pool.take(65_536).buffer).not.toBe(first.buffer)
  })

  it("takes the same bytes back once", () => {
    const pool = new MemoryPool()
    const bytes = pool.take(40_000)
    giveBack(bytes)
    giveBack(bytes)
    expect(pool.take(40_000).buffer).not.toBe(pool.take(40_000).buffer)
  })

  it("keeps nothing of another origin, nothing long or short, and not too much", () => {
    const pool = new MemoryPool()
    const foreign = new Uint8Array(65_536)
    giveBack(foreign)
    const all = Array.from({ length: 100 }, () => pool.take(40_000))
    expect(all.some(({ buffer }) => buffer === foreign.buffer)).toBe(false)
    const others = [pool.take(65_537), pool.take(32_767)]
    for (const bytes of [...others, ...all]) giveBack(bytes)
    const given = new Set(all.map(({ buffer }) => buffer))
    const again = Array.from({ length: 100 }, () => pool.take(40_000).buffer)
    expect(again.filter((buffer) => given.has(buffer))).toHaveLength(32)
    for (const bytes of others) expect(again).not.toContain(bytes.buffer)
  })
})
