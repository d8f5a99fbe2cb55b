// `procwire serve --keep`: sessions and processes over servers that are killed, ended and started again.
import { type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import * as net from "node:net"
import process from "node:process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { connect } from "../../testing/Client.ts"
import * as HolderPlace from "../keep/HolderPlace.ts"
import { open } from "../testing/EgressChildren.ts"
import * as Proc from "../testing/Proc.ts"
import * as Program from "../testing/Program.ts"

/** Servers at one address, one after the other. */
const make = () => {
  const program = Program.make()
  const { folder } = program
  const url = `unix:${folder.at("s.sock")}`
  const place = Effect.runSync(HolderPlace.make(folder.at("state")))
  const holder = () => HolderPlace.noted(place)
  onTestFinished(async () => {
    for (const server of successors()) process.kill(server, "SIGKILL")
    const pid = holder()
    if (pid !== undefined) process.kill(pid, "SIGTERM")
    await until(() => holder() === undefined)
  })
  /** Starts one; completes when it listens. `printed` is its stdout, and that of its successors. */
  const serve = async (
    ...flags: ReadonlyArray<string>
  ): Promise<ChildProcess & { printed: () => string; said: () => string }> => {
    const server = program.start(
      "serve",
      `--listen=${url}`,
      "--keep",
      `--keep-dir=${folder.at("state")}`,
      "--list-sessions=all",
      "--scope=control",
      ...flags,
    )
    let [said, printed] = ["", ""]
    server.stderr?.on("data", (text: Buffer) => (said += text.toString()))
    server.stdout?.on("data", (text: Buffer) => (printed += text.toString()))
    const [first] = (await Promise.race([once(server.stdout!, "data"), once(server, "close")])) as [unknown]
    if (!Buffer.isBuffer(first)) throw new Error(`the server did not start: ${said}`)
    return Object.assign(server, { printed: () => printed, said: () => said })
  }
  const kill = async (server: ChildProcess, signal: NodeJS.Signals) => {
    const closed = once(server, "close")
    // Not by `server.kill`: Deno reports its signal then, however the server ends.
    process.kill(server.pid ?? 0, signal)
    return closed
  }
  const successors = () =>
    Proc.withArgument("--take-over").filter((pid) => Proc.hasArgument(pid, `--listen=${url}`))
  /** Has another one take the place of it; completes when that has it. */
  const replace = async (server: number) => {
    process.kill(server, "SIGUSR2")
    await until(() => !Proc.isAlive(server))
    const [successor] = successors()
    return successor ?? expect.unreachable()
  }
  const call = (...args: ReadonlyArray<string>) =>
    program.call(args[0] ?? "", `--server=${url}`, ...args.slice(1))
  return { ...program, call, url, serve, kill, place, replace, holder }
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Connects to the ports all the time, until it is asked how many connections were refused. */
const connectAgainAndAgain = (ports: ReadonlyArray<number>) => {
  let [refused, over] = [0, false]
  const lanes = ports.map(async (port) => {
    while (!over) {
      const socket = net.connect(port, "127.0.0.1")
      await once(socket, "connect").catch(() => (refused += 1))
      socket.destroy()
    }
  })
  return async () => {
    over = true
    await Promise.all(lanes)
    return refused
  }
}

/** The other side of a hand-over. */
const talkOn = (socket: net.Socket) => {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const read = async () => JSON.parse((await lines.next()).value as string) as unknown
  return { read, say: (what: unknown) => void socket.write(`${JSON.stringify(what)}\n`) }
}

describe("a server with --keep", () => {
  test("that is killed again and again costs a client that reads no line, and no exit code", async () => {
    const { folder, serve, kill, start, url } = make()
    let server = await serve()
    const script = "i=0; while [ -e go ] || [ $i -lt 500 ]; do echo $i; i=$((i+1)); sleep 0.01; done; exit 7"
    folder.sh("touch go")
    const client = start("run", `--server=${url}`, "--", "sh", "-c", script)
    let printed = ""
    client.stdout?.on("data", (text: Buffer) => (printed += text.toString()))
    const ended = once(client, "close")
    const lines = () => printed.split("\n").length - 1
    for (let round = 0; round < 3; round++) {
      const before = lines()
      await until(() => lines() > before + 20)
      await kill(server, "SIGKILL")
      server = await serve()
    }
    const before = lines()
    await until(() => lines() > before)
    folder.sh("rm go")
    expect(await ended).toEqual([7, null])
    expect(printed).toBe(Array.from({ length: lines() }, (_, index) => `${index}\n`).join(""))
  })

  test("leaves processes to the next one when it is asked to end, also their codes", async () => {
    const { call, folder, serve, kill } = make()
    const first = await serve()
    await call(
      "run",
      "--detach",
      "--name=job",
      "--",
      "sh",
      "-c",
      "echo one; while [ ! -e go ]; do sleep 0.01; done; exit 5",
    )
    expect(await kill(first, "SIGTERM")).toEqual([0, null])
    folder.sh("touch go")
    await serve()
    expect((await call("wait", "job")).stdout).toBe("5\n")
    expect((await call("logs", "job")).stdout).toBe("one\n")
    const { stdout } = await call("ps", "--all", "--json")
    expect(JSON.parse(stdout)).toMatchObject({ name: "job", held: true, exitCode: 5 })
  })

  test("goes on with the histories of the servers before it, in their files", async () => {
    const { call, folder, serve, kill, replace } = make()
    const histories = folder.at("histories")
    const flags = ["--history-bytes=67108864", `--history-dir=${histories}`]
    let server = await serve(...flags)
    const script = "seq 300000; while [ ! -e go ]; do sleep 0.01; done; seq 300001 400000"
    await call("run", "--detach", "--name=job", "--", "sh", "-c", script)
    await call("wait", "job", "--for=output:^300000$")
    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
      await kill(server, signal)
      server = await serve(...flags)
    }
    await replace(await replace(server.pid ?? 0))
    folder.sh("touch go")
    await call("wait", "job")
    expect((await call("logs", "job")).stdout).toBe(
      Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join(""),
    )
    await until(() => readdirSync(histories).length === 1)
  }, 120_000)

  test("leaves the histories of processes that a holder has, whatever other server starts meanwhile", async () => {
    const { call, folder, serve, kill, start } = make()
    const flags = ["--history-bytes=67108864", `--history-dir=${folder.at("histories")}`]
    const server = await serve(...flags)
    await call(
      "run",
      "--detach",
      "--name=job",
      "--",
      "sh",
      "-c",
      "seq 300000; while [ ! -e go ]; do sleep 0.01; done",
    )
    await call("wait", "job", "--for=output:^300000$")
    await kill(server, "SIGKILL")
    // Folders of which no holder knows anything are removed, which shows that the other server has looked.
    folder.sh("cp -r histories/procwire-history-* histories/other; rm -f histories/other/holder")
    const [name = ""] = readdirSync(folder.at("histories")).filter((each) => each !== "other")
    folder.sh(`mv histories/other histories/${name.slice(0, -6)}otherA`)
    const other = start("serve", `--listen=unix:${folder.at("other.sock")}`, ...flags)
    await until(() => !readdirSync(folder.at("histories")).some((each) => each.endsWith("otherA")))
    await kill(other, "SIGTERM")
    await serve(...flags)
    folder.sh("touch go")
    await call("wait", "job")
    expect((await call("logs", "job")).stdout).toBe(
      Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join(""),
    )
  }, 120_000)

  test("waits for the input of a process that it has taken over, on a pipe and on a terminal", async () => {
    const { call, feed, serve, kill, url } = make()
    const first = await serve()
    for (const flags of [["--interactive"], ["--tty"]]) {
      const name = flags[0] === "--tty" ? "tty" : "pipe"
      await call("run", "--detach", ...flags, `--name=${name}`, "--", "sh", "-c", "read line; echo got $line")
    }
    await kill(first, "SIGKILL")
    await serve()
    for (const name of ["pipe", "tty"]) {
      expect(await call("wait", name, "--for=input")).toMatchObject({ code: 0 })
      await feed("x\n", "write", `--server=${url}`, name)
      expect((await call("wait", name)).stdout).toBe("0\n")
      expect((await call("logs", name)).stdout).toContain("got x")
    }
  })

  test("has no second one beside it, and its holder ends when nothing is left", async () => {
    const { call, serve, kill, holder, folder, start } = make()
    const first = await serve()
    const second = start(
      "serve",
      `--listen=unix:${folder.at("other.sock")}`,
      "--keep",
      `--keep-dir=${folder.at("state")}`,
    )
    let said = ""
    second.stderr?.on("data", (text: Buffer) => (said += text.toString()))
    expect(await once(second, "close")).toEqual([2, null])
    expect(said).toContain(`--keep: the server ${first.pid} uses this holder`)
    await call("run", "--detach", "--name=job", "--", "true")
    await call("wait", "job")
    await call("rm", "job")
    await kill(first, "SIGTERM")
    await until(() => holder() === undefined)
  })

  test("gives its place to a new one by SIGUSR2, over a unix socket and over TCP", async () => {
    const { folder, replace, serve, start, url } = make()
    folder.sh("touch go")
    const server = await serve("--listen=ws://127.0.0.1:0", "--listen=tcp://127.0.0.1:0")
    const script = "i=0; while [ -e go ] || [ $i -lt 200 ]; do echo $i; i=$((i+1)); sleep 0.01; done; exit 7"
    const client = start("run", `--server=${url}`, "--", "sh", "-c", script)
    let printed = ""
    client.stdout?.on("data", (text: Buffer) => (printed += text.toString()))
    const ended = once(client, "close")
    const lines = () => printed.split("\n").length - 1
    await until(() => lines() > 5)
    const ports = () =>
      [...server.printed().matchAll(/^(?:ws|tcp):\/\/127.0.0.1:(\d+)$/gm)].map(([, port]) => port)
    await until(() => ports().length === 2)
    const refused = connectAgainAndAgain(ports().map(Number))
    const left = once(server, "exit")
    await replace(server.pid ?? 0)
    expect(await left).toEqual([0, null])
    await until(() => ports().length === 4)
    expect(ports().slice(2)).toEqual(ports().slice(0, 2))
    expect(await refused()).toBe(0)
    const count = lines()
    await until(() => lines() > count + 5)
    const other = start("ps", "-q", `--server=ws://127.0.0.1:${ports()[0]}`)
    expect(await once(other, "close")).toEqual([0, null])
    folder.sh("rm go")
    expect(await ended).toEqual([7, null])
    expect(printed).toBe(Array.from({ length: lines() }, (_, index) => `${index}\n`).join(""))
  })

  test("goes on where a successor ends before it has all processes", async () => {
    const { call, folder, place, serve, start } = make()
    const server = await serve("--listen=ws://127.0.0.1:0")
    await until(() => server.printed().includes("ws://"))
    const [ws] = /ws:.*/.exec(server.printed()) ?? []
    const script = "echo one; while [ ! -e go ]; do sleep 0.01; done; exit 5"
    await call("run", "--detach", "--name=job", "--", "sh", "-c", script)
    const hello = { version: 1, pid: 2 ** 22 + 1, begin: "1" }
    for (const isBound of [false, true]) {
      let said = ""
      server.stderr?.on("data", (text: Buffer) => (said += text.toString()))
      const socket = net.connect(place.next)
      const { read, say } = talkOn(socket)
      expect(await read()).toMatchObject({ version: 1, pid: server.pid })
      say(hello)
      if (isBound) {
        socket.write("leave\n")
        expect(await read()).toMatchObject({ processes: 1 })
      }
      socket.destroy()
      await until(() => said.includes("; this one goes on"))
      expect((await call("ps", "--quiet")).stdout).toBe("job\n")
      expect(await once(start("ps", "--quiet", `--server=${ws}`), "close")).toEqual([0, null])
    }
    folder.sh("touch go")
    expect((await call("wait", "job")).stdout).toBe("5\n")
    expect((await call("logs", "job")).stdout).toBe("one\n")
  })

  test("gives back the processes that it has taken over where they are not all", async () => {
    const { call, folder, kill, place, serve } = make()
    const flags = [`--history-dir=${folder.at("histories")}`, "--history-bytes=67108864"]
    const server = await serve(...flags)
    const script = "seq 300000; while [ ! -e go ]; do sleep 0.01; done; exit 5"
    await call("run", "--detach", "--name=job", "--", "sh", "-c", script)
    await call("wait", "job", "--for=output:^300000$")
    await kill(server, "SIGKILL")
    folder.sh(`rm ${place.next}`)
    const other = net.createServer()
    onTestFinished(() => void other.close())
    other.listen(place.next)
    const given = once(other, "connection")
    const failed = serve(...flags, "--take-over").catch(({ message }: Error) => message)
    const [socket] = (await given) as [net.Socket]
    const { say } = talkOn(socket)
    say({ version: 1 })
    say({ processes: 2, addresses: [] })
    expect(await failed).toContain("took over 1 of 2 processes, and gave them back")
    other.close()
    await serve(...flags)
    folder.sh("touch go")
    expect((await call("wait", "job")).stdout).toBe("5\n")
    expect((await call("logs", "job")).stdout.split("\n").length).toBe(300_001)
  })

  test("is refused with what it cannot be combined with", async () => {
    const { call } = Program.make({ PROCWIRE_KEEP: undefined })
    const refused = async (...flags: ReadonlyArray<string>) => {
      const { code, stderr } = await call("serve", ...flags)
      return `${code} ${stderr.split("\n")[0]}`
    }
    expect(await refused("--keep-dir=/tmp/x")).toBe("2 procwire: --keep-dir needs --keep")
    expect(await refused("--take-over")).toBe("2 procwire: --take-over needs --keep")
    expect(await refused("--keep", "--spawner=nice:5")).toBe(
      "2 procwire: --keep and --spawner exclude each other",
    )
  })
})

const { spawner } = open(async () => [])

describe.runIf(spawner.capabilities.egress)(
  "a server that keeps egress rules",
  { tags: ["bubblewrap"] },
  () => {
    /** An origin that says what it was given, and flags that allow it. */
    const site = async () => {
      const given: Array<string | undefined> = []
      const origin = createServer(({ headers }, response) => {
        given.push(headers.authorization)
        response.end(`reached with ${headers.authorization ?? "nothing"}\n`)
      })
      origin.listen(0, "127.0.0.1")
      await once(origin, "listening")
      onTestFinished(() => void origin.close())
      const { port } = origin.address() as net.AddressInfo
      const at = `127.0.0.1:${port}`
      return { at, flags: ["--confine=no-network", `--egress=allow:${at}`], given }
    }

    /** Asks for each host that it reads, over the proxy of its environment, and listens on a port. */
    const script = `
    require("net").createServer((socket) => socket.end("within")).listen(5173, "127.0.0.1")
    const { hostname, port } = new URL(process.env.http_proxy)
    const ask = (host) => {
      const path = "http://" + host + "/"
      const headers = { host, authorization: process.env.TOKEN ?? "no token" }
      const request = require("http").get({ hostname, port, path, headers, agent: false }, (response) => {
        response.on("data", (text) => process.stdout.write(text)).on("end", () => console.log("over"))
      })
      request.on("error", ({ code }) => console.log(code, "over"))
    }
    require("readline").createInterface(process.stdin).on("line", ask)
    console.log("ready")`

    /** Such a process, with all that it has told. */
    const begin = async (url: string) => {
      const client = await connect({ url })
      onTestFinished(() => client.close())
      const argv = [process.env["TEST_NODE"] ?? "node", "-e", script]
      const child = await client.start({
        argv,
        inherit: "all",
        pipeStdin: true,
        restart: { policy: "no" },
      })
      let text = ""
      const blocked: Array<unknown> = []
      const follow = async () => {
        for await (const event of child) {
          if (event.kind === "output") text += Buffer.from(event.bytes).toString()
          if ((event.kind as string) === "egress") blocked.push(event)
        }
      }
      void follow().catch(() => {})
      const asks = async (host: string) => {
        const before = text.length
        await child.write(`${host}\n`)
        await until(() => text.slice(before).includes("over\n"))
        return text.slice(before)
      }
      /** The same as soon as the proxy is there again. */
      const reaches = async (host: string) => {
        for (;;) {
          const got = await asks(host)
          if (!got.includes("ECONN")) return got
        }
      }
      await until(() => text.includes("ready"))
      return { asks, blocked, child, reaches }
    }

    test("opens the proxy of a process again, however the server before has ended", async () => {
      const { kill, replace, serve, url } = make()
      const { at, flags } = await site()
      const server = await serve(...flags)
      const { blocked, child, reaches } = await begin(url)
      expect(await reaches(at)).toContain("reached")
      await kill(server, "SIGKILL")
      const second = await serve(...flags)
      expect(await reaches(at)).toContain("reached")
      expect(await reaches("x.example.org")).toContain("x.example.org:80 is blocked")
      await until(() => blocked.length === 1)
      expect(blocked).toMatchObject([{ kind: "egress", host: "x.example.org", reason: "not_allowed" }])
      const way = await child.port(5173)
      const socket = net.connect(way)
      expect(String(await once(socket, "data"))).toBe("within")

      const third = await replace(second.pid ?? 0)
      expect(await reaches(at)).toContain("reached")
      expect(await reaches("y.example.org")).toContain("y.example.org:80 is blocked")
      await until(() => blocked.length === 2)

      // The rules are those of the server that is there.
      process.kill(third, "SIGKILL")
      await until(() => !Proc.isAlive(third))
      await serve("--confine=no-network", `--egress=allow:x.example.org,deny:${at}`)
      expect(await reaches(at)).toContain(`${at} is blocked`)
    }, 300_000)

    test("gives its hosts the secrets of the next server that have not changed, and no other value", async () => {
      const { folder, kill, serve, url } = make()
      const { at, flags, given } = await site()
      const file = folder.at("secrets.json")
      const rewrite = (value: string) =>
        writeFileSync(file, JSON.stringify({ TOKEN: { value, hosts: [at] } }), { mode: 0o600 })
      const first = "of-the-first-server"
      rewrite(first)
      let server = await serve(...flags, `--secrets=${file}`)
      const { child, reaches } = await begin(url)
      expect(await reaches(at)).toContain("reached with ***TOKEN***")
      const again = async (value: string) => {
        rewrite(value)
        await kill(server, "SIGKILL")
        server = await serve(...flags, `--secrets=${file}`)
        return reaches(at)
      }
      expect(await again(first)).toContain("reached with ***TOKEN***")
      expect(given.splice(0)).toEqual([first, first])
      expect(await again("of-another-server")).toContain(`reached with ${given[0]}`)
      const placeholder = given.splice(0)[0]
      expect(placeholder).toMatch(/^[0-9A-Za-z]{32}$/)

      // The next child is masked of the value of now, which it gets, and has the same placeholder.
      await child.restart()
      expect(await reaches(at)).toContain("reached with ***TOKEN***")
      expect(given.splice(0)).toEqual(["of-another-server"])
    }, 300_000)

    test("gives its hosts the value that a file had at its start, also under the next server", async () => {
      const { folder, kill, serve, url } = make()
      const { at, flags, given } = await site()
      const [file, token] = [folder.at("secrets.json"), folder.at("token")]
      writeFileSync(file, JSON.stringify({ TOKEN: { file: token, hosts: [at] } }), { mode: 0o600 })
      writeFileSync(token, "at-the-start-of-the-server\n")
      const server = await serve(...flags, `--secrets=${file}`)
      writeFileSync(token, "at-the-start-of-the-process\n")
      const { reaches } = await begin(url)
      expect(await reaches(at)).toContain("reached with ***TOKEN***")
      await kill(server, "SIGKILL")
      await serve(...flags, `--secrets=${file}`)
      expect(await reaches(at)).toContain("reached with ***TOKEN***")
      expect(given).toEqual(["at-the-start-of-the-process", "at-the-start-of-the-process"])
    }, 300_000)

    test("says that a process has no proxy under a server without rules, and opens it under the next", async () => {
      const { kill, serve, url } = make()
      const { at, flags } = await site()
      const server = await serve(...flags)
      const { asks, child, reaches } = await begin(url)
      await kill(server, "SIGKILL")
      const second = await serve("--confine=no-network")
      expect(await asks(at)).toContain("ECONNREFUSED")
      expect(second.said()).toContain(
        `the process ${child.id}, which the server before has left, has no proxy: this server has no rules`,
      )
      await kill(second, "SIGKILL")
      await serve(...flags)
      expect(await reaches(at)).toContain("reached")
    }, 300_000)
  },
)
