/** cli/: pictures of terminals, recordings, and what plays them, as a user has them. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import process from "node:process"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import * as Asciicast from "../../../core/client/asciicast/index.ts"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" })

const castOf = (text: string) => Result.getOrThrow(Asciicast.read(text))

const outputOf = (text: string) =>
  castOf(text)
    .events.map((event) => (event.kind === "output" ? event.text : ""))
    .join("")

/** Starts a script in a terminal, and waits until it has printed this. */
const begin = async ({ call }: Program.Program, name: string, script: string, text: string) => {
  expect(await call("run", "-d", "-t", "--name", name, "--", "sh", "-c", script)).toEqual(ok(`${name}\n`))
  expect((await call("wait", name, "--for", `text:${text}`)).code).toBe(0)
}

const hasXterm = (() => {
  try {
    return createRequire(import.meta.url).resolve("@xterm/headless") !== ""
  } catch {
    return false
  }
})()

describe("the picture of a process", () => {
  it.skipIf(!hasXterm)("is text, what paints it, or JSON, on stdout or in a file", async () => {
    const program = Program.make()
    const { call, folder } = program
    const script = `printf 'one\\r\\n\\033]0;the title\\007\\033[1;31mred\\033[m 語 end'; exec sleep 600`
    await begin(program, "editor", script, " end")
    expect(await call("screen", "editor")).toEqual(ok("one\nred 語 end\n"))
    const { stdout } = await call("screen", "--json", "editor")
    expect(JSON.parse(stdout)).toMatchObject({
      text: "one\nred 語 end",
      title: "the title",
      cursor: { row: 1, column: 10 },
    })
    expect((JSON.parse(stdout) as { lines: ReadonlyArray<unknown> }).lines[1]).toMatchObject({
      spans: [{ text: "red", foreground: 1, bold: true }, {}, {}, {}],
    })
    expect((await call("screen", "--ansi", "editor")).stdout).toContain("\u001b[")
    expect(await call("screen", "--ansi", "-o", "editor.ansi", "editor")).toEqual(ok(""))
    expect(fs.readFileSync(folder.at("editor.ansi"), "utf8")).toContain("\u001b[")
    expect(folder.sh("ls")).not.toContain(".part")
    expect(await call("screen", "-o", "missing/x", "editor")).toMatchObject({
      code: 1,
      stderr: "procwire: cannot write missing/x: No such file or directory (os error 2)\n",
    })
    expect(await call("screen", "--ansi", "--json", "editor")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^procwire: --ansi and --json exclude each other\n/) as string,
    })
    expect(await call("kill", "--grace", "1ms", "editor")).toEqual(ok(""))
    expect(await call("screen", "editor")).toEqual(ok("one\nred 語 end\n"))
  })

  it("is none without a terminal, and the error says what is", async () => {
    const { call } = Program.make()
    await call("run", "-d", "--name", "pipes", "--", "sleep", "600")
    expect(await call("screen", "pipes")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "procwire: pipes has no terminal: start it with run -d -t; procwire logs pipes shows what it prints\n",
    })
  })

  it.skipIf(runtime !== "Node")("needs a package, and the error says how to install it", async () => {
    const program = Program.make()
    // Away from the packages of this folder, but for that of terminals.
    program.folder.sh("mkdir -p alone/node_modules")
    const pty = "node_modules/@homebridge"
    fs.symlinkSync(new URL(`../../../${pty}`, import.meta.url), program.folder.at(`alone/${pty}`))
    for (const name of ["procwire.cjs", "procwire-parts"])
      fs.cpSync(new URL(`../../../dist/${name}`, import.meta.url), program.folder.at(`alone/${name}`), {
        recursive: true,
      })
    const { call } = Program.make({}, [process.execPath, program.folder.at("alone/procwire.cjs")])
    await call("run", "-d", "-t", "--name", "shell", "--", "sleep", "600")
    const { code, stderr } = await call("screen", "shell")
    expect([code, stderr]).toEqual([
      1,
      "procwire: this server cannot paint terminals: install @xterm/headless beside it " +
        "(npm install -g @xterm/headless); one of an executable file has none\n",
    ])
    const told = async () =>
      (
        JSON.parse((await call("doctor", "--json")).stdout) as {
          readonly checks: ReadonlyArray<{ readonly name: string; readonly ok: boolean }>
        }
      ).checks.find(({ name }) => name === "screen")?.ok
    expect(await told()).toBe(false)
    // Installed by now: the server that runs has it.
    const xterm = "node_modules/@xterm"
    fs.symlinkSync(new URL(`../../../${xterm}`, import.meta.url), program.folder.at(`alone/${xterm}`))
    expect(await told()).toBe(true)
    expect(await call("screen", "shell")).toMatchObject({ code: 0, stderr: "" })
  })
})

