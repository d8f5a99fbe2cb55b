/** cli/: `run` where stdin cannot be read, its folder is gone, or a word is not UTF-8. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { command, name } from "../../testing/Runtime.ts"

const [program, ...main] = command
const folder = mkdtempSync(join(tmpdir(), "procwire-places-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Deno ends stdin where reading fails, does not start in a folder that is gone, and does not let /proc be read. */
const onLinux = it.runIf(process.platform === "linux" && name !== "Deno")

/** Runs a script of `sh` in which "$@" is the command of procwire. */
const shell = (script: string) => {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "sh", program, ...main], {
    cwd: folder,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    timeout: 60_000,
  })
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() }
}

describe("procwire run", () => {
  it("ends with the error where stdin is a folder", () => {
    expect(shell('"$@" run -- cat < /tmp')).toEqual({
      code: 125,
      stdout: "",
      stderr: expect.stringContaining("procwire: cannot read stdin: Is a directory"),
    })
  })

  onLinux("ends with the error where reading stdin fails", () => {
    const stdin = openSync("/proc/self/mem", "r")
    const child = spawnSync(program, [...main, "run", "--", "cat"], { stdio: [stdin, "pipe", "pipe"] })
    expect([child.status, child.stderr.toString()]).toEqual([
      125,
      expect.stringMatching(/procwire: cannot read stdin: I\/O error/),
    ])
  })

  onLinux("says that its folder is gone, and works with -w", () => {
    const gone = 'mkdir gone && cd gone && rmdir ../gone && "$@"'
    expect(shell(`${gone} run -w /tmp -- pwd`)).toEqual({ code: 0, stdout: "/tmp\n", stderr: "" })
    expect(shell(`${gone} run -- pwd`)).toEqual({
      code: 125,
      stdout: "",
      stderr: expect.stringMatching(/the working directory .*gone does not exist/),
    })
  })

  onLinux("lets serve start in a folder that is gone", async () => {
    const script = 'mkdir left && cd left && rmdir ../left && exec "$@" serve --listen tcp://127.0.0.1:0'
    const server = spawn("sh", ["-c", script, "sh", program, ...main], { cwd: folder })
    const line = await new Promise<string>((resolve) => {
      server.stdout.on("data", (bytes: Buffer) => resolve(bytes.toString()))
      server.on("exit", (code) => resolve(`exit ${code}`))
    })
    expect(line).toMatch(/^tcp:/)
    server.kill("SIGKILL")
  })

  onLinux("gives agents the folder of --cwd in one that is gone", () => {
    const hello = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    })
    expect(shell(`mkdir away && cd away && rmdir ../away && echo '${hello}' | "$@" mcp --cwd /`)).toEqual({
      code: 0,
      stdout: expect.stringContaining("in / on linux"),
      stderr: "",
    })
  })

  onLinux("refuses a word that is not UTF-8 by its place, and takes such a folder", () => {
    expect(shell(`"$@" run -- printf %s $'a\\xffb'`)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("word 3 of the command is not UTF-8"),
    })
    expect(shell(`"$@" run -- $'a\\xff'`).stderr).toContain("word 1 of the command is not UTF-8")
    expect(shell(`A=$'a\\xff' "$@" run -- true`)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("the variable A is not UTF-8"),
    })
    expect(shell(`A=$'a\\xff' "$@" run -e A=b -- sh -c 'echo $A'`)).toMatchObject({ code: 0, stdout: "b\n" })
    expect(
      shell(`d=$'f\\xff'; mkdir "$d" && "$@" run -w "$PWD/$d" -- sh -c 'pwd | od -An -c' | grep -c 377`),
    ).toMatchObject({
      code: 0,
      stdout: "1\n",
    })
  })
})
