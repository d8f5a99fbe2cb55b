/** cli/: the server of one's own, contexts, processes in the background and their list, as a user has them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import process from "node:process"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command, name, unboundCommand } from "../../testing/Runtime.ts"
import * as OwnFolder from "../cli/server/OwnFolder.ts"
import { visit } from "../testing/Browser.ts"
import * as Proc from "../testing/Proc.ts"
import * as Program from "../testing/Program.ts"

/** Tests that depend on no runtime: lists, names and files. */
const itOnNode = it.runIf(name === "Node")

const ok = (stdout: string) => ({ code: 0, stdout, stderr: "" })

/** The pids of processes whose arguments have a text. */
const pidsOf = (text: string): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
      } catch {
        return false
      }
    })

describe("the server of one's own", () => {
  it.runIf(process.platform === "linux")("is exactly one, when ten commands need it at once", async () => {
    const { call, folder } = Program.make()
    const url = `unix:${folder.at("run/procwire/server.sock")}`
    const found = await Promise.all(Array.from({ length: 10 }, () => call("up", "--json")))
    const answers = found.map(({ stdout }) => JSON.parse(stdout) as { url: string; started: boolean })
    expect(answers.map((answer) => answer.url)).toEqual(Array.from({ length: 10 }, () => url))
    expect(answers.filter(({ started }) => started)).toHaveLength(1)
    expect(pidsOf(`--listen=${url}`)).toHaveLength(1)
    const modeOf = (name: string) => fs.statSync(folder.at(name)).mode & 0o777
    expect([modeOf("run/procwire"), modeOf("run/procwire/server.sock")]).toEqual([0o700, 0o600])
    expect((await call("down")).stdout).toMatch(/^ended the server of your own \(pid \d+\)\n$/)
    expect(pidsOf(`--listen=${url}`)).toEqual([])
    expect(await call("down")).toEqual(ok("no server of your own runs\n"))
  })

  it.runIf(name === "Deno")("is not started where Deno denies what ends it", async () => {
    const { folder, env } = Program.make()
    const [program, ...words] = command
    const child = spawn(program, [...words, "up"], {
      cwd: folder.path,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stderr = ""
    child.stderr?.on("data", (bytes: Uint8Array) => (stderr += String(bytes)))
    expect(await once(child, "close")).toEqual([1, null])
    expect(stderr).toMatch(
      /^procwire: a server of your own could not be ended again from here: .*--allow-all/,
    )
    expect(pidsOf(folder.at("run/procwire/server.sock"))).toEqual([])
  })

  it("takes the place of one that was killed", async () => {
    const { call, folder } = Program.make()
    await call("up")
    const [pid = ""] = fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8").split(" ")
    process.kill(Number(pid), "SIGKILL")
    // A process that is killed listens until its end.
    if (process.platform === "linux")
      await vi.waitFor(() => expect(Proc.isAlive(Number(pid))).toBe(false), 60_000)
    expect(JSON.parse((await call("up", "--json")).stdout)).toMatchObject({ started: true })
  })

  // Deno's server does not see /proc.
  it.runIf(process.platform === "linux" && !("Deno" in globalThis))(
    "leaves what its processes had printed when it is killed",
    async () => {
      const { call, env, folder } = Program.make()
      const histories = OwnFolder.historiesPath(env)
      const kill = async () => {
        const [pid = ""] = fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8").split(" ")
        process.kill(Number(pid), "SIGKILL")
        await vi.waitFor(() => expect(Proc.isAlive(Number(pid))).toBe(false), 60_000)
      }
      await call("run", "-d", "--name", "web", "--", "sh", "-c", "echo one; echo three; exec sleep 600")
      await call("run", "-d", "--name", "done", "--", "sh", "-c", "echo over; exit 3")
      await call("wait", "done")
      await call("wait", "web", "--for", "text:three")
      await kill()
      const told = async () => {
        const { stdout } = await call("ps", "-a", "--json")
        const rows = stdout
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Record<string, unknown>)
        return rows.map(({ name, state, exitCode, lost, pid }) => [name, state, exitCode, lost, typeof pid])
      }
      const both = [
        ["web", "closed", null, true, "number"],
        ["done", "closed", 3, true, "number"],
      ]
      const shown = async (...flags: ReadonlyArray<string>) => call("logs", ...flags, "web")
      const gone = "procwire: web has ended when its server died; this is what is left of its output\n"
      const check = async () => {
        expect(await told()).toEqual(both)
        expect((await call("ps", "-a")).stdout).toMatch(/^web +ended, the server died .*\ndone +exited 3 /m)
        expect((await call("ps", "-q")).stdout).toBe("")
        expect(await shown()).toEqual({ code: 0, stdout: "one\nthree\n", stderr: gone })
        expect(await shown("-n", "1")).toEqual({ code: 0, stdout: "three\n", stderr: gone })
        expect((await call("logs", "nobody")).code).toBe(1)
      }
      await check()
      await call("up")
      await check()
      expect(fs.readdirSync(histories)).toEqual(["lost"])
      expect(fs.statSync(histories).mode & 0o777).toBe(0o700)
      // One of its own name is meant, and what the second server leaves takes the place of what the first one has left.
      await call("run", "-d", "--name", "web", "--", "sh", "-c", "echo four; exec sleep 600")
      await call("wait", "web", "--for", "text:four")
      expect(await shown()).toEqual(ok("four\n"))
      await kill()
      expect(await shown()).toEqual({ code: 0, stdout: "four\n", stderr: gone })
      expect(await told()).toEqual([both[0]])
      // A day later nothing is reported.
      const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000)
      fs.utimesSync(`${histories}/lost`, yesterday, yesterday)
      expect(await told()).toEqual([])
      expect(fs.readdirSync(histories)).toEqual([])
    },
  )

  itOnNode("is not started to list what it would not have", async () => {
    const { call, folder } = Program.make()
    expect(await call("ps", "-q")).toEqual(ok(""))
    expect(fs.existsSync(folder.at("run/procwire"))).toBe(false)
  })

  it("says what keeps it from starting", async () => {
    const { call, folder } = Program.make()
    folder.sh("mkdir -m 755 run/procwire; mkdir run/procwire/server.sock")
    const { code, stderr } = await call("up")
    expect(code).toBe(1)
    expect(stderr).toContain("a file that is no socket is there")
    expect(stderr).toContain(`see ${folder.at("run/procwire/server.log")}`)
  })

  itOnNode("has its units written for systemd", async () => {
    const { call, folder } = Program.make()
    const { code, stdout } = await call("up", "--install")
    expect(code).toBe(0)
    expect(stdout).toContain(`wrote ${folder.at("config/systemd/user/procwire.service")}\n`)
    expect(stdout).toContain("systemctl --user enable --now procwire.socket\n")
    const service = fs.readFileSync(folder.at("config/systemd/user/procwire.service"), "utf8")
    expect(service).toContain(" serve --listen=systemd --list-sessions=all ")
    expect(service).toContain(` --keep --keep-dir=${folder.at("run/procwire/keep")}\n`)
    expect(service).toContain("\nKillMode=process\n")
  })
})

