/** `serve` of the entry points: servers in this program, with real clients, sockets and children. */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import type { Client } from "../../../core/client/Client.ts"
import { Spawner } from "../../../core/spawn/Spawner.ts"
import { connect } from "../../testing/Client.ts"
import { platform } from "../../testing/Runtime.ts"
import * as Program from "../Program.ts"
import type { LogEntry } from "../serve/Logging.ts"
import type { Options } from "../serve/Options.ts"
import type { RunningServer } from "../serve/Serve.ts"
import { ServeError } from "../serve/ServeError.ts"
import { Server } from "../serve/ServerTag.ts"
import * as Folder from "../testing/Folder.ts"
import { isAlive } from "../testing/Proc.ts"
import * as SocketListener from "../transport/SocketListener.ts"

const program = Program.make(platform)

const running: Array<RunningServer> = []
afterEach(() => Promise.all(running.splice(0).map((server) => server.close({ graceMs: 0 }))))

const serve = async (options?: Options) => {
  const server = await program.serve(options)
  running.push(server)
  return server
}

const clientOf = ({ addresses: [url = ""] }: RunningServer) => connect({ url }, { reconnect: false })

/** Starts a shell, and waits until it has printed its pid and has run the first part of its script. */
const shell = async (client: Client, script: string) => {
  const child = await client.start({
    argv: ["/bin/sh", "-c", `${script}; echo $$; while :; do sleep 0.05; done`],
  })
  for await (const line of child.text()) return { child, pid: Number.parseInt(line) }
  throw new Error("no output")
}

/** The spawner of the runtime, with one variable more. */
const layerMarked = Layer.effect(
  Spawner,
  Effect.map(Spawner, (inner) => ({
    ...inner,
    spawn: (spec, events) => inner.spawn({ ...spec, env: { ...spec.env, MARK: "wrapped" } }, events),
  })),
)
const printMark = { argv: ["sh", "-c", "echo $MARK"] }

