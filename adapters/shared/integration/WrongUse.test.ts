/** cli/: what a user reads who has mistyped something, or meets a server of another kind. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { command, name } from "../../testing/Runtime.ts"
import * as Certificates from "../testing/Certificates.ts"
import * as Tls from "../transport/Tls.ts"

const [program, ...main] = command

let folder = ""
let files: Certificates.Certificates
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "procwire-use-"))
  files = Certificates.make(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")))

/** The text of a call on stderr, and its exit code. */
const call = async (...args: ReadonlyArray<string>) => {
  const child = spawn(program, [...main, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  running.push(child)
  let [stdout, stderr] = ["", ""]
  child.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, stdout, first: stderr.split("\n")[0] }
}

const wrong = async (text: string, ...args: ReadonlyArray<string>) =>
  expect(await call(...args)).toEqual({ code: 2, stdout: "", first: text })

const serve = async (...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...flags], { stdio: ["ignore", "pipe", "inherit"] })
  running.push(server)
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  return line.toString().trim()
}

/** Words are read in the same way on every runtime, so that a few calls elsewhere show enough. */
const itOnNode = it.runIf(name === "Node")

describe("wrong use of procwire", () => {
  it("names what was probably meant", async () => {
    await wrong("procwire: unrecognized command 'rnu'; did you mean 'run'?", "rnu", "--", "ls")
    await wrong("procwire: unrecognized command 'srve'; did you mean 'serve'?", "help", "srve")
    await wrong("procwire: unexpected argument '--ttyy'; did you mean '--tty'?", "run", "--ttyy", "ls")
    await wrong("procwire: unexpected argument '--listn'; did you mean '--listen'?", "serve", "--listn=x")
    await wrong("procwire: unexpected argument '--bogus'", "mcp", "--bogus")
    const order = "options follow the command, as in procwire ps --server"
    await wrong(`procwire: unexpected argument '--server'; ${order}`, "--server", "unix:/x", "ps")
  })

  itOnNode("names the flag that lacks its value, and how a value with a dash is written", async () => {
    const text = "procwire: '--cwd' needs a value; one that begins with - is written --cwd=VALUE"
    await wrong(text, "run", "--cwd", "--", "ls")
    await wrong(text, "mcp", "--cwd")
  })

  itOnNode("refuses an empty command, and a limit of 0", async () => {
    await wrong(
      "procwire: the command is an empty text; it needs a name or a path: procwire run -- ls -la",
      "run",
      "--",
      "",
    )
    await wrong(
      "procwire: invalid value '0' for '--max-processes': expected a whole number of at least 1",
      "serve",
      "--max-processes",
      "0",
    )
  })

  itOnNode("lists every form of --listen, and the one for a port alone", async () => {
    await wrong(
      "procwire: unsupported --listen URL `7501`; expected `ws://IP:PORT` or `stdio`, or `tcp://IP:PORT`, `unix:PATH` or `systemd`: " +
        "`ws://127.0.0.1:7501` for that port of this host",
      "serve",
      "--listen",
      "7501",
    )
  })

  itOnNode("exits with 2 for flags that no server can start with", async () => {
    for (const flags of [
      ["--listen", "ws://localhost:0"],
      ["--listen", "ws://0.0.0.0:0"],
      ["--ws-auth", "capability-token"],
      ["--ws-issuer", "x"],
      ["--listen", "stdio", "--listen", "stdio"],
    ])
      expect(await call("serve", ...flags)).toMatchObject({ code: 2, stdout: "" })
  })

  it("names the file of a certificate or key that is none", async () => {
    const none = join(folder, "none.pem")
    writeFileSync(none, "nothing\n")
    const { certFile, keyFile } = files.server
    const pair = (cert: string, key: string) => ["serve", "--tls-cert", cert, "--tls-key", key]
    await wrong(`procwire: --tls-key ${none} holds no private key in PEM`, ...pair(certFile, none))
    await wrong(`procwire: --tls-cert ${none} holds no certificate in PEM`, ...pair(none, keyFile))
    const ca = ["--server", "wss://127.0.0.1:1", "--tls-ca", none]
    await wrong(`procwire: --tls-ca ${none} holds no certificate in PEM`, "run", ...ca, "ls")
    const other = files.stranger.keyFile
    await wrong(
      `procwire: --tls-key ${other} is not the key of the certificate in --tls-cert ${certFile}`,
      ...pair(certFile, other),
    )
  })

  it("names the file of a token that is more than a line", async () => {
    const file = join(folder, "token")
    writeFileSync(file, "two\nlines\n")
    await wrong(
      `procwire: --token-file ${file} holds more than one line`,
      "run",
      "--server",
      "ws://127.0.0.1:1",
      "--token-file",
      file,
      "ls",
    )
  })

  itOnNode("has the help of a command behind help", async () => {
    for (const command of ["serve", "run", "mcp"]) {
      const { code, stdout } = await call("help", command)
      expect({ code, stdout }).toEqual({ code: 0, stdout: (await call(command, "--help")).stdout })
    }
  })
})

