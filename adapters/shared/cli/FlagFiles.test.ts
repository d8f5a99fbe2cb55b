import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import * as FlagFiles from "./FlagFiles.ts"
import * as TlsFlags from "./TlsFlags.ts"

it("reads a file of the host", () => {
  const file = Folder.make().at("token")
  writeFileSync(file, "sécret\n")
  const text = FlagFiles.readText(file, (reason) => new Error(reason))
  expect(Effect.runSync(Effect.provide(text, FlagFiles.layer))).toBe("sécret\n")
})

it("names the flag, the file and the reason where a file cannot be read", () => {
  const file = Folder.make().at("no")
  const read = TlsFlags.readClient("procwire run", { "tls-ca": file })
  const { message } = Effect.runSync(Effect.flip(Effect.provide(read, FlagFiles.layer)))
  expect(message).toBe(`cannot read --tls-ca ${file}: No such file or directory (os error 2)`)
})
