/** `procwire serve --listen` with several addresses, and with TLS: cli/, transport/ and Program.ts together. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import * as Certificates from "../testing/Certificates.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Tls from "../transport/Tls.ts"

const [program, ...main] = command

const execute = promisify(execFile)

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-serve-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

const launch = (...addresses: ReadonlyArray<string>) => launchWith([], ...addresses)

const launchWith = (more: ReadonlyArray<string>, ...addresses: ReadonlyArray<string>) => {
  const flags = addresses.flatMap((address) => ["--listen", address])
  const server = spawn(program, [...main, "serve", ...flags, ...more], { stdio: "pipe" })
  running.push(server)
  let [stdout, stderr] = ["", ""]
  server.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = once(server, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }))
  const bound = async (stream: "stdout" | "stderr" = "stdout") => {
    for (;;) {
      const lines = (stream === "stdout" ? stdout : stderr).split("\n").slice(0, -1)
      if (lines.length >= addresses.filter((address) => address !== "stdio").length) return lines
      await once(server[stream], "data")
    }
  }
  return { server, ended, bound }
}

const says = async (url: string, text: string) => {
  const client = await connect({ url })
  const { stdout } = await client.run({ argv: ["echo", text] })
  await client.close()
  return stdout.trim()
}

describe("procwire serve --listen", () => {
  it("serves at every address that it is given, and prints them in that order", async () => {
    const path = join(folder, "several.sock")
    // In the usual folder it would tell of the histories of other servers that were killed.
    const { server, ended, bound } = launchWith(
      [`--history-dir=${join(folder, "histories")}`],
      `unix:${path}`,
      "tcp://127.0.0.1:0",
      "ws://127.0.0.1:0",
      "tcp://[::1]:0",
    )
    const addresses = await bound()
    expect(addresses.map((address) => address.replace(/[1-9]\d*$/, "PORT"))).toEqual([
      `unix:${path}`,
      "tcp://127.0.0.1:PORT",
      "ws://127.0.0.1:PORT",
      "tcp://[::1]:PORT",
    ])
    expect(lstatSync(path).mode & 0o777).toBe(0o600)
    for (const address of addresses) expect(await says(address, address)).toBe(address)
    expect(await says(`unix://${path}`, "with slashes")).toBe("with slashes")
    process.kill(server.pid ?? 0, "SIGTERM") // Deno takes whoever it has killed itself for dead of the signal
    expect(await ended).toMatchObject({ code: 0, stderr: "" })
    expect(existsSync(path)).toBe(false)
  })

  it("is one server: a session begun at one address is resumed at another", async () => {
    const { bound } = launch("tcp://127.0.0.1:0", "ws://127.0.0.1:0")
    const [tcp = "", ws = ""] = await bound()
    const first = await connect({ url: tcp })
    await first.close()
    // The server may take a moment to notice the end of the first connection.
    const second = await vi.waitFor(() => connect({ url: ws }, { resumeSessionId: first.sessionId }), 60_000)
    expect(second.sessionId).toBe(first.sessionId)
    await second.close()
  })

  it("keeps stdout for the wire where stdio is among them, and ends with stdin", async () => {
    const path = join(folder, "beside.sock")
    const { server, ended, bound } = launch(`unix:${path}`, "stdio")
    expect(await bound("stderr")).toEqual([`unix:${path}`])
    expect(await says(`unix:${path}`, "beside")).toBe("beside")
    server.stdin.write('{"id":1,"method":"initialize","params":{"clientName":"test"}}\n')
    await once(server.stdout, "data")
    server.stdin.end()
    const { code, stdout } = await ended
    expect({ code, existed: existsSync(path) }).toEqual({ code: 0, existed: false })
    expect(JSON.parse(stdout)).toMatchObject({ id: 1 })
  })

  it("refuses a path on which a server listens, and takes over from one that was killed", async () => {
    const address = `unix:${join(folder, "taken.sock")}`
    const first = launch(address)
    await first.bound()
    const second = launch("tcp://127.0.0.1:0", address)
    expect(await second.ended).toEqual({
      code: 1,
      stdout: "",
      stderr: `procwire: cannot listen on ${address}: Address in use (os error 98)\n`,
    })
    expect(await says(address, "unharmed")).toBe("unharmed")
    first.server.kill("SIGKILL")
    await first.ended
    // The children of the killed server may hold its socket for a moment.
    await vi.waitFor(
      () => expect(connect({ url: address })).rejects.toMatchObject({ reason: "Connect" }),
      60_000,
    )
    const third = launch(address)
    await third.bound()
    expect(await says(address, "again")).toBe("again")
  })

  it("says which address it cannot have, and exits with 1, or with 2 for what is no address", async () => {
    const file = join(folder, "file")
    writeFileSync(file, "")
    const long = `unix:/${"x".repeat(120)}`
    const errors: ReadonlyArray<readonly [address: string, text: string]> = [
      [
        `unix:${folder}/no/such`,
        `cannot listen on unix:${folder}/no/such: No such file or directory (os error 2)`,
      ],
      [`unix:${file}`, `cannot listen on unix:${file}: a file that is no socket is there`],
      [long, `path too long for a unix socket: ${long.slice(5)} takes 121 bytes of at most 107`],
    ]
    for (const [address, text] of errors) {
      expect(await launch(address).ended).toEqual({ code: 1, stdout: "", stderr: `procwire: ${text}\n` })
    }
    expect(await launch("tcp://localhost:0").ended).toEqual({
      code: 2,
      stdout: "",
      stderr: "procwire: invalid tcp --listen URL `tcp://localhost:0`; expected `tcp://IP:PORT`\n",
    })
    expect(await launch("stdio", "stdio").ended).toMatchObject({ code: 2, stdout: "" })
  })
})

describe("procwire serve --tls-cert", () => {
  it.runIf(Tls.canListen)(
    "speaks TLS over TCP and WebSocket, to clients with a certificate where they need one",
    async () => {
      const { authority, server, client, stranger } = Certificates.make(folder)
      const tls = ["--tls-cert", server.certFile, "--tls-key", server.keyFile]
      const { bound } = launchWith(
        [...tls, "--tls-client-ca", authority.certFile],
        "tcp://127.0.0.1:0",
        "ws://127.0.0.1:0",
        `unix:${join(folder, "plain.sock")}`,
      )
      const [tcp = "", ws = "", unix = ""] = await bound()
      expect([tcp, ws, unix].map((address) => address.split(":")[0])).toEqual(["tls", "wss", "unix"])
      expect(await says(unix, "plain")).toBe("plain")
      const { cert, key } = client
      for (const url of [tcp, ws]) {
        const remote = await connect({ url, ca: authority.cert, cert, key })
        expect(await remote.run({ argv: ["echo", url] })).toMatchObject({ stdout: `${url}\n` })
        await remote.close()
        for (const wrong of [
          { ca: authority.cert },
          { ca: stranger.cert, cert, key },
          { ca: authority.cert, cert: stranger.cert, key: stranger.key },
        ]) {
          await expect(connect({ url, ...wrong })).rejects.toMatchObject({ name: "ClientError" })
        }
        const flags = [
          "--tls-ca",
          authority.certFile,
          "--tls-cert",
          client.certFile,
          "--tls-key",
          client.keyFile,
        ]
        const { stdout } = await execute(program, [
          ...main,
          "run",
          "--server",
          url,
          ...flags,
          "--",
          "echo",
          "run",
        ])
        expect(stdout).toBe("run\n")
      }
    },
  )

  it.skipIf(Tls.canListen)("refuses to listen where TLS has no back-pressure", async () => {
    const { server } = Certificates.make(folder)
    const tls = ["--tls-cert", server.certFile, "--tls-key", server.keyFile]
    const { code, stderr } = await launchWith(tls, "tcp://127.0.0.1:0").ended
    expect(code).toBe(1)
    expect(stderr).toContain("cannot serve over TLS")
  })

  it("is wrong use without its key, or without an address that can speak TLS", async () => {
    const { server } = Certificates.make(folder)
    expect(await launchWith(["--tls-cert", server.certFile], "tcp://127.0.0.1:0").ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--tls-cert and --tls-key belong together") as string,
    })
    const both = ["--tls-cert", server.certFile, "--tls-key", server.keyFile]
    expect(await launchWith(both, "stdio").ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--tls-cert needs a ws:// or tcp:// address") as string,
    })
  })
})
