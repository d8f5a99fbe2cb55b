// The server of one's own, killed under its clients: the next command has its processes, and `down` leaves nothing.
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import process from "node:process"
import { describe, expect, test } from "vitest"
import * as OwnFolder from "../cli/server/OwnFolder.ts"
import * as HolderPlace from "../keep/HolderPlace.ts"
import * as Proc from "../testing/Proc.ts"
import * as Program from "../testing/Program.ts"

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The program, and what it leaves. */
const make = (keep = true) => {
  const program = Program.make({ PROCWIRE_KEEP: `${keep}` })
  const { env, folder } = program
  const held = OwnFolder.keepPath(env)
  const holder = () => {
    const place = HolderPlace.find(held)
    return place && HolderPlace.noted(place)
  }
  const pid = () => Number(fs.readFileSync(folder.at("run/procwire/server.pid"), "utf8").split(" ")[0])
  /** Kills the server. */
  const kill = async () => {
    const server = pid()
    process.kill(server, "SIGKILL")
    await until(() => !Proc.isAlive(server))
  }
  const files = () => fs.readdirSync(folder.at("run/procwire")).filter((name) => name.endsWith(".sock"))
  return { ...program, keep: held, holder, pid, kill, files }
}

/** Variables that are set. */
const texts = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** The output of a program, as it comes, and its end. */
const textOf = (child: ChildProcess) => {
  const seen = { text: "", pid: child.pid, ended: once(child, "close") }
  child.stdout?.on("data", (bytes: Buffer) => (seen.text += bytes.toString()))
  return seen
}

const numbered = "i=0; while [ -e go ] || [ $i -lt 200 ]; do echo $i; i=$((i+1)); sleep 0.01; done; exit 7"
const lines = (text: string) => text.split("\n").length - 1
const upTo = (count: number) => Array.from({ length: count }, (_, index) => `${index}\n`).join("")

describe("a server of one's own that is killed", () => {
  test("comes back with its processes at the next command", async () => {
    const { call, feed, folder, kill } = make()
    folder.sh("touch go")
    const wait = "echo one; read line; echo got $line; while [ -e go ]; do sleep 0.01; done; exit 5"
    await call("run", "-d", "-i", "--name=job", "--", "sh", "-c", wait)
    await call("wait", "job", "--for=text:one")
    await kill()
    expect((await call("ps", "-aq")).stdout).toBe("job\n")
    expect((await call("logs", "job")).stdout).toBe("one\n")
    await kill()
    expect((await feed("x\n", "write", "job")).code).toBe(0)
    await call("wait", "job", "--for=text:got")
    await kill()
    folder.sh("rm go")
    expect((await call("wait", "job")).stdout).toBe("5\n")
    const { stdout } = await call("ps", "-a", "--json")
    expect(JSON.parse(stdout)).toMatchObject({ name: "job", held: true, exitCode: 5, bytes: 10 })
    expect((await call("logs", "job")).stdout).toBe("one\ngot x\n")
  }, 120_000)

  test("is started again by a client that runs a command there, and costs it no line and no code", async () => {
    const { call, folder, kill, pid, start } = make()
    folder.sh("touch go")
    await call("up")
    const run = textOf(start("run", "--server=own", "--", "sh", "-c", numbered))
    await until(() => lines(run.text) > 5)
    const before = pid()
    await kill()
    const seen = lines(run.text)
    await until(() => pid() !== before && lines(run.text) > seen + 20)
    folder.sh("rm go")
    expect(await run.ended).toEqual([7, null])
    expect(run.text).toBe(upTo(lines(run.text)))
  }, 120_000)

  test("is started again by a client that waits, which gets the exit code", async () => {
    const { call, folder, kill, pid, start } = make()
    folder.sh("touch go")
    await call("run", "-d", "--name=job", "--", "sh", "-c", "while [ -e go ]; do sleep 0.01; done; exit 7")
    const before = pid()
    const wait = textOf(start("wait", "job"))
    // It is connected when it has a socket more than its pipes.
    const sockets = () => folder.sh(`ls -l /proc/${wait.pid}/fd | grep -c socket: || true`).trim()
    const first = sockets()
    await until(() => sockets() !== first)
    await kill()
    await until(() => pid() !== before)
    folder.sh("rm go")
    expect([await wait.ended, wait.text]).toEqual([[0, null], "7\n"])
  }, 120_000)

  test("costs those who follow a process of somebody else neither line nor end", async () => {
    const { call, folder, kill, pid, start } = make()
    folder.sh("touch go")
    await call("run", "-d", "--name=job", "--", "sh", "-c", numbered)
    const seen = textOf(start("logs", "-f", "job"))
    await until(() => lines(seen.text) > 5)
    for (let round = 0; round < 2; round++) {
      const [before, count] = [pid(), lines(seen.text)]
      await kill()
      await until(() => pid() !== before && lines(seen.text) > count + 20)
    }
    folder.sh("rm go")
    expect(await seen.ended).toEqual([0, null])
    expect(seen.text).toBe(upTo(lines(seen.text)))
  }, 120_000)

  test("leaves its histories to the next one, whatever looks at what was lost", async () => {
    const { call, folder, kill } = make()
    await call(
      "run",
      "-d",
      "--name=job",
      "--",
      "sh",
      "-c",
      "seq 300000; while [ ! -e go ]; do sleep 0.01; done",
    )
    await call("wait", "job", "--for=output:^300000$")
    await kill()
    expect((await call("ps", "--all-states", "-q")).stdout).toBe("job\n")
    expect((await call("logs", "job")).stdout.split("\n").length).toBe(300_001)
    folder.sh("touch go")
  }, 120_000)

  test("is gone with all its processes, and their clients are told, when its holder is killed, too", async () => {
    const { call, holder, kill } = make()
    await call("run", "-d", "--name=job", "--", "sleep", "600")
    const held = holder() ?? expect.unreachable()
    process.kill(held, "SIGSTOP")
    await kill()
    process.kill(held, "SIGKILL")
    await until(() => !Proc.isAlive(held))
    expect((await call("ps", "-q")).stdout).toBe("")
    expect((await call("ps", "-a")).stdout).toMatch(/^job +ended, the server died /m)
  }, 120_000)
})