describe("serve", () => {
  it("runs several servers in one program, each with its own options and numbers", async () => {
    const path = Folder.make().at("s.sock")
    const one = await serve({ listen: ["ws://127.0.0.1:0", `unix:${path}`], limits: { processes: 1 } })
    const two = await serve({ listen: "tcp://127.0.0.1:0" })
    expect(one.addresses).toEqual([expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+$/), `unix:${path}`])
    expect(two.addresses).toEqual([expect.stringMatching(/^tcp:/)])
    const [first, second] = [await clientOf(one), await clientOf(two)]
    await shell(first, ":")
    await expect(first.start({ argv: ["true"] })).rejects.toThrow("limit is 1 (--max-processes)")
    await shell(second, ":")
    expect(await second.run({ argv: ["echo", "two"] })).toMatchObject({ stdout: "two\n" })
    const numbers = { connections: 1, sessions: 1, processes: { running: 1, started: 1, exited: 0 } }
    expect(one.stats()).toMatchObject(numbers)
    expect(one.stats().uptimeSeconds).toBeGreaterThan(0)
    await vi.waitFor(
      () => expect(two.stats().processes).toEqual({ running: 1, started: 2, exited: 1 }),
      60_000,
    )
    await one.close()
    await expect(connect({ url: `unix:${path}` }, { reconnect: false })).rejects.toThrow()
    expect(await second.run({ argv: ["echo", "still"] })).toMatchObject({ stdout: "still\n" })
  })

  it("starts processes with a spawner of one's own, as connect does in this process", async () => {
    const client = await clientOf(await serve({ spawner: layerMarked }))
    expect(await client.run(printMark)).toMatchObject({ stdout: "wrapped\n" })
    const inProcess = await connect({ inProcess: true, spawner: layerMarked })
    expect(await inProcess.run(printMark)).toMatchObject({ stdout: "wrapped\n" })
    await inProcess.close()
    const usual = await connect({ inProcess: true })
    expect(await usual.run(printMark)).toMatchObject({ stdout: "\n" })
    await usual.close()
    const wrong = { inProcess: true, spawner: {} } as never
    await expect(connect(wrong)).rejects.toMatchObject({ reason: "InvalidOption" })
  })

  it("serves WebSockets beside the routes of the program's own HTTP server", async () => {
    const server = await serve({ listen: [], auth: { mode: "capability-token", token: "sesame" } })
    expect(server.addresses).toEqual([])
    const http = createServer((_, response) => response.end("my own page"))
    http.on("upgrade", (request, socket, head) => {
      if (request.url === "/procwire") server.handleUpgrade(request, socket, head)
      else socket.destroy()
    })
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void http.close())
    const host = `127.0.0.1:${(http.address() as AddressInfo).port}`
    const url = `ws://${host}/procwire`
    const client = await connect({ url, token: "sesame" }, { reconnect: false })
    expect(await client.run({ argv: ["echo", "beside"] })).toMatchObject({ stdout: "beside\n" })
    expect(await (await fetch(`http://${host}/other`)).text()).toBe("my own page")
    expect(server.stats()).toMatchObject({ connections: 1, processes: { started: 1 } })
    await expect(connect({ url, token: "wrong" }, { reconnect: false })).rejects.toThrow("401")
    const { pid } = await shell(client, ":")
    await server.close()
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 60_000)
    await expect(connect({ url, token: "sesame" }, { reconnect: false })).rejects.toThrow("503")
    expect(await (await fetch(`http://${host}/other`)).text()).toBe("my own page")
  })

  it("grants processes the time that close gives them, and leaves nothing behind", async () => {
    const server = await serve()
    const client = await clientOf(server)
    const kind = await shell(client, "trap 'echo bye; exit 3' TERM")
    await server.close({ graceMs: 60_000 })
    expect(await kind.child.exitCode).toBe(3)
    expect(isAlive(kind.pid)).toBe(false)
    await server.closed

    const other = await serve({ graceMs: 60_000 })
    const stubborn = await shell(await clientOf(other), "trap '' TERM")
    const closing = other.close()
    // A second call shortens the grace period of the first.
    const begun = performance.now()
    await other.close({ graceMs: 0 })
    await closing
    expect(performance.now() - begun).toBeLessThan(60_000)
    await vi.waitFor(() => expect(isAlive(stubborn.pid)).toBe(false), 60_000)
  })

  it("ends with its block, with its scope, and as a layer", async () => {
    const dispose = async () => {
      const server = await serve()
      const { pid } = await shell(await clientOf(server), ":")
      await server[Symbol.asyncDispose]()
      return pid
    }
    const pid = await dispose()
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 60_000)
    const use = Effect.gen(function* () {
      const { addresses, stats } = yield* Server
      const client = yield* Effect.promise(() => connect({ url: addresses[0] ?? "" }, { reconnect: false }))
      const shown = yield* Effect.promise(() => shell(client, "trap 'exit 0' TERM"))
      expect(stats().processes.running).toBe(1)
      return shown
    })
    const layer = program.layerServer({ graceMs: 60_000 })
    const { child, pid: last } = await Effect.runPromise(Effect.provide(use, layer))
    expect(await child.exitCode).toBe(0)
    expect(isAlive(last)).toBe(false)
  })

  it("gives its logs to a function", async () => {
    const entries: Array<LogEntry> = []
    const server = await serve({ logLevel: "debug", onLog: (entry) => void entries.push(entry) })
    const client = await clientOf(server)
    await client.run({ argv: ["true"] })
    const started = expect.objectContaining({
      level: "debug",
      message: "process started",
      annotations: expect.objectContaining({ connection: 1 }),
    })
    await vi.waitFor(() => expect(entries).toContainEqual(started), 60_000)
  })

  it("takes options from a file, above which are its own", async () => {
    const file = Folder.make().at("procwire.conf")
    writeFileSync(file, "max-processes 1\nlisten tcp://127.0.0.1:0\n")
    const server = await serve({ config: file, listen: "ws://127.0.0.1:0" })
    expect(server.addresses[0]).toMatch(/^ws:/)
    const client = await clientOf(server)
    await shell(client, ":")
    await expect(client.start({ argv: ["true"] })).rejects.toThrow("limit is 1")
  })

  it("listens with listeners of one's own, too", async () => {
    const path = Folder.make().at("own.sock")
    const server = await serve({
      listen: [],
      listeners: [SocketListener.layerSocket({ kind: "unix", path })],
    })
    expect(server.addresses).toEqual([`unix:${path}`])
    const client = await clientOf(server)
    expect(await client.run({ argv: ["echo", "own"] })).toMatchObject({ stdout: "own\n" })
  })
})