describe("the page of the server of one's own", () => {
  const link = /^http:\/\/127\.0\.0\.1:\d+\/#once=[\w-]{43}\n$/

  // guards: own-page
  it("is at the link that up --web prints, which lets one browser in; the next call prints another", async () => {
    const { call, folder } = Program.make()
    const first = await call("up", "--web")
    expect(first).toEqual({ code: 0, stdout: expect.stringMatching(link), stderr: "" })
    expect(await call("run", "-d", "-i", "--name", "echo", "--", "cat")).toEqual(ok("echo\n"))
    const browser = await visit(first.stdout.trim())
    expect(browser.status).toBe(204)
    expect(await browser.info()).toMatchObject({ login: false, scopes: ["own", "observe", "control"] })
    expect(await (await fetch(first.stdout.trim())).text()).toContain("page.js")
    expect((await visit(first.stdout.trim())).status).toBe(401)

    const page = await connect(browser.target, { reconnect: false })
    const rows = []
    for await (const row of page.list({ sessions: "all" })) rows.push(row)
    expect(rows).toMatchObject([{ name: "echo", argv: ["cat"] }])
    const { processId, session } = rows[0] ?? expect.unreachable()
    const seen = await page.attach({ processId, session }, 0, { role: "writer" })
    await seen.write("from the page\n")
    expect(await call("wait", "echo", "--for", "text:from the page")).toMatchObject({ code: 0, stderr: "" })
    await page.close()

    const both = await Promise.all([call("up", "--web"), call("up", "--web", "--json")])
    const { url, started, link: third } = JSON.parse(both[1].stdout) as Record<string, unknown>
    expect([url, started]).toEqual([`unix:${folder.at("run/procwire/server.sock")}`, false])
    const later = [both[0].stdout.trim(), String(third)]
    for (const one of later)
      expect([(await visit(one)).status, (await visit(one)).status]).toEqual([204, 401])
    expect((await call("ps", "-q")).stdout).toBe("echo\n")

    // A link is for its user alone, and none is left where it was printed.
    const printed = folder.at("run/procwire/server.out")
    expect(fs.statSync(printed).mode & 0o777).toBe(0o600)
    expect(fs.readFileSync(printed, "utf8")).not.toContain("once=")
    // Its port has no other way in: other users of this machine reach it.
    const port = browser.target.url.replace(/ws$/, "")
    await expect(connect({ url: port }, { reconnect: false })).rejects.toMatchObject({ reason: "Connect" })
    expect((await call("down")).code).toBe(0)
    await expect(fetch(new URL(first.stdout))).rejects.toThrow()
  })

  itOnNode("is not added to a server that runs without it, whose processes go on", async () => {
    const { call, folder } = Program.make()
    const url = `unix:${folder.at("run/procwire/server.sock")}`
    // A server with the page was there before, and was killed.
    await call("up", "--web", "-q")
    const [pid = ""] = fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8").split(" ")
    process.kill(Number(pid), "SIGKILL")
    if (process.platform === "linux")
      await vi.waitFor(() => expect(Proc.isAlive(Number(pid))).toBe(false), 60_000)
    await call("run", "-d", "--name", "web", "--", "sleep", "600")
    expect(await call("up", "--web")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        `procwire: the server of your own runs without the page: ${url}; procwire down ends it and all its processes, ` +
        "and procwire up --web then starts it with the page\n",
    })
    expect((await call("ps", "-q")).stdout).toBe("web\n")
    fs.rmSync(folder.at("run/procwire/server.pid"))
    expect(await call("up", "--web")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was not started by procwire: end it where it was started"),
    })
    process.kill(Number(pidsOf(`--listen=${url}`)[0]), "SIGKILL")
  })

  itOnNode("is not what systemd starts", async () => {
    const { call, folder } = Program.make()
    const { code, stderr } = await call("up", "--web", "--install")
    expect([code, stderr.split("\n")[0]]).toEqual([2, "procwire: --install and --web exclude each other"])
    expect(fs.existsSync(folder.at("config/systemd"))).toBe(false)
  })
})