describe("SIGUSR2", () => {
  test("has another server of one's own, which down ends", async () => {
    const { call, files, pid } = make()
    await call("run", "-d", "--name=job", "--", "sleep", "600")
    const before = pid()
    process.kill(before, "SIGUSR2")
    await until(() => !Proc.isAlive(before))
    const after = pid()
    expect(after).not.toBe(before)
    expect((await call("ps", "-q")).stdout).toBe("job\n")
    expect((await call("down")).stdout).toBe(`ended the server of your own (pid ${after})\n`)
    expect(files()).toEqual([])
  }, 120_000)
})

describe("procwire up --restart", () => {
  test("has a new server, and costs clients no line and no exit code", async () => {
    const { call, folder, holder, pid, start } = make()
    folder.sh("touch go")
    const seen = textOf(start("run", "--server=own", "--", "sh", "-c", numbered))
    await until(() => lines(seen.text) > 5)
    const held = holder()
    for (let round = 0; round < 2; round++) {
      const [before, count] = [pid(), lines(seen.text)]
      expect(await call("up", "--restart", "--json")).toMatchObject({ code: 0, stderr: "" })
      expect(pid()).not.toBe(before)
      await until(() => !Proc.isAlive(before) && lines(seen.text) > count + 5)
    }
    expect(holder()).toBe(held)
    folder.sh("rm go")
    expect(await seen.ended).toEqual([7, null])
    expect(seen.text).toBe(upTo(lines(seen.text)))
  }, 120_000)

  test("leaves the old server where the new one fails, before and behind its end", async () => {
    const { call, env, folder, keep, pid, start } = make()
    folder.sh("touch go; echo nonsense >bad")
    await call("up")
    const seen = textOf(start("run", "--server=own", "--", "sh", "-c", numbered))
    await until(() => lines(seen.text) > 5)
    const before = pid()
    const failing = Program.make({ ...texts(env), PROCWIRE_CONFIG: folder.at("bad") })
    const { code, stderr } = await failing.call("up", "--restart")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^procwire: the new server has not taken over: .*nonsense/s)
    expect(stderr).toContain(`; the one before goes on (pid ${before}); see `)
    // One that ends when it has been given the place.
    const place = HolderPlace.find(keep) ?? expect.unreachable()
    const socket = net.connect({ path: place.next })
    await once(socket, "data")
    socket.write(`${JSON.stringify({ version: 1, pid: 2 ** 22 + 1, begin: "1" })}\nleave\n`)
    const [left] = (await once(socket, "data")) as [Buffer]
    expect(JSON.parse(left.toString())).toMatchObject({ processes: 1 })
    socket.destroy()
    const count = lines(seen.text)
    await until(() => lines(seen.text) > count + 5)
    expect(pid()).toBe(before)
    expect(Proc.isAlive(before)).toBe(true)
    folder.sh("rm go")
    expect(await seen.ended).toEqual([7, null])
    expect(seen.text).toBe(upTo(lines(seen.text)))
    expect(fs.readFileSync(folder.at("run/procwire/server.log"), "utf8")).toContain(
      "has not taken the place of this one: it has ended; what it logs says why; this one goes on",
    )
  }, 120_000)

  test("starts one where none runs, and does not end one without a holder", async () => {
    const { call } = make()
    expect(JSON.parse((await call("up", "--restart", "--json")).stdout)).toMatchObject({ started: true })
    const plain = make(false)
    await plain.call("up")
    expect(await plain.call("up", "--restart")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^procwire: the server of your own has no holder, /),
    })
  }, 120_000)
})

