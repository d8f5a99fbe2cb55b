/** `procwire run` that is cancelled: signals, a server that is gone, and the terminal afterwards. All real. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { afterEach, describe, expect, it, vi } from "vitest"
import { command, name, spawner } from "../../testing/Runtime.ts"
import * as Proc from "../testing/Proc.ts"
import * as TestChild from "../testing/TestChild.ts"

const [program, ...main] = command

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")))

const launch = (args: ReadonlyArray<string>) => {
  const child = spawn(program, [...main, ...args], { stdio: "pipe" })
  running.push(child)
  const said = { stdout: "", stderr: "" }
  child.stdout.on("data", (bytes: Buffer) => (said.stdout += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (said.stderr += bytes.toString()))
  const ended = Proc.ended(child)
  const says = (text: string) =>
    vi.waitFor(() => expect(said.stdout + said.stderr).toContain(text), { timeout: 60_000 })
  // Deno takes a child that it has signalled for dead of that signal, even if the child exited by itself.
  const signal = (name: NodeJS.Signals) => process.kill(child.pid ?? 0, name)
  return { child, said, ended, says, signal }
}

/** A server at a URL, in a process of its own. */
const serve = async () => {
  const server = spawn(program, [...main, "serve"], { stdio: ["ignore", "pipe", "inherit"] })
  running.push(server)
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  return { url: line.toString().trim(), kill: () => server.kill("SIGKILL") }
}

const quoted = command.map((word) => `'${word}'`).join(" ")
const far = `${quoted} serve --listen stdio`
/** A real server that announces nothing but SIGINT. */
const interruptOnly = `${far} | sed -u 's/"processSignals":true/"processSignals":false/'`

const places = {
  "in this process": async () => [],
  "behind a command": async () => ["--server-cmd", far],
  "at a URL": async () => ["--server", (await serve()).url],
}

const signals = [
  ["SIGINT", "INT", 130],
  ["SIGTERM", "TERM", 143],
  ["SIGHUP", "HUP", 129],
  ["SIGQUIT", "QUIT", 131],
] as const

const trap = (name: string) =>
  `trap 'echo got ${name}; exit 33' ${name}; echo ready; while :; do sleep 0.05; done`
const stubborn = "trap 'echo still here' INT TERM HUP QUIT; echo ready; while :; do sleep 0.05; done"

/** In this process every signal in both ways; elsewhere each in one of them. */
const halfOf = (place: string, half: 0 | 1) =>
  signals.filter((_, index) => place === "in this process" || index % 2 === half)

describe.each(Object.entries(places))("procwire run with a server %s", (place, target) => {
  it.each(halfOf(place, 0))("forwards %s, and ends as the command does", async (name, short) => {
    const { said, ended, says, signal } = launch(["run", ...(await target()), "--", "sh", "-c", trap(short)])
    await says("ready")
    signal(name)
    expect(await ended).toBe(33)
    expect(said.stdout).toBe(`ready\ngot ${short}\n`)
  })

  it.each(halfOf(place, 1))("says that the command died of %s", async (name, _short, code) => {
    const { ended, says, signal } = launch([
      "run",
      ...(await target()),
      "--",
      "sh",
      "-c",
      "echo ready; exec sleep 600",
    ])
    await says("ready")
    signal(name)
    expect(await ended).toBe(code)
  })

  it("kills the command at the second signal", async () => {
    const { ended, says, signal } = launch(["run", ...(await target()), "--", "sh", "-c", stubborn])
    await says("ready")
    signal("SIGTERM")
    await says("still here")
    signal("SIGTERM")
    expect(await ended).toBe(137)
  })
})

