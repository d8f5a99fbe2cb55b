import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Folders from "./Folders.ts"

const folder = mkdtempSync(join(tmpdir(), "procwire-folders-"))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (...names: ReadonlyArray<string>) => join(folder, ...names)

describe("Folders.make", () => {
  it("makes what is missing, with its permissions, and leaves what is there", () => {
    mkdirSync(at("a"), 0o755)
    Folders.make(at("a", "b", "c"), 0o700)
    const modes = [["a"], ["a", "b"], ["a", "b", "c"]].map((names) => statSync(at(...names)).mode & 0o777)
    expect(modes).toEqual([0o755, 0o700, 0o700])
    Folders.make(at("a", "b", "c"))
    Folders.make("/")
    Folders.make(".")
  })

  it("takes a link to a folder for one", () => {
    mkdirSync(at("real"))
    symlinkSync("real", at("link"))
    Folders.make(at("link"))
    Folders.make(at("link", "below"))
    expect(statSync(at("real", "below")).isDirectory()).toBe(true)
  })

  it.skipIf(process.platform !== "linux")(
    "throws where the system makes none, and is not stuck there",
    () => {
      expect(() => Folders.make("/proc/nowhere")).toThrow("ENOENT")
      expect(() => Folders.make("/proc/nowhere/below/this")).toThrow("ENOENT")
    },
  )

  it("throws where a file is in the way", () => {
    writeFileSync(at("file"), "")
    expect(() => Folders.make(at("file"))).toThrow("EEXIST")
    expect(() => Folders.make(at("file", "below"))).toThrow("ENOTDIR")
  })
})

describe("Folders.replaceFile", () => {
  it("replaces a file, for its owner alone, and leaves nothing unfinished", () => {
    const file = at("kept")
    Folders.replaceFile(file, "old")
    Folders.replaceFile(file, "new ", Uint8Array.of(0x31))
    expect(readFileSync(file, "utf8")).toBe("new 1")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    mkdirSync(at("taken", "by"), { recursive: true })
    expect(() => Folders.replaceFile(at("taken"), "x")).toThrow("EISDIR")
    expect(readdirSync(folder).filter((name) => /^(kept|taken)\./.test(name))).toEqual([])
  })

  it("removes what killed processes have left of the same file, and nothing that may have a writer", () => {
    const names = ["code.7.new", "code.8.new", "code-2.7.new", "code.7"]
    for (const name of names) writeFileSync(at(name), "")
    const old = new Date(Date.now() - 3_600_000)
    for (const name of names) if (name !== "code.8.new") utimesSync(at(name), old, old)
    Folders.replaceFile(at("code"), "1")
    const left = readdirSync(folder).filter((name) => name.startsWith("code"))
    expect(left.sort()).toEqual(["code", "code-2.7.new", "code.7", "code.8.new"])
  })
})
