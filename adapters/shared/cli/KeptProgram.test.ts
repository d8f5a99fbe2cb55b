/** The kept code of the command `procwire` on Node, as a user meets it: the built command, and the file. */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { command, name } from "../../testing/Runtime.ts"

const [node, ...program] = command
let caches: string
beforeEach(() => (caches = mkdtempSync(join(tmpdir(), "procwire-code-"))))
afterEach(() => rmSync(caches, { recursive: true, force: true }))

const env = (more: NodeJS.ProcessEnv = {}) => ({ ...process.env, XDG_CACHE_HOME: caches, ...more })
const run = (more?: NodeJS.ProcessEnv) =>
  execFileSync(node, [...program, "run", "--", "echo", "it works"], { env: env(more), encoding: "utf8" })
const file = () => join(caches, "procwire", `run-node-${process.version}`)

/** Tells one file from another that has replaced it. */
const made = () => statSync(file(), { bigint: true }).ctimeNs

const isReplaced = (spoil: () => void) => {
  run()
  run()
  spoil()
  const spoilt = made()
  expect(run()).toBe("it works\n")
  run()
  expect(made()).not.toBe(spoilt)
  expect(statSync(file()).size).toBeGreaterThan(500_000)
  expect(statSync(file())).toMatchObject({ uid: process.getuid?.(), mode: 0o100600 })
  const replaced = made()
  run()
  expect(made()).toBe(replaced)
}

// On Bun and Deno tests start the command from source, where nothing is kept.
describe.skipIf(name !== "Node")("the code of the command on Node", () => {
  it("is kept by the second start, for this user alone, and used by the next; the first leaves a mark", () => {
    run()
    expect(statSync(file()).size).toBe(64)
    run()
    expect(statSync(file()).size).toBeGreaterThan(500_000)
    expect(readdirSync(join(caches, "procwire"))).toEqual([`run-node-${process.version}`])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(join(caches, "procwire")).mode & 0o777).toBe(0o700)
    const first = made()
    expect(run()).toBe("it works\n")
    expect(made()).toBe(first)
  })

  it("is kept by a server that goes on, too", async () => {
    const server = spawn(node, [...program, "serve", "--listen", "stdio"], { env: env(), stdio: "pipe" })
    const exited = once(server, "exit")
    const kept = join(caches, "procwire", `serve-node-${process.version}`)
    while (!existsSync(kept)) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(server.exitCode).toBeNull()
    server.stdin.end()
    await exited
  })

  it("imports a module of the user, before and after it is kept", () => {
    const module = join(caches, "mine.mjs")
    writeFileSync(
      module,
      `await Promise.resolve("only a module may wait here")
      export const spawner = { name: "mine", spawn: (_, events) => {
        for (const name of ["stdout", "stderr"]) events.end(name)
        events.exit({ kind: "exited", code: 7 })
        return { signal() {}, kill() {}, abandonOutput() {} }
      } }`,
    )
    for (let start = 0; start < 3; start++) {
      const words = [...program, "run", "--spawner", module, "--", "anything"]
      expect(spawnSync(node, words, { env: env(), encoding: "utf8" })).toMatchObject({ status: 7 })
    }
  })

  it.each([
    ["that others may write", () => chmodSync(file(), 0o622)],
    ["of another program", () => writeFileSync(file(), `${"0".repeat(64)}${readFileSync(file(), "latin1")}`)],
    ["that is cut off", () => truncateSync(file(), 100_000)],
    ["that is empty", () => truncateSync(file(), 0)],
    [
      "behind a link",
      () => {
        const there = join(caches, "there")
        writeFileSync(there, readFileSync(file()), { mode: 0o600 })
        rmSync(file())
        symlinkSync(there, file())
      },
    ],
  ])("is replaced if it is one %s", (_, spoil) => isReplaced(spoil))

  it.skipIf(process.getuid?.() !== 0)("is replaced if it is of another user (root only)", () => {
    isReplaced(() => chownSync(file(), 65_534, 65_534))
  })

  it("is done without where no file can be, and where Node's variable forbids it", () => {
    expect(run({ XDG_CACHE_HOME: "/dev/null/no-folder" })).toBe("it works\n")
    expect(run({ XDG_CACHE_HOME: "", HOME: "" })).toBe("it works\n")
    expect(run({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBe("it works\n")
    expect(readdirSync(caches)).toEqual([])
  })
})
