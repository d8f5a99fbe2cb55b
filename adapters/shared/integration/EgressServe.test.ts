/** `procwire serve --egress`: a process reaches what the rules allow, and gets an error for the rest. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import { open } from "../testing/EgressChildren.ts"

const { spawner } = open(async () => [])

/** The server, its first line on stdout and, at its end, what it has said on stderr. */
const serve = (flags: ReadonlyArray<string>, path = process.env["PATH"]) => {
  const [program, ...words] = command
  const server = spawn(program, [...words, "serve", "--listen", "ws://127.0.0.1:0", ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: path },
  })
  onTestFinished(() => void server.kill("SIGKILL"))
  let said = ""
  server.stderr.on("data", (bytes) => (said += String(bytes)))
  const url = once(server.stdout, "data").then(([bytes]) => String(bytes).trim())
  const ended = once(server, "close").then(() => said)
  return { url, ended }
}

describe.runIf(spawner.capabilities.egress)("a server with egress rules", { tags: ["bubblewrap"] }, () => {
  it("lets a process reach what they allow, and tells it what they deny", async () => {
    const origin = createServer((_, response) => void response.end("reached\n"))
    origin.listen(0, "127.0.0.1")
    await once(origin, "listening")
    onTestFinished(() => void origin.close())
    const { port } = origin.address() as AddressInfo
    const { url } = serve(["--confine", "no-network", "--egress", `allow:127.0.0.1:${port}`])
    const client = await connect({ url: await url }, { reconnect: false })
    onTestFinished(() => client.close())
    const get = (host: string) =>
      "exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}; " +
      `printf 'GET http://${host}/ HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3; exec 3>&-`
    const script = `${get(`127.0.0.1:${port}`)}; ${get("x.example.org")}; (: </dev/tcp/127.0.0.1/${port}) || echo alone`
    const { stdout } = await client.run({ argv: ["bash", "-c", script] })
    expect(stdout).toContain("reached")
    expect(stdout).toContain("x.example.org:80 is blocked")
    expect(stdout).toContain("alone")
  })

  it("does not start where a part is missing, and names it", async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), "procwire-test-"))
    onTestFinished(() => fs.rmSync(folder, { recursive: true }))
    const bwrap = process.env["PATH"]
      ?.split(":")
      .map((each) => join(each, "bwrap"))
      .find((each) => fs.existsSync(each))
    fs.symlinkSync(bwrap ?? "", join(folder, "bwrap"))
    const { ended } = serve(["--confine", "no-network", "--egress", "allow:x.org"], folder)
    expect(await ended).toContain(
      "egress rules cannot be kept here: nsenter is not in the PATH of the server",
    )
  })
})
