/** Commands of a client that have streams of its program, or files of its machine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import * as Dialects from "../../../core/client/Dialects.ts"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { RunOptions } from "../../../core/client/RunOptions.ts"
import * as Bundled from "../../testing/Bundled.ts"
import { connect } from "../../testing/Client.ts"
import { platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import * as Turns from "../testing/Turns.ts"

const program = Bundled.program("InheritingProgram")
const folder = mkdtempSync(join(tmpdir(), "procwire-streams-"))
let client: Client
beforeAll(async () => {
  client = await connect({ inProcess: true })
})
afterAll(async () => {
  await client.close()
  program.remove()
  rmSync(folder, { recursive: true })
})

const failure = async (promise: PromiseLike<unknown>): Promise<ClientError> => {
  const error = await promise.then(
    () => new Error("it did not reject"),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const untyped = (options: object) => options as RunOptions

/** Runs all with the streams of a program, and tells what came through them. */
const launch = (...options: ReadonlyArray<RunOptions>) => {
  const [file, ...args] = program.args
  const child = spawn(file, [...args, JSON.stringify(options)], { stdio: ["pipe", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return {
    child,
    ended: once(child, "exit"),
    out: text(child.stdout).catch(() => "gone"),
    err: text(child.stderr),
  }
}

/** Every `ended` line, and what else there was. */
const parted = (err: string) => {
  const lines = err.split("\n").filter((line) => line !== "")
  const ends = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as unknown)
  return { ends, rest: lines.filter((line) => !line.startsWith("{")) }
}

const sh = (script: string): { readonly argv: ReadonlyArray<string> } => ({ argv: ["sh", "-c", script] })

describe("inherited streams", () => {
  it("are those of the program: output goes there as it comes, and is not in the result", async () => {
    const { child, ended, out, err } = launch(
      { ...sh("echo out; echo err >&2; cat"), stdio: "inherit" },
      { ...sh("echo one; echo two >&2"), stdout: "inherit" },
      { ...sh("echo three; echo four >&2"), stderr: "inherit", stdout: "ignore" },
      { ...sh("cat; echo five"), stdio: "inherit", stdin: "ignore" },
    )
    child.stdin.end("typed\n")
    expect(await ended).toEqual([0, null])
    expect(await out).toBe("out\ntyped\none\nfive\n")
    expect(parted(await err)).toEqual({
      ends: [
        { exitCode: 0, stdout: "", stderr: "" },
        { exitCode: 0, stdout: "", stderr: "two\n" },
        { exitCode: 0, stdout: "", stderr: "" },
        { exitCode: 0, stdout: "", stderr: "" },
      ],
      rest: ["err", "four"],
    })
  })

  it("hold no program that has nothing else to do, and the next command reads on", async () => {
    const { child, ended, out } = launch(
      { argv: ["true"], stdin: "inherit" },
      { ...sh("head -n 1"), stdin: "inherit", stdout: "inherit" },
    )
    // Input of the time of the first one would be its own.
    await once(child.stderr, "data")
    child.stdin.write("typed\n")
    // stdin stays open.
    expect(await ended).toEqual([0, null])
    expect(await out).toBe("typed\n")
  })

  it("come while the command runs, and a terminal shows there, too", async () => {
    const { child, ended, out } = launch(
      { ...sh("echo ready; read -r line; echo got $line"), stdio: "inherit" },
      { ...sh("stty size"), tty: true, stdout: "inherit" },
    )
    let answered = false
    child.stdout.on("data", () => {
      if (!answered) child.stdin.write("it\n")
      answered = true
    })
    expect(await ended).toEqual([0, null])
    expect(await out).toBe("ready\ngot it\n24 80\r\n")
  })

  it("end the command when they are gone, with the reason", async () => {
    const { child, ended, err } = launch({ ...sh("while :; do echo y; done"), stdout: "inherit" })
    child.stdout.destroy()
    expect(await ended).toEqual([0, null])
    const [end] = parted(await err).ends
    expect(end).toEqual({
      message: expect.stringMatching(
        /^cannot write to the stdout of this program: .*[Bb]roken pipe/,
      ) as string,
    })
  })
})

describe("a verbose command", () => {
  it("says what it is, to be pasted, and how and when it has ended, on stderr", async () => {
    const { ended, err } = launch(
      { argv: ["printf", "%s", "it's", "a b"], verbose: true },
      { argv: ["sh", "-c", "exit 3"], verbose: true, retry: 1 },
      { argv: ["true"] },
    )
    expect(await ended).toEqual([0, null])
    const { rest } = parted(await err)
    const failed = ["$ sh -c 'exit 3'", expect.stringMatching(/^# sh exited with 3 after \d+ ms$/)]
    expect(rest).toEqual([
      "$ printf %s 'it'\\''s' 'a b'",
      expect.stringMatching(/^# printf exited with 0 after \d+ ms$/),
      ...failed,
      ...failed,
    ])
    const shell = spawn("sh", ["-c", (rest[0] ?? "").slice(2)], { stdio: ["ignore", "pipe", "inherit"] })
    expect(await text(shell.stdout)).toBe("it'sa b")
  })
})

describe("a file of this machine", () => {
  const read = (name: string) => readFileSync(join(folder, name), "utf8")

  it("gets the output, from its beginning or at its end, and the result has none of it", async () => {
    const file = join(folder, "out")
    const both = sh("echo out; echo err >&2")
    expect(await client.run({ ...both, stdout: { file } })).toMatchObject({ stdout: "", stderr: "err\n" })
    expect(read("out")).toBe("out\n")
    await client.run({ ...both, stdout: { file, append: true }, stderr: "ignore" })
    expect(read("out")).toBe("out\nout\n")
    await client.$({ stdout: { file } })`echo ${"again"}`
    expect(read("out")).toBe("again\n")
  })

  it("may be that of both streams, which come in order", async () => {
    const file = join(folder, "both")
    writeFileSync(file, "old\n")
    const script = "echo 1; read -r line; echo 2 >&2; read -r line; echo 3"
    await client.run({ ...sh(script), ...Turns.lines(2), stdout: { file }, stderr: { file } })
    expect(read("both")).toBe("1\n2\n3\n")
  })

  it("may have more than maxBuffer", async () => {
    const file = join(folder, "many")
    await client.run({ argv: ["seq", "1", "100000"], maxBuffer: 10, stdout: { file } })
    expect(read("many")).toHaveLength(588_895)
  })

  it("that cannot be written is an error with its code, and nothing is started", async () => {
    const started = join(folder, "started")
    const argv = ["touch", started]
    const file = join(folder, "no/such")
    expect(await failure(client.run({ argv, stdout: { file } }))).toMatchObject({
      reason: "OutputFailed",
      code: "ENOENT",
      message: expect.stringMatching(`^cannot write to ${file}: [Nn]o such file or directory`) as string,
    })
    expect(() => readFileSync(started)).toThrow("ENOENT")
    const locked = join(folder, "locked")
    writeFileSync(locked, "")
    chmodSync(locked, 0o400)
    if (process.getuid?.() === 0) return
    expect(await failure(client.run({ argv, stderr: { file: locked } }))).toMatchObject({ code: "EACCES" })
  })

  it("that is full ends the command", async () => {
    const error = await failure(client.run({ argv: ["yes"], stdout: { file: "/dev/full" } }))
    expect(error).toMatchObject({ reason: "OutputFailed", code: "ENOSPC" })
  })
})

describe("streams between commands", () => {
  it("are the pipe, whatever the streams of both are", async () => {
    const file = join(folder, "piped")
    const $ = client.$({ stdout: { file }, stderr: "ignore" })
    expect(await $`sh -c ${"echo b; echo a; echo bad >&2"}`.pipe`sort`).toMatchObject({ stdout: "" })
    expect(readFileSync(file, "utf8")).toBe("a\nb\n")
  })

  it("cannot be read where they are not collected", async () => {
    const ignored = client.$({ stdout: "ignore" })`echo x`
    const message = 'has no stdout to read: it is "ignore", and not "pipe"'
    expect((await failure(ignored.text())).message).toBe(`text: echo ${message}`)
    expect((await failure(ignored.json())).message).toBe(`json: echo ${message}`)
    expect((await failure(ignored.bytes())).message).toBe(`bytes: echo ${message}`)
    expect(() => ignored.lines()).toThrow(`lines: echo ${message}`)
    expect(await ignored).toMatchObject({ exitCode: 0, stdout: "" })
  })
})

describe("what cannot be", () => {
  const argv = ["true"]

  it.each([
    [{ stdio: "inherrit" }, 'stdio is "inherrit": expected "pipe", "inherit" or "ignore"; '],
    [
      { stdio: ["inherit"] },
      'stdio is ["inherit"]: expected "pipe", "inherit" or "ignore"; stdin, stdout and',
    ],
    [{ stdin: "pipe" }, 'stdin is "pipe": expected "inherit" or "ignore"; input is what it reads'],
    [{ stdout: { path: "x" } }, 'stdout is {"path":"x"}: expected "pipe", "inherit", "ignore" or { file: "'],
    [{ stderr: 2 }, "stderr is 2: expected"],
    [{ stdin: "inherit", input: "x" }, 'input and stdin: "inherit" exclude each other'],
    [
      { stdin: "inherit", tty: true },
      'stdin: "inherit" gives a process no terminal to read from: leave tty out',
    ],
    [{ stdio: "inherit", tty: true }, 'stdio: "inherit" gives a process no terminal to read from'],
  ])("is refused: %j", async (options, message) => {
    const error = await failure(client.run(untyped({ argv, ...options })))
    expect(error).toMatchObject({
      reason: "InvalidOption",
      message: expect.stringContaining(message) as string,
    })
  })

  it("is refused by a client without a program around it, as in a page", async () => {
    const bare = await Dialects.connect(Program.make(platform).open({ inProcess: true }))
    const needs =
      "needs streams and files of this program: clients of procwire/node, bun and deno have them, a page has none"
    const message = async (options: object) => (await failure(bare.run({ argv, ...options }))).message
    expect(await message({ stdin: "inherit" })).toBe(`stdin: "inherit" ${needs}`)
    expect(await message({ stdout: "inherit" })).toBe(`stdout: "inherit" ${needs}`)
    expect(await message({ stdio: "inherit", stdin: "ignore" })).toBe(`stdout: "inherit" ${needs}`)
    expect(await message({ stderr: { file: "x" } })).toBe(`stderr: { file } ${needs}`)
    expect(await message({ verbose: true })).toBe(`verbose: true ${needs}`)
    expect((await failure(bare.$({ stdout: { file: "x" } })`true`)).message).toBe(`stdout: { file } ${needs}`)
    expect(await bare.run({ ...sh("echo x; echo y >&2"), stdout: "ignore" })).toMatchObject({
      stdout: "",
      stderr: "y\n",
    })
    await bare.close()
  })
})
