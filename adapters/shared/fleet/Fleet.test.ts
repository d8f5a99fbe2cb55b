/** Routers and hosts as programs, with a directory in a real PostgreSQL, and what their deaths do to clients. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import * as Runtime from "../../testing/Runtime.ts"
import { makeFolder, removeFolder } from "../directory/testing/EngineProcess.ts"
import { lacking, PostgresServer } from "../directory/testing/PostgresServer.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Program from "../Program.ts"

const { connect } = Program.make(Runtime.platform)
const [program, ...main] = Runtime.unboundCommand
const folder = makeFolder()
const running = new Set<ChildProcess>()
const clients = new Set<Client>()

const start = (...args: ReadonlyArray<string>): ChildProcess => {
  const env = { ...process.env, XDG_STATE_HOME: folder, PROCWIRE_SERVER: undefined }
  const child = spawn(program, [...main, ...args], { stdio: ["ignore", "pipe", "ignore"], env })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

const kill = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
}

const router = async (directory: string, listen = "ws://127.0.0.1:0", ...more: ReadonlyArray<string>) => {
  const child = start("router", "--directory", directory, "--listen", listen, ...more)
  if (child.stdout === null) throw new Error("there is no stdout")
  const [url] = (await once(createInterface(child.stdout), "line")) as [string]
  return { child, url }
}

const host = (name: string, ...routers: ReadonlyArray<string>) =>
  start("serve", ...routers.map((url) => `--join=${url}`), `--host-id=${name}`, `--host-label=name=${name}`)

interface Health {
  readonly tunnels: number
  readonly sessions: number
  /** Those that are up. */
  readonly hosts: number
}

const health = async (url: string): Promise<Health> =>
  (await (await fetch(`${url.replace("ws:", "http:")}/healthz`)).json()) as Health

/** The output of `procwire fleet`. */
const fleetCommand = async (...args: ReadonlyArray<string>): Promise<string> => {
  const child = start("fleet", ...args)
  let printed = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text))
  await once(child, "close")
  return printed
}

/** Waits until a condition holds, however slow this machine is. */
const until = async (holds: () => Promise<boolean>) => {
  const deadline = performance.now() + 120_000
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error("the condition does not hold after two minutes")
    await new Promise((resume) => setTimeout(resume, 50))
  }
}

const open = async (...urls: ReadonlyArray<string>): Promise<Client> => {
  const client = await connect({ url: urls }, { reconnect: { window: "2 minutes" } })
  clients.add(client)
  return client
}

afterEach(async () => {
  await Promise.all([...clients].map((client) => client.close()))
  clients.clear()
  await Promise.all([...running].map(kill))
})
afterAll(() => removeFolder(folder))

describe("a fleet of one router", () => {
  // A server on Deno does not listen with TLS.
  // guards: fleet-doors
  it.skipIf(Runtime.name === "Deno")(
    "admits hosts by their token over TLS, and neither clients by it nor hosts by that of clients",
    async () => {
      const { authority, server } = Certificates.make(folder)
      const [hosts, clientsFile] = [join(folder, "hosts.token"), join(folder, "clients.token")]
      writeFileSync(hosts, "sesame for hosts\n")
      writeFileSync(clientsFile, "sesame for clients\n")
      const [ca, caFile] = [authority.cert, authority.certFile]
      const { url } = await router(
        "memory:",
        "ws://127.0.0.1:0",
        `--tls-cert=${server.certFile}`,
        `--tls-key=${server.keyFile}`,
        "--ws-auth=capability-token",
        `--ws-token-file=${clientsFile}`,
        `--host-token-file=${hosts}`,
      )
      expect(url).toMatch(/^wss:/)
      const joining = (token: string) =>
        start("serve", `--join=${url}`, `--join-ca=${caFile}`, `--join-token-file=${token}`, "--host-id=a")
      const connected = (token: string) => connect({ url, ca, token })
      const list = (token: string) =>
        fleetCommand("hosts", "--json", "--router", url, "--router-ca", caFile, "--token-file", token)
      const stranger = joining(clientsFile)
      await expect(connected("sesame for hosts")).rejects.toMatchObject({ reason: "Connect" })
      expect(await list(clientsFile)).toBe("")
      expect(await list(hosts)).toBe("")
      await kill(stranger)
      joining(hosts)
      await until(async () => (await list(hosts)).includes('"hostId":"a"'))
      const client = await connected("sesame for clients")
      clients.add(client)
      expect(await client.run({ argv: ["echo", "in"] })).toMatchObject({ exitCode: 0 })
    },
  )

  it("starts nothing on a host that is drained, tells when it is empty, and starts there again", async () => {
    const { url } = await router("memory:")
    start("serve", `--join=${url}`, "--host-id=a", "--detached-ttl-ms=1")
    await until(async () => (await health(url)).hosts === 1)
    const client = await open(url)
    let told = ""
    const draining = fleetCommand("drain", "a", "--wait", "--router", url).then((text) => (told = text))
    await until(async () => (await fleetCommand("hosts", "--router", url)).includes("draining"))
    await expect(open(url)).rejects.toMatchObject({ message: expect.stringContaining("no host") as string })
    expect(await client.run({ argv: ["true"] })).toMatchObject({ exitCode: 0 })
    expect(told).toBe("")
    await client.close()
    expect(await draining).toBe("a starts nothing new\n")
    expect((await health(url)).sessions).toBe(0)
    expect(await fleetCommand("drain", "a", "--undo", "--router", url)).toBe("a takes sessions again\n")
    await open(url)
  })

  it("starts sessions on the host that the address asks for, and refuses others with words", async () => {
    const { url } = await router("memory:")
    host("a", url)
    host("b", url)
    await until(async () => (await health(url)).tunnels === 2)
    const client = await open(`${url}/?label=name=b`)
    expect(await client.$`echo here`.text()).toBe("here\n")
    await until(async () => /^b +up +1\/4096 /m.test(await fleetCommand("hosts", "--router", url)))
    await expect(open(`${url}/?label=name=c`)).rejects.toMatchObject({
      reason: "Server",
      message: expect.stringContaining("no session was started: no host for a session with name=c") as string,
    })
  })
})

