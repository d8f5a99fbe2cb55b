/** SHA-256 by `node:crypto`, which Bun and Deno have as well: more than 1 GB per second where the processor has it. */
import { createHash } from "node:crypto"
import * as Layer from "effect/Layer"
import { fromSync, Hasher } from "../../../core/protocol/Hasher.ts"

export const layer: Layer.Layer<never> = Layer.succeed(Hasher, {
  sha256: () => {
    const hash = createHash("sha256")
    return fromSync({ update: (bytes) => hash.update(bytes), digest: () => hash.digest("hex") })
  },
})