describe("what no server has", () => {
  test("ps --all-states lists, and gc ends", async () => {
    const { call, holder, kill } = make()
    await call("run", "-d", "--name=runs", "--", "sleep", "600")
    await call("run", "-d", "--name=ended", "--", "true")
    await call("wait", "ended")
    expect((await call("gc")).stdout).toBe("")
    expect((await call("ps", "--all-states", "-q")).stdout).toBe("runs\nended\n")
    await kill()
    const { stdout } = await call("ps", "--all-states", "--json")
    const rows = stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as object)
    expect(rows).toMatchObject([
      { name: "runs", argv: ["sleep", "600"], state: "running", left: true },
      { name: "ended", argv: ["true"], state: "closed", left: true },
    ])
    expect((await call("ps", "--all-states")).stdout).toMatch(
      /^runs +left, no server .*\nended +ended, unread /m,
    )
    expect((await call("gc", "--dry-run")).stdout).toBe("runs\nended\n")
    expect(holder()).not.toBeUndefined()
    expect((await call("gc")).stdout).toBe("runs\nended\n")
    await until(() => holder() === undefined)
    expect(await call("gc")).toEqual({ code: 0, stdout: "", stderr: "" })
    expect((await call("ps", "-q")).stdout).toBe("")
  }, 120_000)
})

describe("procwire down", () => {
  const script = "trap 'echo bye; exit 3' TERM; echo there; while :; do sleep 0.01; done"

  test("gives processes their time, and leaves neither process nor holder nor socket", async () => {
    const { call, files, holder, keep, kill, start } = make()
    await call("run", "-d", "--name=before", "--", "sh", "-c", "trap '' TERM; while :; do sleep 1; done")
    await kill()
    const seen = textOf(start("run", "--server=own", "--", "sh", "-c", script))
    await until(() => seen.text === "there\n")
    expect((await call("down")).stdout).toMatch(/^ended the server of your own \(pid \d+\)\n$/)
    expect(holder()).toBeUndefined()
    expect(files()).toEqual([])
    expect(fs.readdirSync(keep)).toEqual([])
    expect(await seen.ended).toEqual([3, null])
    expect(seen.text).toBe("there\nbye\n")
    expect((await call("down")).stdout).toBe("no server of your own runs\n")
  }, 120_000)

  test("ends what a killed server has left, without a server", async () => {
    const { call, folder, holder, keep, kill } = make()
    await call("run", "-d", "--name=job", "--", "sh", "-c", script.replace("echo bye", "echo bye >end"))
    await call("wait", "job", "--for=text:there")
    await kill()
    expect((await call("down")).stdout).toBe("ended 1 process that a server of your own had left\n")
    expect(folder.sh("cat end")).toBe("bye\n")
    expect(holder()).toBeUndefined()
    expect(fs.readdirSync(keep)).toEqual([])
    expect((await call("ps", "-q")).stdout).toBe("")
  }, 120_000)

  test("removes the socket of a holder that was killed", async () => {
    const { call, holder, keep, kill } = make()
    await call("up")
    const held = holder() ?? expect.unreachable()
    process.kill(held, "SIGSTOP")
    await kill()
    process.kill(held, "SIGKILL")
    await until(() => !Proc.isAlive(held))
    expect(fs.readdirSync(keep)).toContainEqual(expect.stringMatching(/\.sock$/))
    expect((await call("down")).stdout).toBe("no server of your own runs\n")
    expect(fs.readdirSync(keep).filter((name) => !name.endsWith(".log"))).toEqual([])
  }, 120_000)
})

describe("without a holder", () => {
  test("a server goes on, and up says why", async () => {
    const { call, folder, holder } = make()
    folder.sh("mkdir -m 700 run/procwire; touch run/procwire/keep")
    const first = await call("up", "--json")
    expect(JSON.parse(first.stdout)).toMatchObject({ started: true, kept: false })
    await call("down")
    expect((await call("up")).stderr).toBe(
      `procwire: processes of this server end with it: cannot use ${folder.at("run/procwire/keep")} for the holder of ` +
        "processes: File exists (os error 17)\n",
    )
    expect((await call("run", "-d", "--name=job", "--", "true")).code).toBe(0)
    expect(holder()).toBeUndefined()
  }, 120_000)

  test("a server has what the user wants", async () => {
    const { call, holder } = make(false)
    const { stdout, stderr } = await call("up", "--json")
    expect([JSON.parse(stdout), stderr]).toMatchObject([{ started: true, kept: false }, ""])
    expect(holder()).toBeUndefined()
    expect(JSON.parse((await call("up", "--json")).stdout)).toMatchObject({ started: false, kept: false })
  }, 120_000)
})