const why = lacking ?? (Runtime.name === "Node" ? undefined : "the directory is the same on every runtime")
const title = why === undefined ? "a fleet on PostgreSQL" : `a fleet on PostgreSQL, skipped: ${why}`

describe.skipIf(why !== undefined)(title, { tags: ["postgresql"] }, () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(() => postgres.remove())

  const fleet = async () => {
    const [one, other] = await Promise.all([router(postgres.url), router(postgres.url)])
    const hosts = { a: host("a", one.url, other.url), b: host("b", one.url, other.url) }
    const both = async ({ url }: { readonly url: string }) => {
      const { tunnels, hosts } = await health(url)
      return tunnels === 2 && hosts === 2
    }
    await until(async () => (await both(one)) && (await both(other)))
    return { one, other, hosts }
  }

  it("tells that a session has ended with its host, and never attaches it to the next start", async () => {
    const { one, other, hosts } = await fleet()
    const client = await open(`${one.url}/?label=name=a`, `${other.url}/?label=name=a`)
    const child = await client.start({ argv: ["sleep", "1000"] })
    const ending = child.exitCode.catch((error: unknown) => error)
    await kill(hosts.a)
    host("a", one.url, other.url)
    expect(await ending).toMatchObject({
      message: expect.stringContaining("has ended: host restarted") as string,
    })
  })

  it("goes on without PostgreSQL: sessions run, resumes work, starts are refused with words", async () => {
    const { one, other } = await fleet()
    const client = await open(one.url, other.url)
    const child = await client.start({ argv: ["cat"], pipeStdin: true })
    const lines = child.lines()[Symbol.asyncIterator]()
    const echo = async (text: string) => {
      await child.write(`${text}\n`)
      expect(await lines.next()).toMatchObject({ value: text })
    }
    await echo("before")
    await until(async () => (await health(other.url)).sessions === 1)
    await postgres.kill()
    await echo("without")
    await expect(open(other.url)).rejects.toMatchObject({
      message: expect.stringContaining("no session can be started now") as string,
    })
    await kill(one.child)
    await echo("by the other router")
    await postgres.begin()
    const again: Array<Client> = []
    await until(async () => again.push(await open(other.url)) > 0)
    expect(await again[0]?.run({ argv: ["echo", "again"] })).toMatchObject({ exitCode: 0 })
    await echo("after")
    // One session more, and none twice.
    await until(async () => (await health(other.url)).sessions === 2)
    await child.terminate()
  })

  // The last one: its host and its session stay in the directory for minutes.
  it("reaches a host over the router that has its tunnel", async () => {
    const [one, other] = await Promise.all([router(postgres.url), router(postgres.url)])
    host("far", other.url)
    await until(async () => (await health(other.url)).tunnels === 1)
    const client = await open(`${one.url}/?label=name=far`)
    expect(await client.run({ argv: ["echo", "far"] })).toMatchObject({ exitCode: 0 })
    expect((await health(one.url)).tunnels).toBe(0)
    await kill(other.child)
    await router(postgres.url, other.url)
    expect(await client.run({ argv: ["echo", "again"] })).toMatchObject({ exitCode: 0 })
  })
})
