/** SHA-256 by `node:crypto`, which Bun and Deno have as well. */
import { createHash } from "node:crypto"
import * as Layer from "effect/Layer"
import { fromSync, Hasher, type HasherService } from "../../../core/protocol/Hasher.ts"

/** Hashes on this thread, when bytes are taken. */
export const hasher: HasherService = {
  sha256: () => {
    const hash = createHash("sha256")
    return fromSync({ update: (bytes) => hash.update(bytes), digest: () => hash.digest("hex") })
  },
}

/** The service. */
export const layer: Layer.Layer<Hasher> = Layer.succeed(Hasher, hasher)
