/** The dialect v0 from end to end: client, server as a command and over a socket, and real processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import type { Target } from "../Program.ts"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command
const env = { PATH: "/usr/bin:/bin" }

const overStdio = (dialect: string): Target => ({
  command: program,
  args: [...main, "serve", "--listen", "stdio", "--dialect", dialect],
})

const all = async (pieces: AsyncIterable<string>) => {
  let text = ""
  for await (const piece of pieces) text += piece
  return text
}

describe("v0", () => {
  it.each(["v0", "auto"])(
    "runs processes in a server with the dialect %s, started by its command",
    async (dialect) => {
      await using client = await connect(overStdio(dialect), { dialect: "v0" })
      expect(client.protocolVersion).toBe("exec-server.v0")
      const script = 'echo "$A $$ $(pwd)"; echo oops >&2; exit 3'
      const child = await client.start({ argv: ["sh", "-c", script], cwd: "/usr", env: { ...env, A: "b" } })
      expect(await all(child.text("stdout"))).toBe(`b ${child.pid} /usr\n`)
      expect(await all(child.text("stderr"))).toBe("oops\n")
      expect([await child.exited, child.hasExited, child.exitCode]).toEqual([3, true, 3])
    },
  )

  it("talks to a terminal and terminates it", async () => {
    await using client = await connect({ inProcess: true, server: { dialect: "v0" } }, { dialect: "v0" })
    const script = 'echo ready; while read -r line; do echo "got:$line"; done'
    const child = await client.start({ argv: ["sh", "-c", script], cwd: "/tmp", env, tty: true })
    let text = ""
    for await (const piece of child.text()) {
      if (text === "") await child.write("hello\n")
      text += piece
      if (text.includes("got:hello")) break
    }
    expect(await child.terminate()).toBe(true)
    expect(await child.exited).toBe(-1)
    expect(await child.terminate()).toBe(false)
  })

  it("takes the death of the server for an exit without a code", async () => {
    const listen = ["serve", "--listen", "ws://127.0.0.1:0", "--dialect", "v0"]
    const server = spawn(program, [...main, ...listen], { stdio: ["ignore", "pipe", "inherit"] })
    try {
      const [line] = (await once(server.stdout, "data")) as [Buffer]
      const client = await connect({ url: line.toString().trim() }, { dialect: "v0" })
      const child = await client.start({ argv: ["sleep", "60"], cwd: "/tmp", env })
      expect([child.hasExited, child.exitCode]).toEqual([false, undefined])
      server.kill("SIGKILL")
      expect(await child.exited).toBe(undefined)
      expect([child.hasExited, child.exitCode]).toEqual([true, undefined])
      expect((await client.disconnected).reason).toBe("Disconnected")
      await client.close()
      if (child.pid !== undefined) process.kill(child.pid, "SIGKILL")
    } finally {
      server.kill("SIGKILL")
    }
  })
})
