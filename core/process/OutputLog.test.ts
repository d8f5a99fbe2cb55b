import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as OutputLog from "./OutputLog.ts"

const bytes = (text: string) => new Uint8Array(Array.from(text, (c) => c.charCodeAt(0)))
const text = (chunk: OutputLog.Chunk | undefined) => chunk && String.fromCharCode(...chunk.bytes)

const all = (log: OutputLog.OutputLog) => {
  const found: Array<{ seq: number; stream: string; text: string | undefined }> = []
  for (let chunk = log.after(0); chunk !== undefined; chunk = log.after(chunk.seq)) {
    found.push({ seq: chunk.seq, stream: chunk.stream, text: text(chunk) })
  }
  return found
}

describe("OutputLog", () => {
  it("gives out seq from 1, over output and other events together", () => {
    const log = OutputLog.make()
    log.append("stdout", bytes("a"))
    expect(log.take()).toBe(2)
    log.append("stderr", bytes("b"))
    expect(log.nextSeq()).toBe(4)
    expect(all(log)).toEqual([
      { seq: 1, stream: "stdout", text: "a" },
      { seq: 3, stream: "stderr", text: "b" },
    ])
  })

  it("evicts whole oldest chunks while bytes or chunks exceed their limit", () => {
    const byBytes = OutputLog.make({ bytes: 10, chunks: 100 })
    for (const part of ["aaaa", "bbbb", "cccc"]) byBytes.append("pty", bytes(part))
    expect(all(byBytes).map((c) => c.text)).toEqual(["aaaa", "bbbb", "cccc"])
    byBytes.append("pty", bytes("dd"))
    expect(all(byBytes).map((c) => c.text)).toEqual(["bbbb", "cccc", "dd"])
    const byCount = OutputLog.make({ bytes: 1000, chunks: 2 })
    for (const part of ["a", "b", "c"]) byCount.append("pty", bytes(part))
    expect(all(byCount).map((c) => c.seq)).toEqual([2, 3])
  })

  // guards: ring
  it("invariant 5: holds at most 1 MiB and 50,000 chunks", () => {
    const big = OutputLog.make()
    for (let i = 0; i < 384; i++) big.append("stdout", new Uint8Array(8192))
    expect(big.size()).toMatchObject({ bytes: 1024 * 1024, chunks: 128 })
    const small = OutputLog.make()
    for (let i = 0; i < 54_700; i++) small.append("stdout", bytes("x"))
    expect(small.size()).toMatchObject({ bytes: 50_000, chunks: 50_000 })
  })

  it("invariant 5: always has the newest bytes of its capacity, and at most one chunk more", () => {
    const size = 65_535
    const log = OutputLog.make()
    for (let i = 0; i < 40; i++) {
      log.append("stdout", new Uint8Array(size))
      const { bytes, reserved } = log.size()
      expect(bytes).toBeGreaterThanOrEqual(Math.min((i + 1) * size, 1024 * 1024))
      expect(bytes).toBeLessThan(1024 * 1024 + size)
      expect(reserved).toBeLessThan(1024 * 1024 + 64 * 1024 + 1024)
    }
  })

  // guards: ring
  it("invariant 5: costs at most a small multiple of what it holds, whatever slab a chunk was read into", () => {
    const log = OutputLog.make()
    expect(log.size().reserved).toBe(0)
    const slab = new Uint8Array(64 * 1024)
    for (let i = 0; i < 100_000; i++) log.append("stdout", slab.subarray(i % 1000, (i % 1000) + 10))
    const { bytes, reserved } = log.size()
    expect(bytes).toBe(500_000)
    expect(reserved).toBeLessThan(4 * 1024 * 1024)
  })

  it("invariant 5: splits a chunk that is larger than the ring and keeps its end", () => {
    const log = OutputLog.make({ bytes: 100, chunks: 50 })
    log.append("stdout", new Uint8Array(1000).fill(7))
    expect(log.size().bytes).toBe(100)
    expect(log.nextSeq()).toBe(11)
    const plain = OutputLog.make()
    plain.append("stdout", new Uint8Array(3 * 1024 * 1024))
    expect(plain.size().bytes).toBe(1024 * 1024)
  })

  it("evicts nothing that an attached cursor has yet to deliver", () => {
    const log = OutputLog.make({ bytes: 4, chunks: 100 })
    const cursor = log.attach(0)
    for (const part of ["aa", "bb", "cc", "dd"]) log.append("stdout", bytes(part))
    expect(log.size().bytes).toBe(8)
    expect(cursor.lag()).toBe(8)
    cursor.advance(1)
    expect(all(log).map((c) => c.text)).toEqual(["bb", "cc", "dd"])
    expect(cursor.lag()).toBe(6)
    cursor.detach()
    expect(all(log).map((c) => c.text)).toEqual(["cc", "dd"])
  })

  it("equals a plain list under any sequence of appends", () => {
    const part = fc.record({ stream: fc.constantFrom("stdout", "stderr", "pty"), size: fc.nat(40) })
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 200, size: "max" }),
        fc.integer({ min: 40, max: 300 }),
        fc.integer({ min: 1, max: 30 }),
        (parts, most, count) => {
          const log = OutputLog.make({ bytes: most, chunks: count })
          const model: Array<{ seq: number; stream: string; text: string }> = []
          parts.forEach(({ stream, size }, index) => {
            const content = String.fromCharCode(65 + (index % 26)).repeat(size)
            log.append(stream as "pty", bytes(content))
            model.push({ seq: index + 1, stream, text: content })
            const held = (from: number) => model.slice(from).reduce((sum, c) => sum + c.text.length, 0)
            while (model.length > count || (held(0) > most && held(1) >= most)) model.shift()
            expect(all(log)).toEqual(model)
          })
        },
      ),
      { numRuns: 60 },
    )
  })
})
