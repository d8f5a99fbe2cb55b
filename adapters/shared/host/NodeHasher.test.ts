import { createHash, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { Hasher } from "../../../core/protocol/Hasher.ts"
import * as NodeHasher from "./NodeHasher.ts"

test("hashes at the same time do not mix, and each is that of all its bytes", async () => {
  const { sha256 } = await Effect.runPromise(Effect.provide(Hasher, NodeHasher.layer))
  const parts = Array.from({ length: 8 }, () => randomBytes(60_001))
  const hashes = parts.map(() => sha256())
  for (let round = 0; round < 3; round++)
    for (const [i, hash] of hashes.entries()) expect(hash.update(parts[i] ?? new Uint8Array())).toBe(true)
  const digests = await Promise.all([...hashes, sha256()].map((hash) => Effect.runPromise(hash.digest)))
  const wanted = [...parts.map((part) => [part, part, part]), []].map((all) =>
    createHash("sha256").update(Buffer.concat(all)).digest("hex"),
  )
  expect(digests).toEqual(wanted)
})