describe("a server that is none, or not the one that was meant", () => {
  it.each(["ws", "tcp"])("names the %s:// address that is taken", async (scheme) => {
    const url = await serve("--listen", `${scheme}://127.0.0.1:0`)
    expect(await call("serve", "--listen", url)).toEqual({
      code: 1,
      stdout: "",
      first:
        `procwire: cannot listen on ${url}: Address in use (os error 98); ` +
        "another program listens there: give --listen another port, or port 0 for a free one",
    })
  })

  it("says of a command that it is no server", async () => {
    const must =
      "; it has to speak the protocol on its stdin and stdout, as `procwire serve --listen stdio` does"
    expect(await call("run", "--server-cmd", "cat", "--", "ls")).toEqual({
      code: 125,
      stdout: "",
      first: `procwire: no server at --server-cmd 'cat': the peer is no exec-server: it sends back what it gets${must}`,
    })
    expect(await call("mcp", "--server-cmd", "true")).toMatchObject({
      code: 1,
      first: expect.stringContaining("procwire: no server at --server-cmd 'true': "),
    })
  })

  it("says that a token is missing or wrong, and how it is given", async () => {
    const file = join(folder, "right")
    writeFileSync(file, "right\n")
    const url = await serve("--ws-auth", "capability-token", "--ws-token-file", file)
    const how = "(HTTP status 401); give it with --token-file FILE or in the variable PROCWIRE_TOKEN"
    expect(await call("run", "--server", url, "--", "ls")).toMatchObject({
      code: 125,
      first: `procwire: cannot connect to ${url}: the server wants a token ${how}`,
    })
    const other = join(folder, "wrong")
    writeFileSync(other, "wrong\n")
    expect(await call("run", "--server", url, "--token-file", other, "--", "ls")).toMatchObject({
      code: 125,
      first: `procwire: cannot connect to ${url}: the server refuses the token ${how}`,
    })
    expect(await call("run", "--server", `${url}/`, "--token-file", file, "--", "true")).toMatchObject({
      code: 0,
    })
  })

  it.skipIf(!Tls.canListen)("says that a port speaks TLS, or does not", async () => {
    const { certFile, keyFile } = files.server
    const secure = await serve("--tls-cert", certFile, "--tls-key", keyFile)
    const open = await serve()
    const url = secure.replace("wss:", "ws:")
    expect(await call("run", "--server", url, "--", "ls")).toMatchObject({
      code: 125,
      first: `procwire: cannot connect to ${url}: the port speaks TLS: use ${secure}`,
    })
    const other = open.replace("ws:", "wss:")
    expect(await call("run", "--server", other, "--", "ls")).toMatchObject({
      code: 125,
      first: `procwire: cannot connect to ${other}: the port speaks no TLS: use ${open}`,
    })
  })
})
