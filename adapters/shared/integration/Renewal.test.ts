/** `procwire serve` and SIGUSR1: certificates, tokens and secrets are read again, with real files, signals and sockets. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as nodeTls from "node:tls"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as TestChild from "../testing/TestChild.ts"
import * as Tls from "../transport/Tls.ts"

const [program, ...main] = command

let folder = ""
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "procwire-renewal-"))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

/** A server; `renew` sends it SIGUSR1 and returns what it logs about that. */
const launch = async (...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", "--log-level", "info", ...flags], { stdio: "pipe" })
  running.push(server)
  let stderr = ""
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const addresses = flags.filter((flag) => flag === "--listen").length
  let stdout = ""
  while (stdout.split("\n").length <= addresses) stdout += String((await once(server.stdout, "data"))[0])
  let read = 0
  const renew = async () => {
    process.kill(server.pid ?? 0, "SIGUSR1")
    const lines = () =>
      stderr
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.includes("SIGUSR1"))
    await TestChild.until(
      () => lines().length > read,
      () => `the signal is logged: ${stderr}`,
    )
    return lines()[read++] ?? ""
  }
  const ended = once(server, "close").then(([code]) => code as number | null)
  return { server, renew, urls: stdout.trim().split("\n"), ended }
}

/** The common name of the certificate that a new connection is shown. */
const shown = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const port = Number(new URL(url.replace(/^\w+/, "http")).port)
    const socket = nodeTls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on("error", reject)
  })

/** A folder with a certificate and its key, whose places `use` fills with another pair. */
const place = (name: string) => {
  const [certFile, keyFile] = [join(folder, `${name}-cert.pem`), join(folder, `${name}-key.pem`)]
  const use = (pair: Certificates.Certificate) => {
    copyFileSync(pair.certFile, certFile)
    copyFileSync(pair.keyFile, keyFile)
  }
  return { certFile, keyFile, use }
}

describe("SIGUSR1 to procwire serve", () => {
  const addresses = ["--listen", "tcp://127.0.0.1:0", "--listen", "ws://127.0.0.1:0"]

  it.runIf(Tls.canListen)(
    "gives new connections the new certificate, and open ones go on, over TCP and WebSocket",
    async () => {
      const made = Certificates.make(folder)
      const files = place("renewed")
      files.use(made.server)
      const tls = ["--tls-cert", files.certFile, "--tls-key", files.keyFile]
      const { urls, renew, server, ended } = await launch(...addresses, ...tls)
      const old = await Promise.all(
        urls.map((url) => connect({ url, ca: made.authority.cert }, { reconnect: false })),
      )
      const cats = await Promise.all(old.map((client) => client.start({ argv: ["cat"], pipeStdin: true })))

      files.use(made.client)
      expect(await renew()).toContain(`read again: --tls-cert ${files.certFile}, --tls-key ${files.keyFile}`)
      for (const url of urls) {
        expect(await shown(url)).toBe("client")
        const client = await connect({ url, ca: made.authority.cert })
        expect(await client.run({ argv: ["echo", "new"] })).toMatchObject({ stdout: "new\n" })
        await client.close()
      }
      for (const cat of cats) {
        await cat.write("still here\n")
        await cat.closeStdin()
        let text = ""
        for await (const piece of cat.text()) text += piece
        expect(text).toBe("still here\n")
      }
      await Promise.all(old.map((client) => client.close()))
      process.kill(server.pid ?? 0, "SIGTERM")
      expect(await ended).toBe(0)
    },
  )

  it.runIf(Tls.canListen)(
    "keeps what was read before where a file is wrong, and names the file",
    async () => {
      const made = Certificates.make(folder)
      const files = place("wrong")
      files.use(made.server)
      const tls = ["--tls-cert", files.certFile, "--tls-key", files.keyFile]
      const { urls, renew } = await launch(...addresses, ...tls)
      const wrongs: ReadonlyArray<readonly [spoil: () => void, text: string]> = [
        [
          () => writeFileSync(files.certFile, "nothing\n"),
          `--tls-cert ${files.certFile} holds no certificate in PEM`,
        ],
        [
          () => copyFileSync(made.client.certFile, files.certFile),
          `--tls-key ${files.keyFile} is not the key of the certificate in --tls-cert ${files.certFile}`,
        ],
        [
          () => rmSync(files.keyFile),
          `cannot read --tls-key ${files.keyFile}: No such file or directory (os error 2)`,
        ],
      ]
      for (const [spoil, text] of wrongs) {
        spoil()
        const line = await renew()
        expect(line).toContain("level=ERROR")
        expect(line).toContain(`SIGUSR1: ${text}; what was read before stays in use`)
        for (const url of urls) expect(await shown(url)).toBe("server")
      }
      files.use(made.client)
      expect(await renew()).toContain("read again")
      for (const url of urls) expect(await shown(url)).toBe("client")
    },
  )

  it.runIf(Tls.canListen)("asks new clients for a certificate of the new authority", async () => {
    const made = Certificates.make(folder)
    const authority = join(folder, "clients.pem")
    copyFileSync(made.authority.certFile, authority)
    const pair = ["--tls-cert", made.server.certFile, "--tls-key", made.server.keyFile]
    const { urls, renew } = await launch(...addresses, ...pair, "--tls-client-ca", authority)
    const admitted = async (url: string, { cert, key }: Certificates.Certificate) => {
      const client = await connect({ url, ca: made.authority.cert, cert, key }, { reconnect: false })
      await client.close()
    }
    for (const url of urls) {
      await admitted(url, made.client)
      await expect(admitted(url, made.stranger)).rejects.toMatchObject({ name: "ClientError" })
    }
    copyFileSync(made.stranger.certFile, authority)
    expect(await renew()).toContain(`--tls-client-ca ${authority}`)
    for (const url of urls) {
      await admitted(url, made.stranger)
      await expect(admitted(url, made.client)).rejects.toMatchObject({ name: "ClientError" })
    }
  })

  it("admits by the new token, and no more by the old one", async () => {
    const file = join(folder, "token")
    writeFileSync(file, "first\n")
    const auth = ["--ws-auth", "capability-token", "--ws-token-file", file]
    const { urls, renew } = await launch("--listen", "ws://127.0.0.1:0", ...auth)
    const [url = ""] = urls
    const open = (token: string) => connect({ url, token }, { reconnect: false })
    const old = await open("first")
    writeFileSync(file, "second\n")
    expect(await renew()).toContain(`read again: --ws-token-file ${file}`)
    await expect(open("first")).rejects.toMatchObject({ name: "ClientError" })
    const client = await open("second")
    expect(await old.run({ argv: ["echo", "old"] })).toMatchObject({ stdout: "old\n" })
    expect(await client.run({ argv: ["echo", "new"] })).toMatchObject({ stdout: "new\n" })
    await Promise.all([old.close(), client.close()])
    writeFileSync(file, " \n")
    expect(await renew()).toContain(
      `websocket auth secret ${file} must not be empty; what was read before stays`,
    )
    await (await open("second")).close()
  })

  it("says so where no flag names a file, and the server goes on", async () => {
    const { urls, renew } = await launch("--listen", "tcp://127.0.0.1:0")
    expect(await renew()).toContain("no flag names a certificate, a token or a secret to read again")
    const client = await connect({ url: urls[0] ?? "" })
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await client.close()
  })
})
