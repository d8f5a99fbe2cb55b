/**
 * The transport suite on LineTransport.ts, CommandTransport.ts and StdioTransport.ts. A command relays its stdio to a
 * socket of this process: once a shell by bytes, and once `StdioTransport` (slower to start, so with some cases only).
 * The raw end delivers its pieces exactly as they are cut.
 */
import { mkdtempSync, rmSync } from "node:fs"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PassThrough } from "node:stream"
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { afterAll, beforeAll } from "vitest"
import type { Pair, Raw } from "../../../conformance/transport/TransportContext.ts"
import * as TransportSuite from "../../../conformance/transport/TransportSuite.ts"
import * as CommandTransport from "../transport/CommandTransport.ts"
import * as LineTransport from "../transport/LineTransport.ts"

let folder = ""

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "procwire-relay-"))
  await build({
    entryPoints: [fileURLToPath(new URL("../testing/Relay.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "relay.mjs"),
    logLevel: "silent",
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The stdio of a command that connects to the port in its arguments, and that connection. */
const relayedBy = (command: string, argsFor: (port: number) => ReadonlyArray<string>): Pair =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const listening = Net.createServer()
        await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done))
        return listening
      }),
      (listening) => Effect.sync(() => listening.close()),
    )
    const accepted = new Promise<Net.Socket>((resolve) => server.once("connection", resolve))
    const { port } = server.address() as Net.AddressInfo
    const stdio = yield* CommandTransport.connectCommand({ command, args: argsFor(port), stderr: "ignore" })
    const socket = yield* Effect.promise(() => accepted)
    const label = "JSON-RPC message from the relay"
    return [stdio, yield* LineTransport.make({ label, input: socket, output: socket })] as const
  })

/** A script that relays bytes and ends when either side does. */
const bytes = `exec 3<>"/dev/tcp/127.0.0.1/$0"; cat <&3 & cat <&0 >&3 3<&- & wait -n; kill %1 %2 2>/dev/null`

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

TransportSuite.suite(
  "a command's stdio",
  relayedBy("bash", (port) => ["-c", bytes, `${port}`]),
  { raw },
)

TransportSuite.suite(
  "StdioTransport in a command",
  relayedBy(process.execPath, (port) => [join(folder, "relay.mjs"), `${port}`]),
  {
    only: [
      "transport/order/10000-messages-both-ways",
      "transport/message/characters-across-any-border",
      "transport/pressure/drain-calls-back",
      "transport/end/written-before-is-delivered",
    ],
  },
)
