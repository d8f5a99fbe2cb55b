/** `procwire serve --audit`: cli/AuditFlags, audit/ and what listeners know of their clients, with real servers. */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { command, platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import { has, launch, parse, read } from "../testing/AuditedServer.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Tls from "../transport/Tls.ts"

const [program, ...main] = command
const { connect } = Program.make(platform)

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-audit-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const freshFile = () => join(mkdtempSync(join(folder, "log-")), "log")

const secret = "s3cr3t-v4lue"

describe("procwire serve --audit", () => {
  // guards: audit
  it("has starts, exits and kills with who asked, and neither payload nor environment", async () => {
    const file = freshFile()
    const { url, ended, signal } = await launch("--audit", file)
    const client = await connect({ url }, { reconnect: false })
    const env = { ...process.env, TOKEN: secret } as Record<string, string>
    const argv = ["sh", "-c", "read it; echo $it; echo $TOKEN; exit 3"]
    const asker = await client.start({ argv, cwd: folder, env, pipeStdin: true })
    await asker.write(`${secret}\n`)
    let stdout = ""
    for await (const text of asker.text()) stdout += text
    expect(stdout).toBe(`${secret}\n${secret}\n`)
    await has(file, "process.exit", 1)
    const child = await client.start({ argv: ["sleep", "600"], tty: true })
    expect(await child.terminate()).toBe(true)
    await has(file, "process.exit", 2)
    await client.close()
    signal("SIGTERM")
    expect(await ended).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, "utf8")).not.toContain(secret)
    const origin = { connection: 1, session: client.sessionId, peer: { transport: "ws" } }
    const [opened, ...events] = read(file)
    expect(opened).toMatchObject({ event: "server.start" })
    expect(events).toMatchObject([
      { ...origin, event: "process.start", argv, cwd: folder, tty: false },
      { ...origin, event: "process.started", pid: expect.any(Number) as number },
      { ...origin, event: "process.exit", exitCode: 3, bytes: stdout.length },
      { ...origin, event: "process.start", argv: ["sleep", "600"], tty: true },
      { ...origin, event: "process.started" },
      { ...origin, event: "process.signal", signal: "SIGKILL" },
      { ...origin, event: "process.exit", exitCode: 137, signal: 9, bytes: 0 },
    ])
    expect(events[0]).toMatchObject({
      peer: { address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string },
    })
  })

  it("has files and HTTP requests, without content, headers and queries", async () => {
    const file = freshFile()
    const { url } = await launch("--audit", file)
    const client = await connect({ url }, { reconnect: false })
    const path = join(folder, "a file")
    await client.fs.writeFile(path, secret)
    expect(Buffer.from(await client.fs.readFile(path)).toString()).toBe(secret)
    await client.fs.copy(path, `${path}2`)
    await expect(client.fs.readFile(join(folder, "none"))).rejects.toMatchObject({ rpcCode: -32004 })
    await client.fs.remove(path)
    await client.fs.rename(`${path}2`, `${path}3`)
    await client.fs.rename(`${path}3`, `${path}2`, { overwrite: true })
    await client.fs.chmod(`${path}2`, 0o600)
    await client.fs.symlink("a file2", `${path}l`)
    await expect(client.fs.symlink("x", `${path}l`)).rejects.toMatchObject({ code: "EEXIST" })
    const opened = await client.fs.open(`${path}2`)
    await opened.read(0, 5)
    await opened.close()
    const origin = createServer((_, response) => response.writeHead(201).end(secret)).listen(0, "127.0.0.1")
    await once(origin, "listening")
    const at = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/path`
    const { body } = await client.http.request({
      url: `${at}?key=${secret}`,
      headers: { authorization: secret },
    })
    expect(Buffer.from(body).toString()).toBe(secret)
    origin.close()
    await has(file, "http", 2)
    await client.close()
    expect(readFileSync(file, "utf8")).not.toContain(secret)
    const bytes = secret.length
    const said = read(file).flatMap((event) => {
      if (event.event !== "file" && event.event !== "http") return []
      const {
        time: _time,
        connection: _connection,
        peer: _peer,
        session: _session,
        operation,
        ...rest
      } = event
      return [[operation, rest] as const]
    })
    const [written, copied] = [
      { method: "fs/writeFile", path },
      { method: "fs/copy", path, destination: `${path}2` },
    ]
    const [moved, movedBack] = [
      { method: "fs/rename", path: `${path}2`, destination: `${path}3` },
      { method: "fs/rename", path: `${path}3`, destination: `${path}2` },
    ]
    const changed = { method: "fs/setMode", path: `${path}2`, mode: 0o600 }
    const linked = { method: "fs/createSymlink", path: `${path}l`, target: "a file2" }
    const [removed, got] = [
      { method: "fs/remove", path },
      { method: "GET", url: `${at}?` },
    ]
    const [stat, readFile, none] = ["fs/getMetadata", "fs/readFile", join(folder, "none")]
    const [begun, done] = [{ outcome: "begun" }, { outcome: "done" }]
    const toFile = (value: object) => ({ event: "file", ...value })
    expect(said).toEqual([
      [1, toFile({ ...written, ...begun })],
      [1, toFile({ ...written, ...done, bytes })],
      [2, toFile({ method: stat, path, ...done })],
      [3, toFile({ method: readFile, path, ...done, bytes })],
      [4, toFile({ ...copied, ...begun })],
      [4, toFile({ ...copied, ...done })],
      [5, toFile({ method: stat, path: none, outcome: "failed", reason: "NotFound" })],
      [6, toFile({ ...removed, ...begun })],
      [6, toFile({ ...removed, ...done })],
      [7, toFile({ ...moved, ...begun })],
      [7, toFile({ ...moved, ...done })],
      [8, toFile({ ...movedBack, ...begun })],
      [8, toFile({ ...movedBack, ...done })],
      [9, toFile({ ...changed, ...begun })],
      [9, toFile({ ...changed, ...done })],
      [10, toFile({ ...linked, ...begun })],
      [10, toFile({ ...linked, ...done })],
      [11, toFile({ ...linked, target: "x", ...begun })],
      [11, toFile({ ...linked, target: "x", outcome: "failed", reason: "AlreadyExists" })],
      [12, toFile({ method: "fs/open", path: `${path}2`, ...done })],
      [13, toFile({ method: "fs/close", path: `${path}2`, ...done, bytes: 5 })],
      [14, { event: "http", ...got, ...begun }],
      [14, { event: "http", ...got, ...done, status: 201, bytes }],
    ])
  })

  it("names clients by their token, their JWT, their certificate or their user id", async () => {
    const file = freshFile()
    const token = join(folder, "token")
    writeFileSync(token, "open-sesame-open-sesame-open-sesame")
    const asked = async (target: Parameters<typeof connect>[0]) => {
      const client = await connect(target, { reconnect: false })
      await client.run({ argv: ["true"] })
      await client.close()
    }
    const capability = ["--ws-auth", "capability-token", "--ws-token-file", token]
    const first = await launch("--audit", file, ...capability)
    await asked({ url: first.url, token: readFileSync(token, "utf8") })
    const signed = ["--ws-auth", "signed-bearer-token", "--ws-shared-secret-file", token]
    const second = await launch("--audit", file, ...signed)
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    const claims = { sub: "alice", iss: "house", exp: Math.floor(Date.now() / 1000) + 600 }
    const body = `${part({ alg: "HS256" })}.${part(claims)}`
    const jwt = `${body}.${createHmac("sha256", readFileSync(token)).update(body).digest("base64url")}`
    await asked({ url: second.url, token: jwt })
    const socket = `unix:${join(folder, "socket")}`
    await launch("--audit", file, "--listen", socket)
    await asked({ url: socket })
    await has(file, "process.exit", 3)
    const peers = read(file).flatMap((event) => (event.event === "process.exit" ? [event.peer] : []))
    expect(peers).toMatchObject([
      { transport: "ws", credential: { kind: "token", name: token } },
      { transport: "ws", credential: { kind: "jwt", name: "alice", issuer: "house" } },
      { transport: "unix", uid: process.getuid?.(), pid: process.pid },
    ])
    expect(readFileSync(file, "utf8")).not.toMatch(/sesame|eyJ/)
  })

  it.runIf(Tls.canListen)("names clients of TLS by their certificate", async () => {
    const file = freshFile()
    const { authority, server, client } = Certificates.make(folder)
    const flags = ["--tls-cert", server.certFile, "--tls-key", server.keyFile]
    for (const scheme of ["tcp", "ws"]) {
      const listen = ["--listen", `${scheme}://127.0.0.1:0`, "--tls-client-ca", authority.certFile]
      const { url } = await launch("--audit", file, ...flags, ...listen)
      const { cert, key } = client
      const remote = await connect({ url, ca: authority.cert, cert, key }, { reconnect: false })
      await remote.run({ argv: ["true"] })
      await remote.close()
    }
    await has(file, "process.exit", 2)
    const peers = read(file).flatMap((event) => (event.event === "process.exit" ? [event.peer] : []))
    expect(peers).toMatchObject([
      { transport: "tls", credential: { kind: "certificate", name: "client" } },
      {
        transport: "wss",
        credential: { kind: "certificate", name: "client" },
      },
    ])
  })

  it("keeps every line whole when many clients come at once, beside another server on the same file", async () => {
    const file = freshFile()
    const servers = [await launch("--audit", file), await launch("--audit", file)]
    const long = "x".repeat(20_000)
    const clients = await Promise.all(
      [0, 1, 0, 1].map((i) => connect({ url: servers[i]!.url }, { reconnect: false })),
    )
    const runs = clients.flatMap((client) =>
      Array.from({ length: 10 }, () => client.run({ argv: ["true", long] })),
    )
    await Promise.all(runs)
    await has(file, "process.exit", 40)
    await Promise.all(clients.map((client) => client.close()))
    expect(read(file).length).toBe(2 + 40 * 3)
  })

  it("has the start of a process when the server is killed, and goes on behind a torn line", async () => {
    const file = freshFile()
    const { url, server, ended } = await launch("--audit", file)
    const client = await connect({ url }, { reconnect: false })
    const child = await client.start({ argv: ["sleep", "600"] })
    child.exitCode.catch(() => {})
    server.kill("SIGKILL")
    await ended
    expect(read(file).map(({ event }) => event)).toContain("process.start")
    appendFileSync(file, '{"event":"torn')
    await launch("--audit", file)
    await vi.waitFor(
      () => expect(readFileSync(file, "utf8")).toMatch(/torn\n\{"event":"server.start".*\}\n$/),
      60_000,
    )
  })

  it("writes to stderr for -, also where stdout is the wire", async () => {
    const args = [...main, "serve", "--listen", "stdio", "--audit", "-"]
    const client = await connect({ command: program, args, stderr: "ignore" })
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await client.close()
    const { url, signal, ended, stderr } = await launch("--audit", "-")
    const other = await connect({ url }, { reconnect: false })
    await other.run({ argv: ["true"] })
    await other.close()
    signal("SIGTERM")
    expect(await ended).toBe(0)
    expect(parse(stderr()).map(({ event }) => event)).toEqual([
      "server.start",
      "process.start",
      "process.started",
      "process.exit",
    ])
  })
})
