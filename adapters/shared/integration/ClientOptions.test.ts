/** Answers of a client to options that do not exist and to too much output, and the defaults of a terminal. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import { platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const program = Program.make(platform)

let client: Client
beforeAll(async () => {
  client = await program.connect({ inProcess: true })
})
afterAll(() => client.close())

/** Functions as a program in JavaScript sees them, without types. */
type Untyped = (...args: ReadonlyArray<unknown>) => Promise<unknown>
const untyped = <T extends object>(value: T) => value as unknown as Readonly<Record<keyof T, Untyped>>
const connect = program.connect as unknown as Untyped

const refused = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => new Error("it was not refused"),
    (cause: unknown) => cause,
  )
  expect(error).toBeInstanceOf(ClientError)
  expect(error).toMatchObject({ reason: "InvalidOption" })
  return (error as ClientError).message
}

describe("an option that does not exist", () => {
  const argv = ["true"]

  it("is refused by start and run, with the names that are near", async () => {
    const { start, run } = untyped(client)
    expect(await refused(start({ argv, stdin: true }))).toBe(
      "start has no option 'stdin': did you mean 'pipeStdin'?",
    )
    expect(await refused(run({ argv, terminalsize: {} }))).toBe(
      "run has no option 'terminalsize': did you mean 'terminalSize'?",
    )
    expect(await refused(run({ argv, maxbufer: 1 }))).toContain("did you mean 'maxBuffer'?")
    expect(await refused(start({ argv, windowsHide: true }))).toMatch(
      /^start has no option 'windowsHide': its type lists all \d+ options$/,
    )
    expect(await refused(run({ argv, timout: 1 }))).toBe(
      "run has no option 'timout': did you mean 'timeout' or 'timeoutMs'?",
    )
    expect(await refused(start(["ls", "-l"]))).toMatch(
      /^start takes an object of options, not an array: its type lists all \d+ options$/,
    )
    expect(await refused(run("ls -l"))).toMatch(
      /^run takes an object of options, not a string: its type lists all \d+ options$/,
    )
    expect(await refused(start({ argv, maxBuffer: 1 }))).toContain("start has no option 'maxBuffer'")
  })

  it("is refused by the functions on files and by HTTP", async () => {
    const [fs, http] = [untyped(client.fs), untyped(client.http)]
    const given = { recursiv: true, folowSymlinks: true }
    for (const name of ["createDirectory", "remove"] as const) {
      expect(await refused(fs[name]("/nope", given))).toBe(
        `fs.${name} has no option 'recursiv': did you mean 'recursive'?`,
      )
    }
    for (const name of ["readFile", "readTextFile", "stat"] as const) {
      expect(await refused(fs[name]("/nope", { folowSymlinks: true }))).toContain(`fs.${name} has no option`)
    }
    expect(await refused(fs.writeFile("/nope/x", "", { mode: 0o600 }))).toContain("'mode': its options are")
    expect(await refused(fs.walk("/", { depth: 1 }))).toContain("did you mean 'maxDepth'?")
    expect(await refused(fs.copy("/nope", "/nope2", { force: true }))).toContain(
      "fs.copy has no option 'force'",
    )
    expect(await refused(fs.watchMissing(["/nope"], { path: "/" }))).toContain(
      "fs.watchMissing has no option",
    )
    const url = "http://127.0.0.1:1"
    expect(await refused(http.request({ url, timeout: 5 }))).toContain("did you mean 'timeoutMs'?")
    expect(await refused(http.stream({ url, follow: true }))).toContain("http.stream has no option 'follow'")
  })

  it("is refused by connect, for the target and for the client", async () => {
    const inProcess = true
    expect(await refused(connect({ inProcess }, { clientname: "x" }))).toBe(
      "connect has no option 'clientname': did you mean 'clientName'?",
    )
    expect(await refused(connect({ inProcess, token: "x" }))).toContain(
      "a target with 'inProcess' has no option",
    )
    expect(await refused(connect({ inProcess, server: { retention: 1 } }))).toBe(
      "server has no option 'retention': did you mean 'retentionMillis'?",
    )
    expect(await refused(connect({ url: "ws://127.0.0.1:1", tokn: "x" }))).toContain("did you mean 'token'?")
    expect(await refused(connect({ command: "true", arguments: [] }))).toContain("has no option 'arguments'")
    expect(await refused(connect({ command: "true" }, { dialect: "v1" }))).toBe(
      "there is no dialect 'v1': expected current or v0",
    )
    expect(await refused(connect({ command: "true" }, { dialect: "v0", reconnect: {} }))).toContain(
      "'reconnect'",
    )
  })

  it("is refused where there is no target, which is named", async () => {
    const expected =
      'connect needs one of { url: "ws://…" }, { command: "procwire", args: ["serve", "--listen", "stdio"] } and ' +
      "{ inProcess: true }; it got "
    expect(await refused(connect({}))).toBe(`${expected}{}`)
    expect(await refused(connect())).toBe(`${expected}undefined`)
    expect(await refused(connect("ws://127.0.0.1:1"))).toBe(`${expected}'ws://127.0.0.1:1'`)
    expect(await refused(connect({ inProcess: false }))).toBe(`${expected}inProcess: false`)
    expect(await refused(connect({ url: 7000 }))).toBe(`${expected}url: 7000`)
    expect(await refused(connect({ url: "ws://127.0.0.1:1", inProcess: true }))).toBe(
      `${expected}an object with url, inProcess`,
    )
  })
})

