import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import * as TextFile from "./TextFile.ts"
import * as TargetFlags from "../cli/TargetFlags.ts"

it("reads a file of the host", () => {
  const file = Folder.make().at("token")
  writeFileSync(file, "sécret\n")
  const text = TextFile.readText(file, (reason) => new Error(reason))
  expect(Effect.runSync(Effect.provide(text, TextFile.layer))).toBe("sécret\n")
})

it("refuses a file that has no end", () => {
  const text = TextFile.readText("/dev/zero", (reason) => new Error(reason))
  const { message } = Effect.runSync(Effect.flip(Effect.provide(text, TextFile.layer)))
  expect(message).toBe("File too large (os error 27)")
})

it("names the flag, the file and the reason where a file cannot be read", () => {
  const file = Folder.make().at("no")
  const read = TargetFlags.readTls({ "tls-ca": file })
  const { message } = Effect.runSync(Effect.flip(Effect.provide(read, TextFile.layer)))
  expect(message).toBe(`cannot read --tls-ca ${file}: No such file or directory (os error 2)`)
})
