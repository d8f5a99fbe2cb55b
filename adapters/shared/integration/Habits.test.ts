/** cli/: what people type who know docker and the tools of Unix. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { name as runtime } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

// Questions and answers do not depend on the runtime.
const itOnNode = it.runIf(runtime === "Node")

const ok = (stdout: string, stderr = "") => ({ code: 0, stdout, stderr })

const first = (text: string) => text.split("\n")[0]

describe("a duration", () => {
  itOnNode("without a unit is in seconds, in every option that has one, and each help says so", async () => {
    const { call } = Program.make()
    expect(await call("run", "--timeout", "0.2", "--kill-grace", "1", "--", "sleep", "1000")).toEqual({
      code: 124,
      stdout: "",
      stderr: "procwire: the command was ended: it ran longer than 200 ms (--timeout)\n",
    })
    await call("run", "-d", "--name", "job", "--", "sh", "-c", "echo hello; exec sleep 1000")
    expect(await call("wait", "job", "--for", "text:hello", "--timeout", "60")).toEqual(ok("text:hello\n"))
    expect(await call("logs", "--since", "600", "job")).toEqual(ok("hello\n"))
    expect(await call("wait", "job", "--for", "idle:0.1")).toEqual(ok("idle:0.1\n"))
    expect((await call("kill", "--grace", "5", "job")).code).toBe(0)
    const commands = ["run", "wait", "logs", "kill", "restart", "top", "play", "record", "hosts"]
    for (const command of commands)
      expect((await call(command, "--help")).stdout).toContain(
        "A duration is a number of seconds, or one with ",
      )
    expect((await call("inspect", "--help")).stdout).not.toContain("A duration")
    expect(first((await call("wait", "job", "--timeout", "5d")).stderr)).toBe(
      "procwire: invalid value '5d' for '--timeout': expected seconds, or a duration such as 500ms, 30s or 2m",
    )
  })
})

describe("signals", () => {
  itOnNode("are listed, and told by number and by name", async () => {
    const { call } = Program.make()
    const { code, stdout } = await call("kill", "-l")
    expect([code, stdout.split("\n").slice(0, 2)]).toEqual([0, [" 1 HUP", " 2 INT"]])
    expect(stdout).toContain("\n15 TERM\n")
    expect(await call("kill", "-l", "9")).toEqual(ok("KILL\n"))
    expect(await call("kill", "-l", "TERM", "sigkill", "137")).toEqual(ok("15\n9\nKILL\n"))
    expect(first((await call("kill", "-l", "FOO")).stderr)).toBe(
      "procwire: invalid signal 'FOO': expected a name such as TERM or SIGUSR1, or a number",
    )
  })
})

describe("words of docker", () => {
  itOnNode("do what they do there, or name what does", async () => {
    const { call } = Program.make()
    await call(
      "run",
      "-d",
      "--name",
      "web",
      "--",
      "sh",
      "-c",
      "trap 'exit 3' TERM; echo up; while :; do sleep 0.05; done",
    )
    await call(
      "run",
      "-d",
      "--name",
      "deaf",
      "--",
      "sh",
      "-c",
      "trap '' TERM; echo up; while :; do sleep 0.05; done",
    )
    for (const name of ["web", "deaf"]) await call("wait", name, "--for", "text:up")
    expect((await call("ls")).stdout).toContain("web ")
    expect((await call("ls", "-q")).stdout).toBe("web\ndeaf\n")
    expect((await call("stats", "--once")).stdout).toContain("MEM")
    expect(await call("stop", "web")).toEqual(ok("web\n"))
    expect(await call("stop", "-t", "0.1", "deaf")).toEqual(ok("deaf\n"))
    const states = (await call("ps", "-a", "--json")).stdout.trim().split("\n")
    expect(states.map((line) => (JSON.parse(line) as { readonly exitCode: number }).exitCode)).toEqual([
      3, 137,
    ])
    expect((await call("version")).stdout).toMatch(/^procwire \d/)
    for (const [word, hint] of [
      ["exec", "procwire run -- COMMAND runs another command there"],
      ["start", "procwire restart NAME"],
      ["pause", "procwire kill -s STOP NAME"],
      ["unpause", "procwire kill -s CONT NAME"],
    ] as const) {
      const { code, stderr } = await call(word, "web")
      expect(code).toBe(2)
      expect(first(stderr)).toMatch(new RegExp(`^procwire: unrecognized command '${word}'; .*${hint}`))
    }
  })

  itOnNode("find processes by a part of the name", async () => {
    const { call } = Program.make()
    for (const name of ["web-1", "web-2", "db"])
      await call("run", "-d", "--name", name, "--", "sleep", "1000")
    expect(await call("ps", "-q", "-f", "name=web")).toEqual(ok("web-1\nweb-2\n"))
    expect(await call("ps", "-q", "-f", "name=b-2", "-f", "name=db")).toEqual(ok("web-2\ndb\n"))
    expect(await call("ps", "-q", "-f", "name=x")).toEqual(ok(""))
  })
})

describe("a folder for the socket that cannot be", () => {
  itOnNode("is told with what helps", async () => {
    const { call } = Program.make({ XDG_RUNTIME_DIR: "/proc/none/1000" })
    expect(await call("up")).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "procwire: cannot use /proc/none/1000/procwire for a server of your own: /proc/none/1000, which XDG_RUNTIME_DIR " +
        "names, is not there, and cannot be made: No such file or directory (os error 2); make it, or unset XDG_RUNTIME_DIR\n",
    })
    const taken = Program.make()
    fs.writeFileSync(taken.folder.at("run/procwire"), "")
    expect((await taken.call("up")).stderr).toContain("; remove it, or set XDG_RUNTIME_DIR to another folder")
  })
})

describe("run as in docker", () => {
  itOnNode(
    "forgets what ran in the foreground, with --rm or without, and in the background with --rm",
    async () => {
      const { call } = Program.make()
      await call("up")
      expect(await call("run", "--rm", "--server", "own", "--", "echo", "hi")).toEqual(ok("hi\n"))
      expect(await call("ps", "-aq")).toEqual(ok(""))
      const background = ["run", "-d", "--rm", "--name", "web", "--"]
      expect(await call(...background, "sleep", "600")).toEqual(ok("web\n"))
      expect(await call("ps", "-q")).toEqual(ok("web\n"))
      await call("kill", "web")
      expect(await call("ps", "-aq")).toEqual(ok(""))
      const { code, stderr } = await call("logs", "web")
      expect([code, first(stderr)]).toEqual([
        1,
        "procwire: no process is called web; procwire ps -a lists them",
      ])
      // It ends about when its start is answered.
      expect(await call(...background, "true")).toEqual(ok("web\n"))
      while ((await call("ps", "-aq")).stdout !== "");
      expect((await call("ps", "--json", "-a")).stdout).toBe("")
    },
  )

  itOnNode("names what runs a command as another user", async () => {
    const { call } = Program.make()
    for (const [shown, ...flags] of [
      ["-u", "-u", "nobody"],
      ["-unobody", "-unobody"],
      ["--user", "--user=nobody"],
      ["--user", "-it", "--user", "nobody"],
    ]) {
      const { code, stderr } = await call("run", ...flags, "--", "id")
      expect([code, first(stderr)]).toEqual([
        2,
        `procwire: unexpected argument '${shown}'; a command runs as the user of its server: ` +
          "procwire run -- sudo -u USER COMMAND, or --server ssh://USER@HOST",
      ])
    }
    // Behind the command it is the command's own.
    expect(await call("run", "--", "echo", "-u", "--rm")).toEqual(ok("-u --rm\n"))
  })
})

describe("a picture in a file", () => {
  itOnNode("goes where a link leads, and the link stays", async () => {
    const { call, folder } = Program.make()
    await call("run", "-d", "-t", "--name", "shell", "--", "sh", "-c", "echo hello; exec sleep 1000")
    await call("wait", "shell", "--for", "text:hello")
    folder.sh("mkdir far; echo old >far/x; ln -s far/x link; ln -s far/new dangling")
    for (const [link, file] of [
      ["link", "far/x"],
      ["dangling", "far/new"],
    ] as const) {
      expect(await call("screen", "-o", link, "shell")).toEqual(ok(""))
      expect(fs.lstatSync(folder.at(link)).isSymbolicLink()).toBe(true)
      expect(fs.readFileSync(folder.at(file), "utf8")).toMatch(/^hello\n/)
    }
    expect(folder.sh("ls -A far")).toBe("new\nx\n")
  })
})

describe.runIf(runtime === "Node" && fs.existsSync("/proc/self/stat"))("ps", () => {
  it("shows what is stopped as stopped, in the table, as JSON, and in inspect", async () => {
    const { call } = Program.make()
    await call("run", "-d", "--name", "web", "--", "sleep", "1000")
    const states = async () => [
      /^web +(\S+)/m.exec((await call("ps")).stdout)?.[1],
      (JSON.parse((await call("ps", "--json")).stdout) as { readonly state: string }).state,
      (JSON.parse((await call("inspect", "web")).stdout) as { readonly state: string }).state,
    ]
    expect(await states()).toEqual(["running", "running", "running"])
    await call("kill", "-s", "STOP", "web")
    expect(await states()).toEqual(["stopped", "stopped", "stopped"])
    await call("kill", "-s", "CONT", "web")
    expect(await states()).toEqual(["running", "running", "running"])
  })

  it("has how long a process is up since it was restarted", async () => {
    const { call } = Program.make()
    await call("run", "-d", "--name", "web", "--", "sleep", "1000")
    expect((await call("ps")).stdout).toMatch(/^NAME +STATE +AGE +PID +OUTPUT/)
    const age = async () => /^web +running +(\d+)s/m.exec((await call("ps")).stdout)?.[1]
    while (Number(await age()) < 3) await new Promise((resolve) => setTimeout(resolve, 100))
    await call("restart", "web")
    const [titles = "", row = ""] = (await call("ps")).stdout.split("\n")
    expect(titles).toMatch(/^NAME +STATE +AGE +PID +UP +RESTARTS/)
    const [, , old, , up] = row.split(/ +/).map((text) => Number.parseInt(text, 10))
    expect(up).toBeLessThan(old ?? 0)
  })

  it("has how long ago a process has ended, of the present run alone", async () => {
    const { call } = Program.make()
    const row = async () => {
      const { stdout } = await call("inspect", "--json", "web")
      return JSON.parse(stdout) as { readonly startedAtMs: number; readonly endedAtMs?: number }
    }
    await call("run", "-d", "--name", "web", "--", "sleep", "600")
    expect(await row()).not.toHaveProperty("endedAtMs")
    await call("kill", "--grace", "5s", "web")
    const { startedAtMs, endedAtMs } = await row()
    expect(endedAtMs).toBeGreaterThanOrEqual(startedAtMs)
    expect((await call("ps", "-a")).stdout).toMatch(
      /^NAME +STATE +AGE +END +PID .*\nweb +exited 143 +\d+s +\d+s +- /,
    )
    await call("restart", "web")
    expect(await row()).not.toHaveProperty("endedAtMs")
    expect((await call("ps")).stdout).toMatch(/^NAME +STATE +AGE +PID/)
  })
})
