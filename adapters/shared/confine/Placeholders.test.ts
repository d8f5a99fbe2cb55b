/** Folders that keep a path from coming into being, of several servers: a lock of the same folder stands for another. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { platform } from "../../testing/Runtime.ts"
import * as Placeholders from "./Placeholders.ts"

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "procwire-test-")))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A server that holds the placeholder beside this program; returns its end. */
const another = (path: string, operation = 1) => {
  const fd = fs.openSync(path, fs.constants.O_RDONLY)
  const flock = platform.openFfi().bind("flock", ["int", "int"])
  expect(flock(fd, operation | 4)).toBe(0)
  return () => fs.closeSync(fd)
}

/** As a killed server leaves it, with the permissions that its umask allows. */
const leave = (path: string, mode: number) => {
  fs.mkdirSync(path)
  fs.chmodSync(path, mode)
}

describe.runIf(process.platform === "linux")("A placeholder", () => {
  Placeholders.lockBy(platform.openFfi)

  it("is there while one of its holders is, and not behind the last one", () => {
    const path = join(folder, "own")
    const releases = [Placeholders.hold(path), Placeholders.hold(path)]
    releases[0]?.()
    expect([fs.existsSync(path), Placeholders.isHeld(path)]).toEqual([true, true])
    releases[1]?.()
    expect([fs.existsSync(path), Placeholders.isHeld(path)]).toEqual([false, false])
  })

  it("stays for another server, and is removed by whichever is the last", () => {
    const path = join(folder, "shared")
    const release = Placeholders.hold(path)
    const end = another(path)
    release()
    expect(fs.existsSync(path)).toBe(true)
    // Also this server still sees nothing in its place.
    expect(Placeholders.isHeld(path)).toBe(true)
    const again = Placeholders.hold(path)
    end()
    again()
    expect(fs.existsSync(path)).toBe(false)
  })

  it("that a killed server has left is taken over, and removed", () => {
    const path = join(folder, "left")
    leave(path, 0o1700)
    expect(Placeholders.isHeld(path)).toBe(true)
    Placeholders.hold(path)()
    expect(fs.existsSync(path)).toBe(false)
  })

  it("is no folder of somebody else, nor one with something in it", () => {
    const [plain, full] = [join(folder, "plain"), join(folder, "full")]
    fs.mkdirSync(plain)
    expect(Placeholders.isHeld(plain)).toBe(false)
    expect(() => Placeholders.hold(plain)).toThrow(`${plain} has come into being`)
    const release = Placeholders.hold(full)
    fs.writeFileSync(join(full, "config"), "")
    release()
    expect([fs.existsSync(join(full, "config")), Placeholders.isHeld(full)]).toEqual([true, false])
    const descriptors = fs.readdirSync("/proc/self/fd").map((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ""
      }
    })
    expect(descriptors.filter((path) => path.startsWith(folder))).toEqual([])
  })

  it("that another process keeps locked is an error that names it", () => {
    const path = join(folder, "locked")
    leave(path, 0o1755)
    const end = another(path, 2)
    expect(() => Placeholders.hold(path)).toThrow(`${path} is locked by another process`)
    end()
    Placeholders.hold(path)()
  })
})
