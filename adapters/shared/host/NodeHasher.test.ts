import { createHash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import type { Hash } from "../../../core/protocol/Hasher.ts"
import * as NodeHasher from "./NodeHasher.ts"

const hasher = NodeHasher.make()

const add = async (hash: Hash, bytes: Uint8Array): Promise<number> => {
  let refusals = 0
  for (; !hash.update(bytes); refusals++) await Effect.runPromise(hash.room)
  return refusals
}

const wanted = (...pieces: ReadonlyArray<Uint8Array>) => {
  const hash = createHash("sha256")
  for (const piece of pieces) hash.update(piece)
  return hash.digest("hex")
}

test("a hash is that of all bytes, however many there are and however they are cut", async () => {
  for (const [length, pieces] of [
    [0, 1],
    [10, 3],
    [65_536, 1],
    [30_000, 3],
    [65_535, 7],
    [65_536, 40],
    [13, 9_000],
  ] as const) {
    const parts = Array.from({ length: pieces }, () => randomBytes(length))
    const hash = hasher.sha256()
    for (const part of parts) await add(hash, part)
    expect(await Effect.runPromise(hash.digest), `${pieces} of ${length} bytes`).toBe(wanted(...parts))
  }
})

test("hashes at the same time do not mix, and what has no room is asked for again", async () => {
  const parts = Array.from({ length: 8 }, () => randomBytes(60_001))
  const hashes = parts.map(() => hasher.sha256())
  let refusals = 0
  for (let round = 0; round < 60; round++) {
    for (const [i, hash] of hashes.entries()) refusals += await add(hash, parts[i] ?? new Uint8Array())
  }
  const digests = await Promise.all(hashes.map((hash) => Effect.runPromise(hash.digest)))
  expect(digests).toEqual(parts.map((part) => wanted(...Array.from({ length: 60 }, () => part))))
  // 29 MB are put into a ring of one, as fast as they are copied.
  expect(refusals).toBeGreaterThan(0)
})

test("a hash that is dropped leaves the others alone", async () => {
  const [one, other] = [hasher.sha256(), hasher.sha256()]
  const bytes = randomBytes(100_000)
  await add(one, bytes)
  await add(other, bytes)
  one.drop()
  one.drop()
  await add(other, bytes)
  expect(await Effect.runPromise(other.digest)).toBe(wanted(bytes, bytes))
})
