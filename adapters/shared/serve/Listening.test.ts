import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { platform } from "../../testing/Runtime.ts"
import * as Environment from "../systemd/Environment.ts"
import * as TextFile from "../host/TextFile.ts"
import * as ListenAddress from "./ListenAddress.ts"
import * as Listening from "./Listening.ts"
import * as Options from "./Options.ts"

const flags = new Map(Options.all.map(({ path, option }) => [path, `--${option.flag}`]))
const label = (path: string) => flags.get(path) ?? path

const noSystemd = { environment: Environment.take({}), openFfi: platform.openFfi }

const read = (options: Options.Options) =>
  Effect.provide(Listening.read({ options, label }, noSystemd), TextFile.layer)

const token = {
  auth: { mode: "capability-token", tokenSha256: createHash("sha256").update("x").digest("hex") },
} as const

const refusal = async (options: Options.Options) => {
  const { reason, message } = await Effect.runPromise(Effect.flip(read(options)))
  return `${reason === "InvalidOption" ? "wrong use: " : ""}${message}`
}

describe("Listening", () => {
  it.each([
    ["ws://0.0.0.0:7000", "`--ws-auth` or `--tls-client-ca`"],
    ["ws://[::]:0", "`--ws-auth` or `--tls-client-ca`"],
    ["ws://126.255.0.1:1", "`--ws-auth` or `--tls-client-ca`"],
    ["ws://128.0.0.1:1", "`--ws-auth` or `--tls-client-ca`"],
    ["tcp://192.168.1.2:7000", "`--tls-client-ca`"],
  ])("refuses %s, which others can reach, and names what would help", async (url, remedy) => {
    expect(await refusal({ listen: ["ws://127.0.0.1:0", url] })).toBe(
      `refusing to listen on ${url}: whoever can reach it could run anything; ` +
        `use ${remedy}, or \`--allow-unauthenticated\``,
    )
  })

  it.each([
    ["on loopback", { listen: ["ws://127.8.9.1:0", "tcp://[::1]:0", "ws://[::ffff:127.0.0.1]:0"] }],
    ["on a pipe or a path", { listen: ["stdio", "unix:x"] }],
    ["behind a token", { listen: ["ws://0.0.0.0:0"], ...token }],
    ["by the word of its owner", { listen: ["ws://0.0.0.0:0", "tcp://[::]:0"], allowUnauthenticated: true }],
  ])("lets a server listen %s", async (_, options: Options.Options) => {
    const { addresses } = await Effect.runPromise(read(options))
    expect(addresses).toEqual(Effect.runSync(ListenAddress.parseAll([options.listen ?? []].flat())))
  })

  // guards: open-listener
  it("does not take a token for WebSockets as a guard of TCP", async () => {
    expect(await refusal({ listen: ["ws://127.0.0.1:0", "tcp://0.0.0.0:0"], ...token })).toContain(
      "refusing to listen on tcp://0.0.0.0:0",
    )
  })

  // guards: open-listener
  it("wants a listener that asks for the token", async () => {
    expect(await refusal({ listen: ["stdio"], ...token })).toBe(
      "WebSocket auth requires a WebSocket listener, not stdio",
    )
    expect(await refusal({ listen: ["unix:x", "tcp://127.0.0.1:0", "unix:y"], ...token })).toBe(
      "WebSocket auth requires a WebSocket listener, not unix, tcp",
    )
  })

  it("finds faults of the flags before those of the addresses", async () => {
    expect(await refusal({ listen: ["nowhere"], auth: { issuer: "" } })).toBe(
      "websocket auth flags require `--ws-auth capability-token` or `--ws-auth signed-bearer-token`",
    )
    expect(await refusal({ listen: ["nowhere"], tls: { certFile: "c" } })).toBe(
      "wrong use: --tls-cert and --tls-key belong together",
    )
  })
})
