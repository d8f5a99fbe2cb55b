import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as OwnProgram from "./OwnProgram.ts"

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "procwire-own-"))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Writes a program into a folder below `home`; what is mounted for it. */
const mountedFor = (folder: string): string | undefined => {
  mkdirSync(join(home, folder), { recursive: true })
  const file = join(home, folder, "procwire.cjs")
  writeFileSync(file, "")
  const { mounts } = OwnProgram.make({ file }, false, [], "")
  return mounts[mounts.indexOf("/.procwire/program") - 1]?.replace(home, "~")
}

it("shows inside of a confinement its own package, and of a program without one no more than its folder", () => {
  expect(mountedFor(".cache/procwire/0123")).toBe("~/.cache/procwire/0123")
  writeFileSync(join(home, "package.json"), '{ "name": "of-the-user" }')
  expect(mountedFor(".cache/procwire/4567")).toBe("~/.cache/procwire/4567")
  mkdirSync(join(home, "node_modules/procwire"), { recursive: true })
  writeFileSync(join(home, "node_modules/procwire/package.json"), '{ "name": "procwire" }')
  expect(mountedFor("node_modules/procwire/dist")).toBe("~/node_modules/procwire")
})