describe("a recording", () => {
  it("goes on until the process ends, has all of it, and is played to the byte", async () => {
    const program = Program.make()
    const { call, folder, start } = program
    const script =
      "stty -echo; printf 'one 語\\r\\n'; until [ -e go ]; do sleep 0.05; done; seq 1 20000; exit 3"
    await begin(program, "build", script, "語")
    const recorder = start(
      "record",
      "build",
      "-o",
      "build.cast",
      "--format",
      "v3",
      "--idle-limit",
      "2s",
      "--json",
    )
    let told = ""
    recorder.stdout?.on("data", (bytes: Uint8Array) => (told += new TextDecoder().decode(bytes)))
    const ended = new Promise((resolve) => recorder.once("close", resolve))
    // Earlier output is there while the process runs.
    while (
      !(
        fs.existsSync(folder.at("build.cast")) &&
        fs.readFileSync(folder.at("build.cast"), "utf8").includes("語")
      )
    )
      await new Promise((resolve) => setImmediate(resolve))
    fs.writeFileSync(folder.at("go"), "")
    expect(await ended).toBe(0)
    const text = fs.readFileSync(folder.at("build.cast"), "utf8")
    const { header, events } = castOf(text)
    expect(header).toMatchObject({ version: 3, columns: 80, rows: 24, idleTimeLimit: 2 })
    expect(header.command).toContain("sh -c")
    expect(events.at(-1)).toMatchObject({ kind: "exit", code: 3 })
    expect(JSON.parse(told)).toEqual({
      file: "build.cast",
      format: "v3",
      events: events.length,
      closed: true,
    })
    const whole = (await call("logs", "build")).stdout
    expect(outputOf(text)).toBe(whole)
    expect(await call("play", "--idle-limit", "0", "build.cast")).toEqual(ok(whole))
    expect(castOf((await call("logs", "--cast", "--format", "v3", "build")).stdout).events).toEqual(events)
    const v2 = await call("record", "build")
    expect(castOf(v2.stdout)).toMatchObject({ header: { version: 2 }, events: events.slice(0, -1) })
    expect(await call("record", "build", "-o", "build.cast")).toEqual({
      code: 1,
      stdout: "",
      stderr: "procwire: cannot write build.cast: File exists (os error 17); --overwrite replaces it\n",
    })
    expect(await call("record", "build", "--overwrite", "-o", "build.cast")).toEqual(ok(""))
    expect(fs.readFileSync(folder.at("build.cast"), "utf8")).toBe(v2.stdout)
  })

  it("ends with Ctrl-C, is whole then, and leaves the process", async () => {
    const program = Program.make()
    const { call, folder, start } = program
    await begin(program, "shell", "echo ready; exec cat", "ready")
    const recorder = start("record", "shell", "-o", "shell.cast")
    const ended = new Promise((resolve) => recorder.once("close", resolve))
    const isThere = (text: string) =>
      fs.existsSync(folder.at("shell.cast")) &&
      fs.readFileSync(folder.at("shell.cast"), "utf8").includes(text)
    while (!isThere("ready")) await new Promise((resolve) => setImmediate(resolve))
    await call("send", "shell", "typed{Enter}")
    while (!isThere("typed\\r\\n")) await new Promise((resolve) => setImmediate(resolve))
    // Deno takes a child that it has signalled itself for one that has died of the signal.
    process.kill(recorder.pid ?? 0, "SIGINT")
    expect(await ended).toBe(0)
    expect(outputOf(fs.readFileSync(folder.at("shell.cast"), "utf8"))).toContain("ready\r\n")
    expect((await call("ps", "-q")).stdout).toBe("shell\n")
  })

  it("is refused where it cannot be, with words", async () => {
    const { call, folder, feed } = Program.make()
    fs.writeFileSync(folder.at("no.cast"), "text\n")
    expect(await call("play", "no.cast")).toMatchObject({
      code: 1,
      stderr: "procwire: cannot play no.cast: line 1 is no header: a recording begins with a JSON object\n",
    })
    expect(await call("play", "missing.cast")).toMatchObject({
      code: 1,
      stderr: "procwire: cannot read missing.cast: No such file or directory (os error 2)\n",
    })
    expect(await call("play", "--speed", "0", "no.cast")).toMatchObject({ code: 2 })
    const cast = '{"version": 2, "width": 80, "height": 24}\n[0.01, "o", "from stdin"]\n'
    expect(await feed(cast, "play", "-")).toEqual(ok("from stdin"))
    for (const args of [
      ["logs", "--cast", "--tail", "3", "web"],
      ["logs", "--format", "v3", "web"],
      ["record", "--format", "v4", "web"],
      ["record", "--json", "web"],
    ])
      expect((await call(...args)).code, args.join(" ")).toBe(2)
  })
})