describe("procwire run", () => {
  it("looks like the command to timeout", () => {
    const args = ["--preserve-status", "2", ...command, "run", "--", "sleep", "100"]
    expect(spawnSync("timeout", args).status).toBe(143)
  })

  it("interrupts where the server knows nothing else", async () => {
    const { ended, says, signal, said } = launch([
      "run",
      "--server-cmd",
      interruptOnly,
      "--",
      "sh",
      "-c",
      trap("INT"),
    ])
    await says("ready")
    signal("SIGTERM")
    expect(await ended).toBe(33)
    expect(said.stdout).toContain("got INT")
  })

  it("kills a command that outlives the interrupt there", async () => {
    const { ended, says, signal } = launch(["run", "--server-cmd", interruptOnly, "--", "sh", "-c", stubborn])
    await says("ready")
    signal("SIGTERM")
    await says("still here")
    expect(await ended).toBe(137)
  })

  it.each(signals)("ends at once at %s while there is no connection", async (name, _short, code) => {
    const server = await serve()
    const args = [
      "run",
      "--server",
      server.url,
      "--reconnect",
      "1h",
      "--",
      "sh",
      "-c",
      "echo ready; sleep 600",
    ]
    const { ended, says, signal } = launch(args)
    await says("ready")
    server.kill()
    await says("connection lost, reconnecting; Ctrl-C gives up\n")
    signal(name)
    expect(await ended).toBe(code)
  })

  it("ends at once at a signal while it connects", async () => {
    const { ended, signal, child } = launch([
      "run",
      "--server-cmd",
      "sh -c 'echo up >&2; exec sleep 600'",
      "--",
      "ls",
    ])
    await once(child.stderr, "data")
    signal("SIGTERM")
    expect(await ended).toBe(143)
  })

  it("takes the loss for final with --reconnect 0, and after its time otherwise", async () => {
    for (const time of ["0", "200ms"]) {
      const server = await serve()
      const args = [
        "run",
        "--server",
        server.url,
        "--reconnect",
        time,
        "--",
        "sh",
        "-c",
        "echo ready; sleep 600",
      ]
      const { ended, says, said } = launch(args)
      await says("ready")
      server.kill()
      expect(await ended).toBe(125)
      expect(said.stderr.includes("reconnecting")).toBe(time !== "0")
      expect(said.stderr).toContain("procwire: exec-server transport disconnected")
    }
  })

  it("names a duration that is none", async () => {
    const { ended, said } = launch(["run", "--server", "ws://127.0.0.1:1", "--reconnect", "soon", "--", "ls"])
    expect(await ended).toBe(2)
    expect(said.stderr).toContain(
      "invalid value 'soon' for '--reconnect': expected seconds, or a duration such as 500ms, 30s or 2m",
    )
    const lone = launch(["run", "--reconnect", "5s", "--", "ls"])
    expect(await lone.ended).toBe(2)
    expect(lone.said.stderr).toContain("--reconnect needs a --server")
  })
})

/** The modes of a full-screen program: alternate screen, mouse, bracketed paste, no cursor, a colour. */
const sequences = [
  "\x1b[?1049h",
  "\x1b[?1002;1006h",
  "\x1b[?2004h",
  "\x1b[?25l",
  "\x1b[?1h\x1b=",
  "\x1b[31m",
].join("")
const fullScreen = `printf '${sequences.replaceAll("\x1b", "\\033")}ready'; exec sleep 600`

/** A script that does what the programs do that users leave open; and on Node those, where they are installed. */
const screens = [
  ["a script", ["sh", "-c", fullScreen], "ready"],
  ["vim", ["vim", "-u", "NONE", "--cmd", "set mouse=a"], "VIM"],
  ["htop", ["htop"], "PID"],
] as const
const isPlayed = ([program]: ReadonlyArray<string>) =>
  program === "sh" || (name === "Node" && spawnSync("which", [program ?? ""]).status === 0)

