/** cli/: the built program as a user runs it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { command, name } from "../../testing/Runtime.ts"
import { CuttingProxy } from "../testing/CuttingProxy.ts"

const [program, ...main] = command

/** Words are read, and help is printed, in the same way on every runtime. */
const itOnNode = it.runIf(name === "Node")

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const start = (args: ReadonlyArray<string>) => spawn(program, [...main, ...args], { stdio: "pipe" })

/** Collects what a process prints from now on, and its exit code. */
const ended = (child: ReturnType<typeof start>): Promise<Ended> =>
  new Promise((resolve) => {
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
    child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })

const procwire = (args: ReadonlyArray<string>, input: string | undefined = ""): Promise<Ended> => {
  const child = start(args)
  child.stdin.end(input)
  return ended(child)
}

const run = (...args: ReadonlyArray<string>) => procwire(["run", ...args])
const shell = (script: string) => run("--", "sh", "-c", script)

describe("procwire run", () => {
  it("prints what the command prints, on the stream where it does, and exits with its code", async () => {
    expect(await shell("echo out; echo err >&2; exit 7")).toEqual({
      code: 7,
      stdout: "out\n",
      stderr: "err\n",
    })
  })

  it("forwards stdin and its end", async () => {
    expect(await procwire(["run", "--", "tr", "a-z", "A-Z"], "hello")).toMatchObject({
      code: 0,
      stdout: "HELLO",
    })
  })

  it("says 128 + n for a death by signal n", async () => {
    expect(await shell("kill -9 $$")).toMatchObject({ code: 137 })
  })

  it("says 127, 126 and 125 for what kept the command from running", async () => {
    expect(await run("--", "no-such-program")).toEqual({
      code: 127,
      stdout: "",
      stderr:
        "procwire: cannot start no-such-program: it is not in the PATH of the process: " +
        "No such file or directory (os error 2)\n",
    })
    expect(await run("--", "/")).toMatchObject({
      code: 126,
      stderr: "procwire: cannot start /: it is a directory: Permission denied (os error 13)\n",
    })
    expect(await run("--cwd", "/no/such/folder", "--", "ls")).toEqual({
      code: 125,
      stdout: "",
      stderr:
        "procwire: cannot start ls: the working directory /no/such/folder does not exist: " +
        "No such file or directory (os error 2)\n",
    })
    expect(await run("--server", "ws://127.0.0.1:1", "--", "ls")).toMatchObject({ code: 125, stdout: "" })
  })

  it("gives a PTY to a command that asks for one", async () => {
    const { stdout, code } = await run("--tty", "--", "sh", "-c", "test -t 0 && test -t 1 && stty size")
    expect({ stdout, code }).toEqual({ stdout: "24 80\r\n", code: 0 })
  })

  it("does not wait for what the command leaves behind", async () => {
    expect(await shell("sleep 600 & echo done")).toMatchObject({ code: 0, stdout: "done\n" })
  })

  it("loses nothing of a large output", async () => {
    const { stdout } = await shell("seq 1 400000")
    expect(stdout.length).toBe(2_688_895)
    expect(stdout.endsWith("399999\n400000\n")).toBe(true)
  })

  it("works through a server behind a command", async () => {
    const server = `${command.map((word) => `"${word}"`).join(" ")} serve --listen stdio`
    expect(await run("--server-cmd", server, "--", "echo", "far")).toEqual({
      code: 0,
      stdout: "far\n",
      stderr: "",
    })
  })

  it("goes on with a running server after the connection was lost, and says that it was", async () => {
    const server = spawn(program, [...main, "serve"], { stdio: ["ignore", "pipe", "inherit"] })
    const [line] = (await once(server.stdout, "data")) as [Buffer]
    const proxy = await CuttingProxy.make(line.toString().trim())
    const script = "for i in $(seq 1 40); do echo $i; sleep 0.05; done; exit 4"
    const child = start(["run", "--server", proxy.url, "--", "sh", "-c", script])
    const [first] = (await once(child.stdout, "data")) as [Buffer]
    const running = ended(child)
    for (let i = 0; i < 2; i++) {
      await setTimeout(400)
      proxy.cut()
    }
    const { code, stdout, stderr } = await running
    expect(code).toBe(4)
    expect(`${first.toString()}${stdout}`).toBe(Array.from({ length: 40 }, (_, i) => `${i + 1}\n`).join(""))
    expect(stderr).toContain("procwire: connection lost, reconnecting; Ctrl-C gives up\n")
    proxy.close()
    server.kill("SIGKILL")
  })
})

describe("procwire", () => {
  itOnNode("shows help for every command, with examples, on stdout", async () => {
    for (const args of [["--help"], ["help"], ["serve", "--help"], ["run", "-h"], ["mcp", "--help"]]) {
      const { code, stdout, stderr } = await procwire(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(stdout).toContain("Examples:")
    }
  })

  it("has the version of its package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"))
    expect((await procwire(["--version"])).stdout).toBe(`procwire ${version}\n`)
  })

  itOnNode("names wrong words and exits with 2", async () => {
    expect(await procwire(["bogus"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unrecognized command 'bogus'"),
    })
    expect(await procwire(["serve", "--bogus"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--bogus'"),
    })
    expect(await procwire(["serve", "--bwrap", "/nowhere/bwrap"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("invalid value '/nowhere/bwrap' for '--bwrap'"),
    })
    expect(await procwire(["serve", "--retention-ms", "soon"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("invalid value 'soon' for '--retention-ms'"),
    })
    expect(await procwire([])).toMatchObject({ code: 2, stdout: "" })
  })
})
