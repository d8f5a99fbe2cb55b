/** Telemetry.ts, Otlp.ts and Logging.ts: the traces that a collector gets, and the logs on stderr. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import * as http from "node:http"
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { WebSocket } from "real-ws"
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { connect } from "../../testing/Client.ts"
import { command } from "../../testing/Runtime.ts"

const [program, ...main] = command

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<{
    readonly key: string
    readonly value: { readonly [type: string]: unknown }
  }>
  readonly status: { readonly code: number }
}

interface Batch {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Span["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }>
  }>
}

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"

/** A collector that decodes the traces it gets. */
let collector: http.Server
let requests: Array<{ readonly url: string; readonly token: string | undefined; readonly batch: Batch }> = []
let endpoint = ""
beforeEach(async () => {
  requests = []
  collector = http.createServer((request, response) => {
    let text = ""
    request.on("data", (bytes: Buffer) => (text += bytes.toString()))
    request.on("end", () => {
      const token = request.headers["x-token"]
      requests.push({ url: request.url ?? "", token: String(token), batch: JSON.parse(text) as Batch })
      response.end("{}")
    })
  })
  collector.listen(0, "127.0.0.1")
  await once(collector, "listening")
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})

/** Stands before the collector, and lets nothing through until it opens. Data given up by then is lost. */
const makeGate = async () => {
  let opens = () => {}
  const isOpen = new Promise<void>((resolve) => (opens = resolve))
  const gate = createServer()
  const arrives = once(gate, "connection")
  gate.on("connection", (near: Socket) => {
    const bytes: Array<Buffer> = []
    const keep = (more: Buffer) => bytes.push(more)
    near.on("data", keep).on("error", () => undefined)
    void isOpen.then(() => {
      if (near.destroyed || near.readableEnded) return
      near.off("data", keep)
      const far = createConnection((collector.address() as AddressInfo).port, "127.0.0.1")
      far.on("error", () => undefined).write(Buffer.concat(bytes))
      near.pipe(far).pipe(near)
    })
  })
  await once(gate.listen(0, "127.0.0.1"), "listening")
  gates.push(gate)
  return { opens, arrives, url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}` }
}
const gates: Array<Server> = []
afterEach(() => gates.splice(0).forEach((gate) => gate.close()))

const running: Array<ChildProcess> = []
afterEach(() => {
  running.splice(0).forEach((server) => server.kill("SIGKILL"))
  collector.closeAllConnections()
  collector.close()
})

const launch = (env: NodeJS.ProcessEnv, ...flags: ReadonlyArray<string>) => {
  const server = spawn(program, [...main, "serve", "--listen", "stdio", ...flags], {
    stdio: "pipe",
    env: { ...process.env, PROCWIRE_LOG: "", ...env },
  })
  running.push(server)
  let [stdout, stderr] = ["", ""]
  server.stdout.on("data", (bytes: Buffer) => (stdout += bytes.toString()))
  server.stderr.on("data", (bytes: Buffer) => (stderr += bytes.toString()))
  const ended = once(server, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }))
  const send = (...messages: ReadonlyArray<object>) => {
    for (const message of messages) server.stdin.write(`${JSON.stringify(message)}\n`)
  }
  const says = (part: string) => vi.waitFor(() => expect(stdout).toContain(part), { timeout: 60_000 })
  const logs = (part: string) => vi.waitFor(() => expect(stderr).toContain(part), { timeout: 60_000 })
  return { server, send, says, logs, ended }
}

const hello = [{ id: 1, method: "initialize", params: { clientName: "x" } }, { method: "initialized" }]
const start = (trace?: object) => ({
  id: 2,
  method: "process/start",
  params: {
    processId: "p",
    argv: ["/bin/sh", "-c", "echo payload; exit 3"],
    cwd: "file:///tmp",
    env: {},
    tty: false,
  },
  ...(trace === undefined ? {} : { trace }),
})

const spans = () =>
  requests.flatMap(({ batch }) =>
    batch.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((two) => two.spans)),
  )
const named = (name: string) => spans().find((span) => span.name === name)
const attributesOf = (span: Span | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))

/** Runs one short process and ends the server. */
const play = (env: NodeJS.ProcessEnv, trace: object | undefined, ...flags: ReadonlyArray<string>) =>
  playUntil(({ says }) => says("process/closed"), env, trace, ...flags)

const playUntil = async (
  done: (server: ReturnType<typeof launch>) => Promise<void>,
  env: NodeJS.ProcessEnv,
  trace: object | undefined,
  ...flags: ReadonlyArray<string>
) => {
  const launched = launch(env, ...flags)
  const { server, send, ended } = launched
  send(...hello, start(trace))
  await done(launched)
  server.stdin.end()
  return ended
}

describe("procwire serve with a collector", () => {
  it("exports the spans of requests and processes, below the caller's", async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-token=a%20b,y=z",
    }
    const { code, stderr } = await play(env, { traceparent: `00-${traceId}-${spanId}-01` })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const [request] = requests
    expect(request).toMatchObject({ url: "/v1/traces", token: "a b" })
    const resource = request?.batch.resourceSpans[0]?.resource.attributes ?? []
    expect(resource.find(({ key }) => key === "service.name")?.value).toEqual({ stringValue: "procwire" })
    const [initialize, started, process] = ["initialize", "process/start", "process"].map(named)
    expect(initialize?.parentSpanId).toBeUndefined()
    expect(started).toMatchObject({ traceId, parentSpanId: spanId })
    expect(process).toMatchObject({ traceId, parentSpanId: started?.spanId })
    expect(attributesOf(started)).toMatchObject({ "rpc.method": "process/start", "process.id": "p" })
    expect(attributesOf(process)).toMatchObject({
      "process.executable.name": "/bin/sh",
      "session.id": attributesOf(started)["session.id"],
    })
    expect(Number(attributesOf(process)["process.exit.code"])).toBe(3)
    expect(Number(attributesOf(process)["process.output.bytes"])).toBe(8)
    expect(BigInt(process?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(process?.startTimeUnixNano ?? 0))
    expect(JSON.stringify(requests)).not.toContain("payload")
  })

  it("leads from a client of ours through its server", async () => {
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: "mine" }
    const client = await connect({ command: program, args: [...main, "serve", "--listen", "stdio"], env })
    expect(await client.run({ argv: ["echo", "on"] })).toMatchObject({ stdout: "on\n" })
    await vi.waitFor(() => expect(named("process")).toBeDefined(), { timeout: 60_000 })
    await client.close()
    expect(named("process")?.parentSpanId).toBe(named("process/start")?.spanId)
    expect(JSON.stringify(requests[0]?.batch.resourceSpans[0]?.resource)).toContain("mine")
  })

  it("loses no span where the server ends while a batch is on its way", async () => {
    const { opens, arrives, url } = await makeGate()
    const { server, send, says, ended } = launch({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
    send(...hello, start())
    await says("process/closed")
    await arrives
    server.stdin.end()
    // Time in which a batch would be given up.
    await sleep(500)
    opens()
    expect((await ended).code).toBe(0)
    for (const name of ["initialize", "process/start", "process"]) expect(named(name)).toBeDefined()
  })

  it("serves as well where nobody listens at that address, and where nobody answers there", async () => {
    collector.removeAllListeners("request")
    for (const url of [endpoint, "http://127.0.0.1:1"]) {
      const { code, stdout } = await play({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, undefined)
      expect(code).toBe(0)
      expect(stdout).toContain('"exitCode":3')
    }
  })
})

describe("a fleet with a collector", () => {
  /** A program of the fleet, by the name that it has in traces. */
  const launchPart = (name: string, ...args: ReadonlyArray<string>) => {
    const own = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: name, XDG_STATE_HOME: folder }
    const child = spawn(program, [...main, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ...own },
    })
    running.push(child)
    return child
  }
  const folder = mkdtempSync(join(tmpdir(), "procwire-test-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const spansOf = (service: string) =>
    requests.flatMap(({ batch }) =>
      batch.resourceSpans
        .filter(({ resource }) => JSON.stringify(resource).includes(`"${service}"`))
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    )
  const found = (service: string, name: string) => spansOf(service).find((span) => span.name === name)

  it("exports spans that lead from a client over its router to its host", async () => {
    const router = launchPart("a router", "router", "--directory", "memory:", "--listen", "ws://127.0.0.1:0")
    const [line] = (await once(router.stdout as Readable, "data")) as [Buffer]
    const url = line.toString().trim()
    launchPart("a host", "serve", `--join=${url}`, "--host-id=a")
    const isUp = async () =>
      expect(await (await fetch(`${url.replace("ws", "http")}/healthz`)).json()).toMatchObject({ hosts: 1 })
    await vi.waitFor(isUp, { timeout: 60_000 })
    const socket = new WebSocket(url)
    await once(socket, "open")
    const trace = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "mine=1" }
    const [initialize, ...others] = [...hello, start(trace)]
    for (const message of [{ ...initialize, trace }, ...others]) socket.send(JSON.stringify(message))
    const all = () => {
      const spans = [
        found("a router", "router start"),
        found("a host", "initialize"),
        found("a host", "process"),
      ]
      expect(spans).not.toContain(undefined)
      return spans
    }
    const [routed, initialized] = await vi.waitFor(all, { timeout: 60_000 })
    socket.terminate()
    expect(routed).toMatchObject({ traceId, parentSpanId: spanId })
    expect(initialized).toMatchObject({ traceId, parentSpanId: routed?.spanId })
    expect(found("a router", "claim place")).toMatchObject({ traceId, parentSpanId: routed?.spanId })
    expect(found("a host", "process/start")).toMatchObject({ traceId, parentSpanId: spanId })
    expect(JSON.stringify(requests)).not.toContain("payload")
  })
})

describe("procwire serve --log-format --log-level", () => {
  it("says nothing of what goes well unless it is asked to", async () => {
    expect((await play({}, undefined)).stderr).toBe("")
    expect((await play({}, undefined, "--log-level", "info")).stderr).toBe("")
    expect((await play({ PROCWIRE_LOG: "debug" }, undefined, "--log-level", "none")).stderr).toBe("")
  })

  it("writes lines of JSON on stderr, with what they are about and without payload", async () => {
    // The end of a process is logged after it is notified, and the end of the server can come between.
    const { stdout, stderr } = await playUntil(
      ({ logs }) => logs("process closed"),
      {},
      undefined,
      "--log-level",
      "debug",
      "--log-format",
      "json",
    )
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { message: string; logLevel: string; annotations: object })
    const session = /"sessionId":"([^"]+)"/.exec(stdout)?.[1]
    expect(lines.find(({ message }) => message === "process closed")).toMatchObject({
      logLevel: "DEBUG",
      annotations: { connection: 1, session, process: "p" },
    })
    expect(stderr).not.toContain("payload")
    for (const line of stdout.trim().split("\n")) expect(() => void JSON.parse(line)).not.toThrow()
  })

  it("writes for people without colours where there is no terminal, from the level of the environment on", async () => {
    const { stderr } = await play({ PROCWIRE_LOG: "debug" }, undefined, "--log-format", "pretty")
    expect(stderr).toContain("process started")
    expect(stderr).not.toContain("\u001b")
    expect((await play({ PROCWIRE_LOG: "debug" }, undefined)).stderr).toContain('message="process started"')
  })

  it.each([
    ["log-level", "loud", "expected trace, debug, info, warning, error or none"],
    ["log-format", "xml", "expected logfmt, json or pretty"],
  ])("refuses --%s %s", async (flag, value, why) => {
    const { code, stderr } = await launch({}, `--${flag}`, value).ended
    expect(code).toBe(2)
    expect(stderr).toContain(`invalid value '${value}' for '--${flag}': ${why}`)
  })
})