/** Modes that are on at the end of an output, as a terminal would have them. */
const modesOf = (output: string) => {
  const on = new Set<string>()
  for (const [, modes = "", high] of output.replaceAll("\x1b", "ESC").matchAll(/ESC\[\?([\d;]+)([hl])/g)) {
    for (const mode of modes.split(";"))
      if ((high === "h") === (mode !== "25")) on.add(mode)
      else on.delete(mode)
  }
  return [...on].filter((mode) =>
    ["1", "25", "47", "1000", "1002", "1003", "1006", "1047", "1049", "2004"].includes(mode),
  )
}

describe("the terminal of procwire run --tty", () => {
  const open = async (...args: ReadonlyArray<string>) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", TERM: "xterm-256color" }
    const shell = await TestChild.start(spawner, {
      // The shell reports its terminal after `run`, as a user's would find it.
      argv: [
        "/bin/sh",
        "-c",
        '"$@"; echo "code $?"; stty -a',
        "sh",
        program,
        ...main,
        "run",
        "--tty",
        ...args,
      ],
      pty: true,
      env,
    })
    const shows = (text: string) =>
      TestChild.until(
        () => shell.text("pty").includes(text),
        () => shell.text("pty"),
      )
    return { shell, shows }
  }

  const isRestored = (output: string, code: number) => {
    expect(modesOf(output)).toEqual([])
    expect(output).toContain(`code ${code}`)
    expect(output).toMatch(/[ ;]icanon/)
    expect(output).toMatch(/ echo /)
  }

  for (const [what, argv, text] of screens) {
    it.skipIf(!isPlayed(argv))(`is restored when the server of ${what} is killed`, async () => {
      const server = await serve()
      const { shell, shows } = await open("--server", server.url, "--reconnect", "0", "--", ...argv)
      await shows(text)
      await TestChild.until(() => modesOf(shell.text("pty")).includes("1049"), "no alternate screen")
      server.kill()
      await shell.closed
      const output = shell.text("pty")
      isRestored(output, 125)
      // The line about the end is not on the screen that is gone.
      expect(output.lastIndexOf("procwire: ")).toBeGreaterThan(output.lastIndexOf("\x1b[?1049l"))
      await shell.close()
    })

    it.skipIf(!isPlayed(argv))(`is restored at Ctrl-C after the server of ${what} was killed`, async () => {
      const server = await serve()
      const { shell, shows } = await open("--server", server.url, "--reconnect", "1h", "--", ...argv)
      await shows(text)
      server.kill()
      await shows("Ctrl-C gives up")
      await TestChild.effect(shell.handle.write(Buffer.from("lost keys")))
      await TestChild.effect(shell.handle.write(Buffer.from("\u0003")))
      await shell.closed
      isRestored(shell.text("pty"), 130)
      await shell.close()
    })
  }

  it("is restored when the command is killed by a signal", async () => {
    const { shell, shows } = await open(
      "--",
      "sh",
      "-c",
      fullScreen.replace("exec sleep 600", () => "kill -9 $$"),
    )
    await shows("code")
    await shell.closed
    isRestored(shell.text("pty"), 137)
    await shell.close()
  })

  const ends = [
    ["dies of it", (script: string) => script, 1],
    [
      "goes on, and is killed by a second one",
      (script: string) =>
        `trap 'echo still here' TERM HUP; ${script.replace("exec sleep 600", "while :; do sleep 0.05; done")}`,
      2,
    ],
  ] as const
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    it.each(ends)(
      `is restored when procwire run gets ${signal} and its command %s`,
      async (_, scripted, times) => {
        const mark = `MARK=${signal} ${times}.${process.pid}`
        const { shell, shows } = await open("-e", mark, "--", "sh", "-c", scripted(fullScreen))
        await shows("ready")
        const [pid = 0] = Proc.childrenOf(shell.handle.pid ?? 0).filter((pid) => Proc.hasArgument(pid, mark))
        process.kill(pid, signal)
        if (times === 2) {
          await shows("still here")
          process.kill(pid, signal)
        }
        await shell.closed
        // A process that the second signal has killed has died of that.
        isRestored(shell.text("pty"), times === 2 ? 137 : code)
        await shell.close()
      },
    )
  }

  it("is restored when the server behind a command is killed", async () => {
    const { shell, shows } = await open(
      "--server-cmd",
      `${quoted} serve --listen stdio`,
      "--",
      "sh",
      "-c",
      fullScreen,
    )
    await shows("ready")
    const [run] = Proc.childrenOf(shell.handle.pid ?? 0)
    const [server] = Proc.childrenOf(run ?? 0).filter((pid) => Proc.hasArgument(pid, "stdio"))
    process.kill(server ?? 0, "SIGKILL")
    await shell.closed
    isRestored(shell.text("pty"), 125)
    await shell.close()
  })

  it("is left as the command leaves it when that ends by itself", async () => {
    const { shell } = await open("--", "sh", "-c", "printf '\\033[?2004h'")
    await shell.closed
    expect(modesOf(shell.text("pty"))).toEqual(["2004"])
    await shell.close()
  })
})