describe("a process in the background", () => {
  it("lives on without its client, with the directory and the variables of the shell", async () => {
    const { call, folder } = Program.make({ OF_SHELL: "shell" })
    fs.writeFileSync(folder.at("vars"), "# some\nA=file\nB=file=1\n\nOF_SHELL\n")
    const script = 'echo "$PWD $OF_SHELL $A $B"; exec sleep 600'
    const flags = ["--name", "web", "--label", "team=a", "--env-file", "vars", "-e", "A=flag", "-w", "config"]
    expect(await call("run", "-d", ...flags, "--", "sh", "-c", script)).toEqual(ok("web\n"))
    const { stdout } = await call("ps", "--json")
    const text = `${folder.at("config")} shell flag file=1\n`
    expect(JSON.parse(stdout)).toMatchObject({
      ref: "web",
      name: "web",
      labels: { team: "a" },
      state: "running",
      attached: false,
      argv: ["sh", "-c", script],
    })
    while ((JSON.parse((await call("ps", "--json")).stdout) as { bytes: number }).bytes < text.length);
    expect((JSON.parse((await call("ps", "--json")).stdout) as { bytes: number }).bytes).toBe(text.length)
    expect(await call("run", "-d", "--name", "web", "--", "true")).toEqual({
      code: 125,
      stdout: "",
      stderr:
        "procwire: a process is called web already: give another --name, or remove it with procwire rm web\n",
    })
  })

  itOnNode("is listed once it has ended with -a alone, and by filters", async () => {
    const { call } = Program.make()
    await call("run", "-d", "--name", "good", "--label", "n=1", "--", "true")
    await call("run", "-d", "--name", "bad", "--label", "n=2", "--", "sh", "-c", "exit 3")
    const [first, ...more] = (await call("run", "-d", "--", "/bin/sleep", "600")).stdout.split("\n")
    expect([first, more]).toEqual([expect.stringMatching(/^sleep-\w{4}$/), [""]])
    while ((await call("ps", "-q")).stdout !== `${first}\n`);
    const names = async (...flags: ReadonlyArray<string>) =>
      (await call("ps", "-q", ...flags)).stdout.split("\n")
    expect(await names("-a")).toEqual(["good", "bad", first, ""])
    expect(await names("-a", "--filter", "exit=3")).toEqual(["bad", ""])
    expect(await names("--filter", "state=exited", "--filter", "label=n=1")).toEqual(["good", ""])
    const { stdout } = await call("ps", "-a")
    expect(stdout).toMatch(
      /^NAME +STATE +AGE +END +PID +OUTPUT +COMMAND +LABELS\ngood +exited 0 .*\nbad +exited 3 /,
    )
  })

  itOnNode("ends run with the code of what kept it from starting", async () => {
    const { call } = Program.make()
    const start = async (...args: ReadonlyArray<string>) => (await call("run", "-d", ...args)).code
    expect(await start("--", "no-such-program")).toBe(127)
    expect(await start("-w", "missing", "--", "true")).toBe(125)
    expect(await start("--name", "a/b", "--", "true")).toBe(2)
    expect(await start("--server-cmd", "cat", "--", "true")).toBe(2)
    expect((await call("run", "--name", "x", "--", "true")).stderr).toContain(
      "procwire: --name needs --detach\n",
    )
  })

  it("needs a server that keeps it", async () => {
    const [program, ...main] = unboundCommand
    const args = ["serve", "--listen", "tcp://127.0.0.1:0"]
    const server = spawn(program, [...main, ...args], { stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void server.kill("SIGKILL"))
    const url = String(await once(server.stdout, "data")).trim()
    const { code, stderr } = await Program.make().call("run", "-d", "--server", url, "--", "true")
    expect(code).toBe(125)
    expect(stderr).toContain("this server keeps no process whose client has gone")
  })
})

describe("a context", () => {
  itOnNode("is used by every command, but for the variable and the flag", async () => {
    const { call, env } = Program.make()
    const other = Program.make()
    const url = (await other.call("up")).stdout.trim()
    await other.call("run", "-d", "--name", "there", "--", "sleep", "600")
    expect(await call("context", "add", "other", url, "--use")).toEqual(ok(""))
    expect(await call("context", "ls")).toEqual(
      ok(`NAME     SERVER\nown      your own, on this machine\nother *  ${url}\n`),
    )
    expect(await call("ps", "-q")).toEqual(ok("there\n"))
    expect(await call("ps", "-q", "--server", "own")).toEqual(ok(""))
    const withVariable = Program.make({ ...(env as Record<string, string>), PROCWIRE_SERVER: "own" })
    expect(await withVariable.call("ps", "-q")).toEqual(ok(""))
    expect(await withVariable.call("ps", "-q", "--server", "other")).toEqual(ok("there\n"))
    expect(await call("context", "use", "own")).toEqual(ok(""))
    expect(await call("ps", "-q")).toEqual(ok(""))
    expect(await call("context", "rm", "othr")).toMatchObject({
      code: 1,
      stderr: "procwire: no context is called othr; did you mean 'other'?; procwire context ls lists them\n",
    })
    expect(await call("context", "rm", "other")).toEqual(ok(""))
    expect(await call("context", "ls", "-q")).toEqual(ok("own\n"))
  })

  it("may be one's own server elsewhere, through a command", async () => {
    const { call, env } = Program.make()
    const dial = [...unboundCommand, "dial"].map((word) => `'${word}'`).join(" ")
    const { stdout } = await call("run", "--server-cmd", dial, "--", "sh", "-c", "echo $PPID")
    const [pid] = fs.readFileSync(`${env["XDG_RUNTIME_DIR"]}/procwire/server.pid`, "utf8").split(" ")
    expect(stdout.trim()).toBe(pid)
  })
})
