/** `procwire serve` configured by the environment and by a file, with the real command. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"
import * as Folder from "../testing/Folder.ts"

const [program, ...main] = command

const running: Array<ChildProcess> = []
afterEach(() => running.splice(0).forEach((server) => server.kill("SIGKILL")))

type Env = Readonly<Record<string, string>>

const launch = (env: Env, ...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", ...flags], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  })
  running.push(server)
  return server
}

/** A server that has printed its first address, and a client of it. */
const serve = async (env: Env, ...flags: ReadonlyArray<string>) => {
  const server = launch(env, ...flags)
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  const url = line.toString().trim().split("\n")[0] ?? ""
  return { server, url, client: await connect({ url }, { reconnect: false }) }
}

/** The output of a server that does not start. */
const refusal = async (env: Env, ...flags: ReadonlyArray<string>) => {
  const server = launch(env, ...flags)
  let [stdout, stderr] = ["", ""]
  server.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const [code] = (await once(server, "close")) as [number | null]
  return { code, stdout, first: stderr.split("\n")[0] }
}

const file = (text: string) => {
  const path = Folder.make().at("procwire.conf")
  writeFileSync(path, text)
  return path
}

/** The limit that a server says it has, once its one process is running. */
const limitOf = async ({ client }: Awaited<ReturnType<typeof serve>>) => {
  const first = await client.start({ argv: ["cat"], tty: true })
  const more: Array<Promise<unknown>> = []
  for (let i = 0; i < 3; i++) more.push(client.start({ argv: ["sleep", "600"] }).then(() => {}))
  const ends = await Promise.allSettled(more)
  await first.terminate()
  const refused = ends.find((end) => end.status === "rejected")
  return String(refused?.reason.serverMessage)
}

const said = (limit: number) => `too many processes: limit is ${limit} (--max-processes)`

describe("procwire serve", () => {
  it("takes its address and its limits from the environment", async () => {
    const server = await serve({ PROCWIRE_LISTEN: "tcp://127.0.0.1:0", PROCWIRE_MAX_PROCESSES: "1" })
    expect(server.url).toMatch(/^tcp:/)
    expect(await limitOf(server)).toBe(said(1))
  })

  it("prefers a flag to a variable, and a variable to the file", async () => {
    const config = file("# a test\nlisten unix:nowhere/s.sock\nmax-processes 1\nexit-on-stdin-close\n")
    const env = {
      PROCWIRE_CONFIG: config,
      PROCWIRE_LISTEN: "ws://127.0.0.1:0\ttcp://127.0.0.1:0",
      PROCWIRE_MAX_PROCESSES: "2",
    }
    const server = await serve(env)
    expect(server.url).toMatch(/^ws:/)
    expect(await limitOf(server)).toBe(said(2))
    const other = await serve(env, "--listen", "tcp://127.0.0.1:0", "--max-processes", "3")
    expect(other.url).toMatch(/^tcp:/)
    expect(await limitOf(other)).toBe(said(3))
    const ended = once(other.server, "close")
    other.server.stdin?.end()
    expect(await ended).toEqual([0, null])
  })

  // guards: environment
  it("does not configure what its processes start, and leaves them other variables", async () => {
    const env = { PROCWIRE_LISTEN: "ws://127.0.0.1:0", PROCWIRE_MAX_PROCESSES: "7", PROCWIRE_MINE: "kept" }
    const { client } = await serve(env)
    const { stdout } = await client.run({ argv: ["sh", "-c", "env | grep ^PROCWIRE_"], inherit: "all" })
    expect(stdout).toContain("PROCWIRE_MINE=kept\n")
    expect(stdout).not.toMatch(/PROCWIRE_(LISTEN|MAX_PROCESSES)=/)
    const args = [...main, "serve", "--listen", "stdio"]
    const line = '{"id":1,"method":"nope"}\n'
    const inner = await client.start({ argv: [program, ...args], pipeStdin: true, inherit: "all" })
    await inner.write(line)
    let text = ""
    for await (const piece of inner.text("stdout")) {
      text += piece
      if (text.includes("\n")) break
    }
    expect(JSON.parse(text)).toMatchObject({ id: 1 })
  })

  it("does not start where a value is wrong, and names where it came from", async () => {
    const wrong = async (first: string, env: Env, ...flags: ReadonlyArray<string>) =>
      expect(await refusal(env, ...flags)).toEqual({ code: 2, stdout: "", first })
    await wrong(
      "procwire: PROCWIRE_MAX_PROCESSES: invalid value '0': expected a whole number of at least 1",
      {
        PROCWIRE_MAX_PROCESSES: "0",
      },
    )
    await wrong("procwire: there is no variable 'PROCWIRE_LISTN'; did you mean 'PROCWIRE_LISTEN'?", {
      PROCWIRE_LISTN: "stdio",
    })
    const config = file("max-processes 5\nmax-sesions 5\n")
    await wrong(
      `procwire: ${config}:2: there is no option 'max-sesions'; did you mean 'max-sessions'?`,
      {},
      "--config",
      config,
    )
    const none = `${config}.none`
    const why = "No such file or directory (os error 2)"
    await wrong(`procwire: cannot read --config ${none}: ${why}`, {}, "--config", none)
    await wrong(`procwire: cannot read PROCWIRE_TLS_CERT ${none}: ${why}`, {
      PROCWIRE_TLS_CERT: none,
      PROCWIRE_TLS_KEY: none,
    })
    await wrong(
      "procwire: refusing to listen on ws://0.0.0.0:0: whoever can reach it could run anything; " +
        "use `--ws-auth` or `--tls-client-ca`, or `--allow-unauthenticated`",
      { PROCWIRE_LISTEN: "ws://0.0.0.0:0" },
    )
    await wrong(
      "procwire: websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`, " +
        "not PROCWIRE_WS_ISSUER alone",
      { PROCWIRE_WS_ISSUER: "me" },
    )
  })
})
