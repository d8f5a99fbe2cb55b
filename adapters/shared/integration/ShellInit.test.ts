/** `procwire shell-init`: real shells on real PTYs, driven command by command, whose marks tell the exit codes. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import type { ProcessEvent } from "../../../core/client/ProcessEvent.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command
const shellInit = (...args: ReadonlyArray<string>) =>
  spawnSync(program, [...main, "shell-init", ...args], { encoding: "utf8" })

const folder = mkdtempSync(join(tmpdir(), "procwire-shell-"))
const odd = join(folder, "a;b\\c é")
let client: Client

beforeAll(async () => {
  mkdirSync(odd)
  client = await connect({ inProcess: true })
}, 60_000)
afterAll(async () => {
  await client.close()
  rmSync(folder, { recursive: true })
})

/** The start of each shell with a file of its own, and no other. */
const shells = {
  bash: (rc: string) => ["bash", "--noprofile", "--rcfile", rc, "-i"] as const,
  zsh: () => ["zsh", "-d", "-i"] as const,
}

const isHere = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0

const start = async (shell: keyof typeof shells) => {
  const init = shellInit(shell)
  expect(init).toMatchObject({ status: 0, stderr: "" })
  const rc = join(folder, ".zshrc")
  writeFileSync(rc, `${init.stdout}${init.stdout}PS1='> '\n`)
  const process = await client.start({
    argv: shells[shell](rc),
    cwd: folder,
    env: { ZDOTDIR: folder, HOME: folder },
    tty: true,
    marks: true,
  })
  const events = process[Symbol.asyncIterator]()
  const mark = async (): Promise<ProcessEvent> => {
    for (;;) {
      const { value, done } = await events.next()
      if (done === true) throw new Error("the events have ended")
      if (value.kind === "mark" || value.kind === "exited") return value
    }
  }
  return { process, mark }
}

for (const shell of ["bash", "zsh"] as const) {
  describe.skipIf(!isHere(shell))(`procwire shell-init ${shell} (skipped where there is no ${shell})`, () => {
    it("lets one shell be driven command by command, with exit codes and the directory", async () => {
      const { process, mark } = await start(shell)
      const at = { kind: "mark", exitCode: null, cwd: folder }
      expect(await mark()).toMatchObject({ ...at, mark: "promptStart" })
      const run = async (line: string, exitCode: number, cwd = folder) => {
        await process.write(`${line}\n`)
        const before = await mark()
        expect(before, line).toMatchObject({ kind: "mark", mark: "commandStart" })
        expect(await mark(), line).toMatchObject({ kind: "mark", mark: "commandEnd", exitCode, cwd })
        expect(await mark(), line).toMatchObject({ kind: "mark", mark: "promptStart", cwd })
      }
      await run("true", 0)
      await run("(exit 3)", 3)
      await run("sh -c 'kill -9 $$'", 137)
      await run("cd 'a;b\\c é'", 0, odd)
      await run("false", 1, odd)
      // An empty line is no command.
      await process.write("\n")
      expect(await mark()).toMatchObject({ kind: "mark", mark: "promptStart", cwd: odd })
      await run("cd ..; false; true", 0)
      await process.write("exit 5\n")
      expect(await mark()).toMatchObject({ mark: "commandStart" })
      expect(await mark()).toMatchObject({ kind: "exited", exitCode: 5 })
    })
  })
}

it("procwire shell-init names the shells that it knows", () => {
  for (const [args, message] of [
    [[], "procwire: no shell is named: expected bash or zsh"],
    [["fish"], "procwire: invalid shell 'fish': expected bash or zsh"],
    [["bash", "zsh"], "procwire: invalid shell 'bash zsh': expected bash or zsh"],
    [["--wrong"], "procwire: unexpected argument '--wrong'"],
  ] as const) {
    const { status, stderr } = shellInit(...args)
    expect({ status, first: stderr.split("\n")[0] }).toMatchObject({
      status: 2,
      first: expect.stringContaining(message) as string,
    })
  }
})
