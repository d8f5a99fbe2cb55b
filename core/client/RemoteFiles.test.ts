import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { effect } from "../testing/Effects.ts"
import { connected } from "../testing/NetworkClient.ts"

describe("files of a server", () => {
  it(
    "are renamed, linked, and given a mode only where the server can do it",
    effect(function* () {
      // This server has no files at all.
      const { client } = yield* connected()
      const { fs } = client
      const refused = yield* Effect.forEach(
        [fs.rename("/a", "/b"), fs.chmod("/a", 0o600), fs.symlink("/a", "/b")],
        Effect.flip,
      )
      expect(refused).toMatchObject(
        ["rename", "chmod", "symlink"].map((name) => ({
          reason: "InvalidOption",
          message: `fs.${name} needs a server with the capability fsChange, which this one lacks`,
        })),
      )
    }),
  )
})
