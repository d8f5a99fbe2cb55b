/** `procwire serve` as a service of systemd: what it reports, and sockets that `systemd-socket-activate` passes. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { connect as connectSocket } from "node:net"
import process from "node:process"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command, platform } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Datagrams from "../testing/Datagrams.ts"
import * as Folder from "../testing/Folder.ts"
import * as Ports from "../testing/Ports.ts"
import * as TestChild from "../testing/TestChild.ts"
import * as Tls from "../transport/Tls.ts"

const [program, ...main] = command

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

const launch = (argv: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const [file = "", ...args] = argv
  const server = spawn(file, args, { stdio: "pipe", env: { ...process.env, ...env } })
  running.push(server)
  let [stdout, stderr] = ["", ""]
  server.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = once(server, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }))
  const lines = async (count: number) => {
    await TestChild.until(
      () => stdout.split("\n").length > count,
      () => `${count} addresses: ${stderr}`,
    )
    return stdout.split("\n").slice(0, count)
  }
  // Deno takes whoever it has signalled itself for dead of the signal.
  const signal = (name: NodeJS.Signals) => process.kill(server.pid ?? 0, name)
  return { server, ended, lines, signal, stderr: () => stderr }
}

const serve = [program, ...main, "serve"]

describe.runIf(process.platform === "linux")("procwire serve with NOTIFY_SOCKET", () => {
  it("reports that it is ready, reloads and ends, and no process that it starts has the variable", async () => {
    const path = Folder.make().at("notify")
    const socket = Datagrams.bind(platform.openFfi, path)
    const own = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "1000000", LISTEN_FDNAMES: "x", LISTEN_PID: "1" }
    const { server, ended, lines, signal } = launch([...serve, "--grace-ms", "600000"], own)
    const ready = await socket.next()
    const [url = ""] = await lines(1)
    expect(ready).toBe(`READY=1\nSTATUS=Serving at ${url}`)
    const client = await connect({ url }, { reconnect: false })
    const { stdout } = await client.run({ argv: ["env"] })
    expect(stdout).toContain("PATH=")
    expect(stdout).not.toMatch(/NOTIFY_SOCKET|LISTEN_|WATCHDOG_/)
    const pids = execFileSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
    for (const pid of pids) expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/NOTIFY_SOCKET/)

    signal("SIGUSR1")
    expect(await socket.next()).toMatch(/^RELOADING=1\nMONOTONIC_USEC=\d+$/)
    expect(await socket.next()).toBe("READY=1")

    const child = await client.start({
      argv: ["sh", "-c", "trap 'read line; exit 3' TERM; echo up; while :; do sleep 0.05; done"],
      pipeStdin: true,
    })
    for await (const text of child.text()) if (text.includes("up")) break
    signal("SIGTERM")
    const stopping = "STOPPING=1\nSTATUS=Ending; processes have 600000 ms\nEXTEND_TIMEOUT_USEC=610000000"
    expect(await socket.next()).toBe(stopping)
    await child.write("go\n")
    expect(await child.exitCode).toBe(3)
    expect(await ended).toMatchObject({ code: 0 })
  })

  it("names the process that has taken its place by SIGUSR2 as the service, and reports no end", async () => {
    const folder = Folder.make()
    const path = folder.at("notify")
    const socket = Datagrams.bind(platform.openFfi, path)
    const keep = ["--keep", "--keep-dir", folder.at("keep"), "--listen", `unix:${folder.at("s")}`]
    const { server, signal } = launch([...serve, ...keep], { NOTIFY_SOCKET: path })
    const exit = once(server, "exit")
    const ready = `READY=1\nSTATUS=Serving at unix:${folder.at("s")}`
    expect(await socket.next()).toBe(ready)
    signal("SIGUSR2")
    // The next server reports before or after this one has named it.
    const reports = [await socket.next(), await socket.next()]
    const [, next = ""] = /MAINPID=(\d+)/.exec(reports.join("\n")) ?? []
    expect([...reports].sort()).toEqual([`MAINPID=${next}`, ready])
    expect(next).not.toBe(String(server.pid))
    expect(await exit).toEqual([0, null])
    process.kill(Number(next), "SIGQUIT")
    expect(await socket.next()).toMatch(/^STOPPING=1\n/)
  })

  it("serves although nobody receives what it reports", async () => {
    const path = Folder.make().at("nobody")
    const { lines, ended, signal } = launch(serve, { NOTIFY_SOCKET: path })
    const client = await connect({ url: (await lines(1))[0] ?? "" }, { reconnect: false })
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await client.close()
    signal("SIGTERM")
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(stderr).toContain(`cannot notify systemd at NOTIFY_SOCKET ${path}`)
  })
})

const has = (name: string): boolean => {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const activator = has("systemd-socket-activate")
const noActivator = "systemd-socket-activate is not installed (Debian: apt-get install systemd)"

describe("procwire serve --listen systemd", () => {
  /** Passes a port and a unix socket; the first connection starts the server, whose addresses are returned. */
  const activate = async (names: string, flags: ReadonlyArray<string>, mode = 0o600) => {
    const path = Folder.make().at("passed.sock")
    const listen = async (): Promise<ReturnType<typeof launch>> => {
      // It refuses port 0, and another program may listen there first.
      const sockets = ["-l", `127.0.0.1:${await Ports.unused()}`, "-l", path, `--fdname=${names}`]
      const server = launch(["systemd-socket-activate", ...sockets, ...serve, ...flags])
      const listens = () => server.stderr().includes(`Listening on ${path}`)
      await TestChild.until(() => listens() || server.server.exitCode !== null, server.stderr)
      if (listens()) return server
      expect(server.stderr()).toContain("Address already in use")
      return listen()
    }
    const server = await listen()
    chmodSync(path, mode)
    const first = connectSocket(path).on("error", () => {})
    await once(first, "connect")
    return { ...server, path, first }
  }

  it("serves lines on a unix socket and WebSockets on a port, which children do not inherit", async (test) => {
    test.skip(!activator, noActivator)
    const { lines, path, first, ended, signal } = await activate("web:lines", ["--listen", "systemd"])
    const [ws = "", unix = ""] = await lines(2)
    expect(ws).toMatch(/^ws:\/\/127\.0\.0\.1:[1-9]\d*$/)
    expect(unix).toBe(`unix:${path}`)
    // The connection that has started the server is the first that it serves.
    first.write('{"id":1,"method":"initialize","params":{"clientName":"test"}}\n')
    expect(JSON.parse(String((await once(first, "data"))[0]))).toMatchObject({ id: 1 })
    first.destroy()
    expect((await fetch(`${ws.replace("ws", "http")}/readyz`)).status).toBe(200)
    for (const url of [ws, unix]) {
      const client = await connect({ url }, { reconnect: false })
      const script = "env; ls -l /proc/self/fd; ls -l /proc/$PPID/fd | grep -c socket"
      const { stdout } = await client.run({ argv: ["sh", "-c", script] })
      expect(stdout).not.toMatch(/LISTEN_|-> socket:/)
      expect(stdout).toMatch(/\n[1-9]\d*\n$/)
      await client.close()
    }
    signal("SIGTERM")
    expect(await ended).toMatchObject({ code: 0 })
    // The socket is systemd's, so its file stays.
    expect(readFileSync("/proc/net/unix", "utf8")).not.toContain(path)
    expect(execFileSync("ls", [path], { encoding: "utf8" })).toBe(`${path}\n`)
  })

  it.runIf(Tls.canListen)("speaks TLS on a port with a certificate that SIGUSR1 renews", async (test) => {
    test.skip(!activator, noActivator)
    const folder = Folder.make()
    const made = Certificates.make(folder.path)
    copyFileSync(made.server.certFile, folder.at("cert"))
    copyFileSync(made.server.keyFile, folder.at("key"))
    const tls = ["--tls-cert", folder.at("cert"), "--tls-key", folder.at("key"), "--log-level", "info"]
    const flags = ["--listen", "systemd", ...tls]
    const { lines, signal, stderr } = await activate("web:lines", flags)
    const [wss = ""] = await lines(2)
    expect(wss).toMatch(/^wss:\/\/127\.0\.0\.1:[1-9]\d*$/)
    const old = await connect({ url: wss, ca: made.authority.cert }, { reconnect: false })
    copyFileSync(made.stranger.certFile, folder.at("cert"))
    copyFileSync(made.stranger.keyFile, folder.at("key"))
    signal("SIGUSR1")
    await TestChild.until(() => stderr().includes("read again"), stderr)
    await expect(connect({ url: wss, ca: made.authority.cert }, { reconnect: false })).rejects.toThrow()
    expect(await old.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await old.close()
  })

  it("takes a socket by its name, warns of one that nothing takes, and names those that there are", async (test) => {
    test.skip(!activator, noActivator)
    const some = await activate("web:lines", ["--listen", "systemd:lines"])
    expect(await some.lines(1)).toEqual([`unix:${some.path}`])
    await TestChild.until(() => some.stderr().includes("nothing serves"), some.stderr)
    expect(some.stderr()).toContain("nothing serves the socket 'web' (descriptor 3) of systemd")
    const none = await activate("web:lines", ["--listen", "systemd:other"])
    const { code, stderr } = await none.ended
    expect(code).toBe(2)
    expect(stderr).toContain(
      "procwire: --listen: systemd passed no socket named 'other': those that it passed are 'web', 'lines'\n",
    )
  })

  it("goes on at SIGUSR2, and says that the service is to restart", async (test) => {
    test.skip(!activator, noActivator)
    const keep = ["--keep", "--keep-dir", Folder.make().at("keep")]
    const { ended, lines, signal, stderr } = await activate("web:lines", ["--listen", "systemd", ...keep])
    await lines(2)
    signal("SIGUSR2")
    await TestChild.until(() => stderr().includes("restart its service"), stderr)
    signal("SIGQUIT")
    expect(await ended).toMatchObject({ code: 0 })
  })

  it("refuses a unix socket that every user may connect to", async (test) => {
    test.skip(!activator, noActivator)
    const { ended, path } = await activate("web:lines", ["--listen", "systemd"], 0o666)
    const { code, stderr } = await ended
    expect(code).toBe(2)
    expect(stderr).toContain(
      `procwire: refusing to listen on unix:${path}: every user of this host could run anything`,
    )
    const open = await activate("web:lines", ["--listen", "systemd", "--allow-unauthenticated"], 0o666)
    expect(await open.lines(2)).toContain(`unix:${open.path}`)
  })

  it("says what is missing where nothing usable was passed", async () => {
    const none = await launch([...serve, "--listen", "systemd"]).ended
    expect(none).toMatchObject({ code: 2, stdout: "" })
    expect(none.stderr).toContain(
      "procwire: --listen systemd: no sockets from systemd: LISTEN_FDS is not set; start the server by",
    )
    const other = await launch([...serve, "--listen", "systemd"], { LISTEN_FDS: "1", LISTEN_PID: "1" }).ended
    expect(other.stderr).toContain("LISTEN_PID is '1' and this process is")
    const file = Folder.make().at("file")
    writeFileSync(file, "")
    const script = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@" 3<"$0"'
    const wrong = await launch(["sh", "-c", script, file, ...serve, "--listen", "systemd"]).ended
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain("only stream sockets that listen can be used (ListenStream=, Accept=no)")
    const twice = await launch([...serve, "--listen", "systemd", "--listen", "systemd"]).ended
    expect(twice.stderr).toContain("--listen systemd may be given only once")
  })
})

