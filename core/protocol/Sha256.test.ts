import { createHash, randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { Sha256 } from "./Hasher.ts"

const hash = (...pieces: ReadonlyArray<Uint8Array>): string => {
  const sha256 = new Sha256()
  for (const piece of pieces) sha256.update(piece)
  return sha256.digest()
}

test("the hash of every length around the block is that of the runtime", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length)
    expect(hash(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"))
  }
})

test("how the bytes are cut into pieces makes no difference", () => {
  const bytes = randomBytes(1000)
  const whole = hash(bytes)
  for (const size of [1, 3, 55, 56, 63, 64, 65, 128, 999]) {
    const pieces = Array.from({ length: Math.ceil(1000 / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    )
    expect(hash(...pieces), `pieces of ${size} bytes`).toBe(whole)
  }
})