describe("run", () => {
  it("rejects with more output than maxBuffer, says what to use instead, and terminates the process", async () => {
    const endless = "while :; do echo 0123456789; done"
    const error: unknown = await client
      .run({ argv: ["sh", "-c", endless], processId: "flood", maxBuffer: 1_000_000 })
      .catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({
      reason: "OutputTooLarge",
      message:
        "stdout has more than the 1000000 bytes of maxBuffer, and the process was terminated: start() it and read " +
        "text() or output() piece by piece, or run() it with a larger maxBuffer",
    })
    const ended = { exited: true, exitCode: 137 }
    for (let afterSeq = 0; ;) {
      const state = await client.call("process/read", { processId: "flood", afterSeq, waitMs: 60_000 })
      if (state.closed) return expect(state).toMatchObject(ended)
      afterSeq = state.nextSeq - 1
    }
  })

  it("counts each stream for itself, in bytes, up to the bound and not beyond", async () => {
    const both = ["sh", "-c", "printf éé; printf abcd >&2"]
    expect(await client.run({ argv: both, maxBuffer: 4 })).toMatchObject({
      exitCode: 0,
      stdout: "éé",
      stderr: "abcd",
      truncated: false,
    })
    await expect(client.run({ argv: both, maxBuffer: 3 })).rejects.toMatchObject({ reason: "OutputTooLarge" })
    expect(await client.run({ argv: ["true"], maxBuffer: 0 })).toMatchObject({ exitCode: 0 })
  })

  it("collects 64 MiB by default, and no more", async () => {
    const bytes = (count: number) => ["sh", "-c", `head -c ${count} /dev/zero`]
    const limit = 64 * 1024 * 1024
    expect((await client.run({ argv: bytes(limit) })).stdout.length).toBe(limit)
    await expect(client.run({ argv: bytes(limit + 1) })).rejects.toMatchObject({ reason: "OutputTooLarge" })
  })

  it("refuses a maxBuffer that is no number of bytes", async () => {
    for (const maxBuffer of [-1, 0.5, Number.NaN, Infinity, "1", null]) {
      expect(await refused(untyped(client).run({ argv: ["true"], maxBuffer }))).toBe(
        `maxBuffer is ${String(maxBuffer)}: expected bytes from 0 to 524288000 (500 MiB)`,
      )
    }
  })
})

describe("a terminal", () => {
  const says = async (options: object, command: string) =>
    (await client.run({ argv: ["sh", "-c", command], tty: true, ...options })).stdout.trim()

  it("is an xterm of 24 rows and 80 columns, unless the options say otherwise", async () => {
    expect(await says({}, "stty size; echo $TERM")).toBe("24 80\r\nxterm-256color")
    expect(await says({ env: { TERM: "dumb" } }, "echo $TERM")).toBe("dumb")
    expect(await says({ inherit: "none", env: { PATH: "/bin:/usr/bin" } }, "echo $TERM")).toBe(
      "xterm-256color",
    )
    const envPolicy = {
      inherit: "core",
      ignoreDefaultExcludes: false,
      exclude: [],
      set: { TERM: "vt100" },
      includeOnly: [],
    }
    expect(await says({ envPolicy }, "echo $TERM")).toBe("vt100")
    expect(await says({ terminalSize: { rows: 5, columns: 9 } }, "stty size")).toBe("5 9")
    const piped = await client.run({ argv: ["/bin/sh", "-c", "echo ${TERM-none}"], inherit: "none" })
    expect(piped.stdout).toBe("none\n")
  })

  it("has what top needs", async () => {
    const { exitCode } = await client.run({ argv: ["sh", "-c", "command -v top"] })
    const [program, shows] = exitCode === 0 ? ["top -n 1", "PID"] : ["tput cols && tput clear", "80"]
    const seen = await client.run({ argv: ["sh", "-c", program], tty: true })
    expect(seen).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(shows) as string })
  })
})
