/**
 * The transport suite on lines: a command's stdio, with `StdioTransport` inside the command and a socket
 * back to this process; and a raw end whose pieces arrive exactly as they are cut.
 */
import { mkdtempSync, rmSync } from "node:fs"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { afterAll, beforeAll } from "vitest"
import type { Pair, Raw } from "../../conformance/transport/Bench.ts"
import * as TransportSuite from "../../conformance/transport/TransportSuite.ts"
import * as CommandTransport from "./CommandTransport.ts"
import * as LineTransport from "./LineTransport.ts"

let folder = ""
let sockets = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "procwire-relay-"))
  await build({
    entryPoints: [join(import.meta.dirname, "testing/Relay.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "relay.mjs"),
    logLevel: "silent",
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pair: Pair = Effect.gen(function* () {
  const path = join(folder, `${++sockets}.sock`)
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const listening = Net.createServer()
      await new Promise<void>((done) => listening.listen(path, done))
      return listening
    }),
    (listening) => Effect.sync(() => listening.close()),
  )
  const accepted = new Promise<Net.Socket>((resolve) => server.once("connection", resolve))
  const command = yield* CommandTransport.connectCommand({
    command: process.execPath,
    args: [join(folder, "relay.mjs"), path],
  })
  const socket = yield* Effect.promise(() => accepted)
  const label = "JSON-RPC message from the relay"
  return [command, yield* LineTransport.make({ label, input: socket, output: socket })] as const
})

const raw: Raw = Effect.gen(function* () {
  const input = new PassThrough()
  const output = new PassThrough().resume()
  const label = "JSON-RPC message from a raw end"
  return {
    transport: yield* LineTransport.make({ label, input, output }),
    frame: (message) => Buffer.concat([message, Buffer.from("\n")]),
    send: (bytes) => Effect.promise(() => new Promise<void>((done) => input.write(bytes, () => done()))),
    end: Effect.sync(() => void input.end()),
  }
})

TransportSuite.suite("a command's stdio", pair, { raw })