describe("units", () => {
  const missing = "systemd-analyze is not installed (Debian: apt-get install systemd)"

  /** The complaints of systemd about units of these texts. */
  const verified = (units: Readonly<Record<string, string>>) => {
    const folder = Folder.make()
    // The program need not be installed where this test runs.
    for (const [name, text] of Object.entries(units))
      writeFileSync(folder.at(name), text.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"))
    const files = Object.keys(units).map((name) => `./${name}`)
    return folder.sh(`systemd-analyze verify ${files.join(" ")} 2>&1 || echo failed`)
  }

  it("of adapters/systemd are such that systemd accepts them", (test) => {
    test.skip(!has("systemd-analyze"), missing)
    const source = fileURLToPath(new URL("../../systemd", import.meta.url))
    const read = (name: string) => readFileSync(`${source}/${name}`, "utf8")
    const names = ["procwire.service", "procwire.socket"]
    expect(verified(Object.fromEntries(names.map((name) => [name, read(name)])))).toBe("")
  })

  it("of hosts of a fleet, as their README has it, are such, too", (test) => {
    test.skip(!has("systemd-analyze"), missing)
    const readme = readFileSync(fileURLToPath(new URL("../fleet/README.md", import.meta.url)), "utf8")
    const [, unit = ""] = /^```ini\n([\s\S]*?)^```/m.exec(readme) ?? []
    expect(unit).toContain("serve --join")
    expect(verified({ "host.service": unit })).toBe("")
    expect(verified({ "host.service": unit.replace("Type=notify", "Type=told") })).not.toBe("")
  })
})
