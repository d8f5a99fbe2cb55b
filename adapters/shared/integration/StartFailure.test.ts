/** Errors of a client for a process that could not be started, with the path. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { ClientError } from "../../../core/client/ClientError.ts"
import type { StartOptions } from "../../../core/client/StartOptions.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"

const { connect } = Program.make(platform)
const [program, ...main] = command
const home = mkdtempSync(join(tmpdir(), "procwire-start-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const put = (name: string, content: string, mode: number) => {
  writeFileSync(join(home, name), content)
  chmodSync(join(home, name), mode)
}
put("plain", "#!/bin/sh\n", 0o644)
put("orphan", "#!/no/such/interpreter\n", 0o755)
put("text", "echo never\n", 0o755)

const missing = "No such file or directory (os error 2)"
const denied = "Permission denied (os error 13)"
const noDirectory = "Not a directory (os error 20)"

const faults: ReadonlyArray<readonly [StartOptions, string, string]> = [
  [{ argv: ["/no/such"] }, "ProgramNotFound", `cannot start /no/such: it does not exist: ${missing}`],
  [{ argv: ["./none"], cwd: home }, "ProgramNotFound", `cannot start ./none: it does not exist: ${missing}`],
  [
    { argv: ["no-such-name"] },
    "ProgramNotFound",
    `cannot start no-such-name: it is not in the PATH of the process: ${missing}`,
  ],
  [
    { argv: ["/etc/passwd/x"] },
    "ProgramNotFound",
    `cannot start /etc/passwd/x: it does not exist: ${noDirectory}`,
  ],
  [
    { argv: ["ls"], cwd: "/no/such" },
    "WorkingDirectory",
    `cannot start ls: the working directory /no/such does not exist: ${missing}`,
  ],
  [
    { argv: ["/bin/ls"], cwd: "/etc/passwd" },
    "WorkingDirectory",
    `cannot start /bin/ls: the working directory /etc/passwd is not a directory: ${noDirectory}`,
  ],
  [
    { argv: ["/bin/ls"], cwd: "/etc/passwd/x" },
    "WorkingDirectory",
    `cannot start /bin/ls: the working directory /etc/passwd/x does not exist: ${noDirectory}`,
  ],
  [
    { argv: ["/no/such"], cwd: "/nor/this" },
    "WorkingDirectory",
    `cannot start /no/such: the working directory /nor/this does not exist: ${missing}`,
  ],
  [{ argv: [home] }, "ProgramNotExecutable", `cannot start ${home}: it is a directory: ${denied}`],
  [
    { argv: ["./plain"], cwd: home },
    "ProgramNotExecutable",
    `cannot start ./plain: it may not be executed, or the working directory ${home} may not be entered: ${denied}`,
  ],
  [
    { argv: ["./orphan"], cwd: home },
    "ProgramNotExecutable",
    "cannot start ./orphan: it exists, but not the interpreter that its first line names, or its dynamic loader: " +
      missing,
  ],
  [
    { argv: ["./text"], cwd: home },
    "ProgramNotExecutable",
    "cannot start ./text: it is no program; a script needs a first line such as #!/bin/sh: " +
      "Exec format error (os error 8)",
  ],
  [{ argv: [""] }, "Server", "cannot start : missing program for pipe spawn"],
  [{ argv: ["ls", "x".repeat(4_000_000)] }, "Server", "cannot start ls: Argument list too long (os error 7)"],
]

/** The kind of a failure of the system, by the text of its error. */
const kindOf = (message: string) =>
  message.endsWith(missing)
    ? "spawnNotFound"
    : message.endsWith(denied)
      ? "spawnPermissionDenied"
      : "spawnFailed"

const places = {
  "in this process": () => connect({ inProcess: true }),
  "on a server of its own": () =>
    connect({ command: program, args: [...main, "serve", "--listen", "stdio"], stderr: "ignore" }),
}

describe.each(Object.entries(places))("A start that fails %s", (_, open) => {
  let client: Client
  beforeAll(async () => {
    client = await open()
  })
  afterAll(() => client.close())

  it.each(faults)("%#: names what is missing", async (options, reason, message) => {
    for (const tty of [false, true]) {
      const error = await client.start({ ...options, tty }).catch((error: unknown) => error)
      if (!(error instanceof ClientError)) throw new Error("it was started", { cause: error })
      const { message: said, reason: why, code, kind, serverMessage } = error
      expect({ why, code, kind, said: said.replace("PTY spawn", "pipe spawn") }).toEqual({
        why: reason,
        code: -32603,
        kind: kindOf(message),
        said: message,
      })
      expect(said.endsWith(`: ${serverMessage}`)).toBe(true)
    }
  })
})
