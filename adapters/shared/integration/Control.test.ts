/** cli/: what a user does with processes in the background: their output, signals, input, and waiting for them. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { name as runtime, unboundCommand } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

// Streams depend on the runtime; who asks for what, and what is answered, does not.
const itOnNode = it.runIf(runtime === "Node")

const ok = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr })

/** Starts a shell script in the background. */
const run = async (
  { call }: Program.Program,
  name: string,
  script: string,
  ...flags: ReadonlyArray<string>
) =>
  expect(await call("run", "-d", "--name", name, ...flags, "--", "sh", "-c", script)).toEqual(ok(`${name}\n`))

describe("the output of a process in the background", () => {
  itOnNode("is there as a whole, as its last lines, and by a search", async () => {
    const program = Program.make()
    const { call } = program
    await run(program, "web", "for i in 1 2 3 4; do echo line $i; done; echo oops >&2; printf end")
    expect(await call("wait", "web", "--for", "closed")).toEqual(ok("closed\n"))
    const lines = "line 1\nline 2\nline 3\nline 4\n"
    expect(await call("logs", "web")).toEqual(ok(`${lines}end`, "oops\n"))
    await run(program, "lines", "seq 1 9; printf end")
    await call("wait", "lines", "--for", "closed")
    expect(await call("logs", "-n", "3", "lines")).toEqual(ok("8\n9\nend"))
    expect(await call("logs", "-n", "0", "lines")).toEqual(ok(""))
    expect(await call("logs", "--grep", "LINE [24]", "-i", "web")).toEqual(ok("line 2\nline 4\n"))
    expect(await call("logs", "--since", "1h", "web")).toMatchObject({ stdout: `${lines}end` })
    expect(await call("logs", "--since", "2100-01-01", "web")).toEqual(ok(""))
    expect(await call("logs", "--since", "2100-01-01", "-n", "2", "lines")).toEqual(ok(""))
    expect(await call("logs", "--since", "1h", "-n", "2", "lines")).toEqual(ok("9\nend"))
    const stamp = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `
    const { stdout, stderr } = await call("logs", "-t", "web")
    expect(stdout.replaceAll(new RegExp(stamp, "g"), "@")).toBe(`${lines}end`.replaceAll(/^(?=.)/gm, "@"))
    expect(stderr).toMatch(new RegExp(`^${stamp}oops\n$`))
  })

  it("is followed to its end, and complete, however much there is", async () => {
    const program = Program.make()
    const { call, folder, start } = program
    // More than the memory of the server and that of a socket hold; it goes on when the follower is there.
    await run(program, "flood", `seq 1 300000; until [ -e go ]; do sleep 0.05; done; seq 300001 600000`)
    const follower = start("logs", "-f", "flood")
    let seen = ""
    follower.stdout?.setEncoding("utf8").on("data", (text: string) => (seen += text))
    const ended = new Promise((resolve) => follower.once("close", resolve))
    while (!seen.includes("\n1000\n")) await new Promise((resolve) => follower.stdout?.once("data", resolve))
    fs.writeFileSync(folder.at("go"), "")
    expect(await ended).toBe(0)
    expect(seen.length).toBe((await call("logs", "flood")).stdout.length)
    expect(seen.endsWith("\n599999\n600000\n")).toBe(true)
    expect(seen.split("\n").length).toBe(600_001)
  })

  it("ends quietly where its reader goes", async () => {
    const program = Program.make()
    const { folder } = program
    await run(program, "long", "seq 1 100000")
    const child = program.start("logs", "-f", "long")
    child.stdout?.once("data", () => child.stdout?.destroy())
    let stderr = ""
    child.stderr?.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(141)
    expect(stderr).toBe("")
    expect(fs.existsSync(folder.path)).toBe(true)
  })
})

describe("a command whose stdout is a full disk", () => {
  // Deno opens no devices.
  it.skipIf(runtime === "Deno").each([
    [["--help"], "procwire: cannot write to stdout: No space left on device (os error 28)\n", 1],
    [["ps", "-a"], "procwire: cannot write to stdout: No space left on device (os error 28)\n", 1],
    [
      ["run", "--", "echo", "hi"],
      "procwire: cannot write to stdout: No space left on device (os error 28)\n",
      125,
    ],
  ])("says so: %j", async (words, told, code) => {
    const { call } = Program.make({}, ["sh", "-c", 'exec "$@" > /dev/full', "sh", ...unboundCommand])
    expect(await call(...words)).toEqual({ code, stdout: "", stderr: told })
  })
})

describe("a command whose stdout takes no bytes", () => {
  itOnNode.each([
    [["--version"], 1],
    [["run", "--", "echo", "hi"], 125],
  ])("says so: %j", async (words, code) => {
    // Node, Bun and Deno open /dev/null in the place of one that is closed, as for a caller that wants no output.
    const { call } = Program.make({}, ["sh", "-c", 'exec "$@" 1</dev/null', "sh", ...unboundCommand])
    const stderr = "procwire: cannot write to stdout: Bad file descriptor (os error 9)\n"
    expect(await call(...words)).toEqual({ code, stdout: "", stderr })
  })
})

describe("a wait", () => {
  itOnNode("tells which condition has come, or that none can", async () => {
    const program = Program.make()
    const { call } = program
    await run(program, "web", "echo READY; read line; exit 3", "-i")
    expect(await call("wait", "web", "--for", "text:READY", "--for", "exit")).toEqual(ok("text:READY\n"))
    expect(await call("wait", "web", "--for", "text:never", "--timeout", "1ms")).toEqual({
      code: 124,
      stdout: "",
      stderr: "procwire: web: text:never has not come within 1ms\n",
    })
    const waiting = call("wait", "web")
    expect(await program.feed("x\n", "write", "web")).toEqual(ok(""))
    expect(await waiting).toEqual(ok("3\n"))
    expect(await call("wait", "web", "--for", "text:never")).toEqual({
      code: 1,
      stdout: "",
      stderr: "procwire: web has ended (exit code 3) before text:never\n",
    })
    expect(JSON.parse((await call("wait", "--json", "web")).stdout)).toMatchObject({ met: "exit" })
  })
})

describe("input for a process in the background", () => {
  it("is written to its stdin, with its end, and typed by the names of keys", async () => {
    const program = Program.make()
    const { call, feed } = program
    await run(program, "sorter", "sort; echo done", "-i")
    expect(await feed("b\na\n", "write", "--eof", "sorter")).toEqual(ok(""))
    expect((await call("wait", "sorter", "--for", "closed")).code).toBe(0)
    expect((await call("logs", "sorter")).stdout).toBe("a\nb\ndone\n")
    await run(
      program,
      "shell",
      "trap 'echo got INT' INT; echo ready; while :; do read x && echo $x; done",
      "-t",
    )
    expect((await call("wait", "shell", "--for", "text:ready")).code).toBe(0)
    expect(await call("send", "shell", "say{Enter}")).toEqual(ok(""))
    // Ctrl-C drops what has not been read yet.
    expect((await call("wait", "shell", "--for", "match:say\r\nsay", "--timeout", "60s")).code).toBe(0)
    expect(await call("send", "shell", "{C-c}")).toEqual(ok(""))
    expect((await call("wait", "shell", "--for", "text:got INT", "--timeout", "60s")).code).toBe(0)
    expect(await call("send", "shell", "{Entre}")).toMatchObject({ code: 2 })
    expect(await feed("x", "write", "sorter")).toMatchObject({ code: 1 })
  })
})

describe("the end of a process in the background", () => {
  itOnNode("comes by a signal, and with a grace by the server", async () => {
    const program = Program.make()
    const { call } = program
    const stubborn = "trap 'echo no' TERM; echo ready; while :; do sleep 0.05; done"
    await run(program, "stubborn", stubborn)
    await run(program, "mild", "echo ready; exec sleep 600")
    for (const name of ["stubborn", "mild"]) await call("wait", name, "--for", "text:ready")
    expect(await call("kill", "stubborn", "mild")).toEqual(ok(""))
    expect(await call("wait", "mild")).toEqual(ok("143\n"))
    expect(await call("wait", "stubborn", "--for", "text:no")).toEqual(ok("text:no\n"))
    expect(await call("kill", "--grace", "1ms", "stubborn")).toEqual(ok(""))
    expect(await call("wait", "stubborn")).toEqual(ok("137\n"))
    expect(await call("kill", "-9", "mild", "nobody")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "procwire: mild has ended already (exited 143)\nprocwire: no process is called nobody; procwire ps -a lists them\n",
    })
  })

  itOnNode("is kept until it is removed", async () => {
    const program = Program.make()
    const { call } = program
    await run(program, "one", "exit 1")
    await run(program, "two", "true")
    await run(program, "three", "exec sleep 600")
    expect(await call("wait", "one")).toEqual(ok("1\n"))
    expect(await call("wait", "two")).toEqual(ok("0\n"))
    expect(await call("rm", "three")).toEqual({
      code: 1,
      stdout: "",
      stderr: "procwire: three runs: end it with procwire kill three, or give --force\n",
    })
    expect(await call("rm", "one", "-f", "three")).toEqual(ok("one\nthree\n"))
    expect(await call("ps", "-aq")).toEqual(ok("two\n"))
    expect(await call("prune")).toEqual(ok("two\n"))
    expect(await call("ps", "-aq")).toEqual(ok(""))
    expect(await call("run", "-d", "--name", "one", "--", "true")).toEqual(ok("one\n"))
  })

  itOnNode("is told with all facts, and with --verbose where that comes from", async () => {
    const program = Program.make()
    await run(program, "web", "exit 4")
    await program.call("wait", "web")
    const { stdout } = await program.call("inspect", "--json", "web")
    expect(JSON.parse(stdout)).toMatchObject({
      ref: "web",
      exitCode: 4,
      kept: true,
      directory: program.folder.path,
    })
    const { stdout: names, stderr } = await program.call("ps", "-avq")
    expect(names).toBe("web\n")
    expect(stderr).toMatch(/message="the server is your own"[^]*message=connected .*version=/)
  })
})

describe("a name that is none", () => {
  itOnNode("is answered with what was meant, by every command", async () => {
    const program = Program.make()
    const { call } = program
    await run(program, "server", "exec sleep 600")
    const message =
      "procwire: no process is called servre; did you mean 'server'? (procwire ps -a lists them all)\n"
    for (const name of ["logs", "wait", "kill", "rm", "inspect", "write", "attach"])
      expect(await call(name, "servre"), name).toEqual({ code: 1, stdout: "", stderr: message })
    expect(await call("logs")).toMatchObject({ code: 2 })
    expect((await call("complete", "--", "logs", "se")).stdout).toBe(
      "words\nserver\trunning: sh -c 'exec sleep 600'\n",
    )
  })
})