describe("serve refuses", () => {
  it.each<readonly [unknown, string]>([
    [{ listn: "stdio" }, "serve has no option 'listn': did you mean 'listen'?"],
    [{ limits: { proceses: 1 } }, "limits has no option 'proceses': did you mean 'processes'?"],
    [{ tls: { cret: "x" } }, "tls has no option 'cret': did you mean 'cert'?"],
    [{ toString: 1 }, "serve has no option 'toString': "],
    ["stdio", "serve takes an object of options, not a string: "],
    [{ tls: null }, "tls takes an object of options, not null: "],
    [
      { limits: { processes: 0 } },
      "limits.processes: invalid value '0': expected a whole number of at least 1",
    ],
    [
      { limits: { processes: "5" } },
      "limits.processes: invalid value '5': expected a whole number of at least 1",
    ],
    [
      { limits: { jsonDepth: 1001 } },
      "limits.jsonDepth: invalid value '1001': expected a whole number of at least 8 and at most 1000",
    ],
    [{ dialect: "v1" }, "dialect: invalid value 'v1': expected current, v0 or auto"],
    [{ onLog: true }, "onLog: invalid value 'true': expected a function"],
    [{ spawner: {} }, "spawner: invalid value an object: expected a layer of Spawner"],
    [
      { auth: { mode: "capability-token", token: 123 } },
      "auth.token: invalid value a number: expected a text that is not empty",
    ],
    [{ tls: { certFile: "x" } }, "tls.certFile and tls.keyFile belong together"],
    [{ tls: { cert: "secret", key: "x" } }, "tls.cert holds no certificate in PEM"],
    [{ auditBestEffort: true }, "auditBestEffort needs audit FILE"],
    [
      { bwrap: "/nowhere" },
      "bwrap: invalid value '/nowhere': expected the path of an executable file, and none is there",
    ],
  ])("%j", async (options, message) => {
    const refusal = await program.serve(options as Options).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ServeError)
    expect(refusal).toMatchObject({ reason: "InvalidOption", message: expect.stringContaining(message) })
  })

  it.each<readonly [Options, string]>([
    [{ listen: "7501" }, "unsupported listen URL `7501`; "],
    [{ listen: "ws://0.0.0.0:0" }, "use `auth.mode` or `tls.clientCaFile`, or `allowUnauthenticated`"],
    [{ auth: { token: "x" } }, "websocket auth flags require `auth.mode capability-token`"],
    [{ config: "/nowhere" }, "cannot read config /nowhere: No such file or directory (os error 2)"],
  ])("%j, which is possible, but not here", async (options, message) => {
    const refusal = await program.serve(options).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ reason: "Configuration", message: expect.stringContaining(message) })
  })

  it("an address that is taken", async () => {
    const server = await serve()
    const [listen = ""] = server.addresses
    const refusal = await program.serve({ listen }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ServeError)
    expect(refusal).toMatchObject({
      reason: "Listen",
      message: expect.stringContaining("give listen another port"),
    })
    expect(Context.isKey(Server)).toBe(true)
  })
})
