import { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { MemoryPool } from "../../../core/protocol/MemoryPool.ts"
import { highWaterMark } from "../../../core/transport/Transport.ts"
import * as SendQueue from "./SendQueue.ts"

const bytes = (size: number) => new Uint8Array(size).fill(97)

/** A stream whose peer reads on request; `batches` has the sizes of what was written together. */
const slowStream = () => {
  const batches: Array<ReadonlyArray<number>> = []
  let taken = () => {}
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      batches.push([chunk.length])
      taken = done
    },
    writev: (chunks, done) => {
      batches.push(chunks.map(({ chunk }) => (chunk as Buffer).length))
      taken = done
    },
  })
  const read = async () => {
    taken()
    await nextTurn()
  }
  return { stream, batches, read }
}

/** A stream whose peer reads at once. */
const fastStream = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      batches.push([chunk.length])
      done()
    },
    writev: (chunks, done) => {
      batches.push(chunks.map(({ chunk }) => (chunk as Buffer).length))
      done()
    },
  })
  return { stream, batches }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("SendQueue", () => {
  it("writes the first message of a turn at once and the others of that turn together", async () => {
    const { stream, batches } = fastStream()
    const queue = SendQueue.make(stream)
    queue.write(bytes(1), bytes(2))
    expect(batches).toEqual([[1, 2]])
    queue.write(bytes(3))
    queue.write(bytes(4), bytes(5))
    expect(batches).toEqual([[1, 2]])
    await nextTurn()
    expect(batches).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
    queue.write(bytes(6))
    expect(batches.at(-1)).toEqual([6])
  })

  it("does not hold back a large message, nor what was held back before it", () => {
    const { stream, batches } = fastStream()
    const queue = SendQueue.make(stream)
    queue.write(bytes(1))
    queue.write(bytes(2))
    queue.write(bytes(50_000))
    expect(batches).toEqual([[1], [2, 50_000]])
  })

  it("calls back also when a small message was written while it drained", async () => {
    const { stream, read } = slowStream()
    const queue = SendQueue.make(stream)
    let drains = 0
    queue.onDrain(() => drains++)
    expect(queue.write(bytes(highWaterMark))).toBe(false)
    expect(queue.write(bytes(20_000))).toBe(false)
    await read()
    expect(queue.write(bytes(1))).toBe(false)
    expect(drains).toBe(0)
    await read()
    await read()
    expect(drains).toBe(1)
    expect(queue.write(bytes(1))).toBe(true)
  })

  it("answers true for messages of any size that the peer takes at once", () => {
    const { stream } = fastStream()
    const queue = SendQueue.make(stream)
    for (let i = 0; i < 4; i++) expect(queue.write(bytes(highWaterMark * 2))).toBe(true)
  })

  it("answers false from the high-water mark on, and calls back once when the peer took it", async () => {
    const { stream, read } = slowStream()
    const queue = SendQueue.make(stream)
    let drains = 0
    queue.onDrain(() => drains++)
    const answers = Array.from({ length: 5 }, () => queue.write(bytes(highWaterMark / 4)))
    expect(answers).toEqual([true, true, true, false, false])
    await read()
    expect(drains).toBe(0)
    await read()
    expect(drains).toBe(1)
    expect(queue.write(bytes(1))).toBe(true)
  })

  it("does not believe a stream that says drain while the mark is still reached", async () => {
    const { stream, read } = slowStream()
    const queue = SendQueue.make(stream)
    let drains = 0
    queue.onDrain(() => drains++)
    for (let i = 0; i < 3; i++) queue.write(bytes(highWaterMark))
    stream.emit("drain")
    expect([drains, queue.write(bytes(1))]).toEqual([0, false])
    await read()
    await read()
    expect(drains).toBe(1)
  })

  it("gives the memory of a message back once the stream has written it", async () => {
    const { stream, read } = slowStream()
    const queue = SendQueue.make(stream)
    const pool = new MemoryPool(20_000, 8)
    const [first, second, third] = [pool.take(20_000), pool.take(20_000), pool.take(20_000)]
    queue.write(first)
    queue.write(bytes(5), second)
    queue.write(third)
    const buffers = [first, second, third].map(({ buffer }) => buffer)
    expect(buffers).not.toContain(pool.take(20_000).buffer)
    await read()
    expect(pool.take(20_000).buffer).toBe(first.buffer)
    await read()
    expect([pool.take(20_000).buffer, pool.take(20_000).buffer]).toEqual([third.buffer, second.buffer])
    const lost = pool.take(20_000)
    queue.write(lost)
    stream.on("error", () => {})
    stream.destroy(new Error("gone"))
    await nextTurn()
    expect(pool.take(20_000).buffer).not.toBe(lost.buffer)
  })

  it("lets a stalled writer go when it stops, and takes nothing more", async () => {
    const { stream, batches } = slowStream()
    const queue = SendQueue.make(stream)
    let drains = 0
    queue.onDrain(() => drains++)
    expect(queue.write(bytes(highWaterMark))).toBe(false)
    queue.stop()
    expect(drains).toBe(1)
    expect(queue.write(bytes(1))).toBe(true)
    expect(batches).toEqual([[highWaterMark]])
  })

  it("flushes what is queued, also what the turn held back", async () => {
    const { stream, batches } = fastStream()
    const queue = SendQueue.make(stream)
    queue.write(bytes(1))
    queue.write(bytes(2))
    queue.stop()
    await Effect.runPromise(queue.flush)
    expect(batches).toEqual([[1], [2]])
    expect(stream.writableFinished).toBe(true)
    await Effect.runPromise(queue.flush)
  })
})
