import { expect, test } from "vitest"
import * as HashRing from "./HashRing.ts"

/** A ring, and the other end of it as the thread has it: all bytes of the records that are there. */
const make = () => {
  const ring = HashRing.make()
  const { memory, controlBytes, size, places } = ring.shared
  const control = new Int32Array(memory, 0, controlBytes / 4)
  const words = new Int32Array(memory, controlBytes)
  const bytes = new Uint8Array(memory, controlBytes)
  const { READ, WRITTEN, ORIGIN } = places
  const take = () => {
    const at = (control[READ]! - control[ORIGIN]!) & (size - 1)
    const length = words[at / 4 + 1]!
    const begin = (at + 8) & (size - 1)
    const head = bytes.slice(begin, begin + length)
    const data = Buffer.concat([head, bytes.slice(0, length - head.length)])
    control[READ]! += 8 + ((length + 7) & ~7)
    return { at, data }
  }
  return { ring, size, take, unread: () => control[WRITTEN]! - control[READ]! }
}

const piece = (length: number, first: number) => Buffer.alloc(length, `piece ${first} `)

test("an empty ring is filled from its begin, one with records goes on behind them", () => {
  const { ring, take } = make()
  const [one, other] = [piece(100, 1), piece(13, 7)]
  for (let round = 0; round < 3; round++) {
    expect(ring.offer(1, one.length, one)).toBe(true)
    expect(ring.offer(1, other.length, other)).toBe(true)
    expect(take()).toEqual({ at: 0, data: one })
    expect(ring.offer(1, one.length, one)).toBe(true)
    expect(take()).toEqual({ at: 112, data: other })
    expect(take()).toEqual({ at: 136, data: one })
  }
})

test("a full ring refuses, notes that somebody waits, and cuts the record at its end in two", () => {
  const { ring, size, take, unread } = make()
  const length = size / 8
  let count = 0
  while (ring.offer(1, length, piece(length, count))) count += 1
  expect(count).toBe(7)
  expect(ring.waits()).toBe(true)
  expect(take().data.equals(piece(length, 0))).toBe(true)
  expect(ring.offer(1, length, piece(length, 7))).toBe(true)
  for (let index = 1; index <= 7; index++) expect(take().data.equals(piece(length, index))).toBe(true)
  expect(unread()).toBe(0)
})
